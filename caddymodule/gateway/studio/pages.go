package studio

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"
)

//go:embed templates/*.html static/*
var files embed.FS

// pages are the parsed templates and the static files.
type pages struct {
	templates map[string]*template.Template
	static    map[string]staticFile
}

type staticFile struct {
	content []byte
	packed  []byte // content as gzip
	kind    string // its Content-Type
	etag    string
}

// names of the pages, each a template.
var names = []string{"home", "project", "diff", "search", "failure"}

// editorScript is the bundled editor. Without it a file is edited in a plain field.
const editorScript = "codemirror.js"

// loadPages parses the pages and reads the static files, of which the editor is in a
// folder of its own: npm has what it is made of.
func loadPages(editor string) (*pages, error) {
	p := &pages{templates: map[string]*template.Template{}, static: map[string]staticFile{}}
	for _, name := range names {
		t, err := template.New("layout.html").Funcs(functions).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/scene.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("parsing page %s: %w", name, err)
		}
		p.templates[name] = t
	}
	entries, err := files.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		content, err := files.ReadFile("static/" + entry.Name())
		if err != nil {
			return nil, err
		}
		p.add(entry.Name(), content)
	}
	content, err := os.ReadFile(filepath.Join(editor, editorScript))
	if err == nil {
		p.add(editorScript, content)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the editor: %w", err)
	}
	return p, nil
}

func (p *pages) add(name string, content []byte) {
	sum := sha256.Sum256(content)
	p.static[name] = staticFile{
		content: content, packed: pack(content), kind: mime.TypeByExtension(path.Ext(name)), etag: hex.EncodeToString(sum[:8]),
	}
}

// pack returns content as gzip.
func pack(content []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(content) // memory takes all
	_ = w.Close()
	return packed.Bytes()
}

func takesPacked(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// hasEditor reports whether the bundled editor is there.
func (p *pages) hasEditor() bool { _, ok := p.static[editorScript]; return ok }

var functions = template.FuncMap{
	"when":    func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 MST") },
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"example": exampleLink,
	"base":    path.Base,
	"bytes": func(n int64) string {
		if n < 10<<10 {
			return fmt.Sprintf("%d bytes", n)
		}
		return fmt.Sprintf("%d KiB", n>>10)
	},
}

// frame is what the layout shows around a page.
type frame struct {
	User  string
	Title string
	Wide  bool
	Data  any
}

// render answers with a page, which is made whole before its first byte is sent.
func (s *Studio) render(x *exchange, status int, page string, f frame) {
	var out bytes.Buffer
	if err := s.pages.templates[page].Execute(&out, f); err != nil {
		s.Logger.Error("studio page not rendered", zap.String("page", page), zap.Error(err))
		http.Error(x, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	x.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.Header().Add("Vary", "Accept-Encoding")
	body := out.Bytes()
	// Packed with a guess that somebody else's link puts into the page, its size would say
	// whether the guess is on it.
	if takesPacked(x.r) && x.r.Method != http.MethodPost && x.r.URL.RawQuery == "" {
		x.Header().Set("Content-Encoding", "gzip")
		body = pack(body)
	}
	x.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		_, _ = x.Write(body) // a browser that went away is no error of ours
	}
}

// staticPath is where the studio's own files stand: they are the same for everybody.
const staticPath = "/console/studio/static/"

// Static answers for the studio's own files, and reports whether the request was for one.
func (s *Studio) Static(w http.ResponseWriter, r *http.Request) bool {
	name, ok := strings.CutPrefix(r.URL.Path, staticPath)
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	file, there := s.pages.static[name]
	if !there {
		http.NotFound(w, r)
		return true
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", file.kind)
	content, etag := file.content, file.etag
	if takesPacked(r) {
		h.Set("Content-Encoding", "gzip")
		content, etag = file.packed, etag+"-gzip"
	}
	h.Set("ETag", `"`+etag+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return true
}
