package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

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
	kind    string // its Content-Type
	etag    string
}

// loadPages parses each page together with the layout and the shared parts.
func loadPages() (*pages, error) {
	p := &pages{templates: make(map[string]*template.Template), static: make(map[string]staticFile)}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		page := strings.TrimSuffix(path.Base(name), ".html")
		if page == "layout" || page == "parts" {
			continue
		}
		t, err := template.New("layout.html").Funcs(functions).ParseFS(files, "templates/layout.html", "templates/parts.html", name)
		if err != nil {
			return nil, fmt.Errorf("parsing page %s: %w", page, err)
		}
		p.templates[page] = t
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
		sum := sha256.Sum256(content)
		p.static[entry.Name()] = staticFile{
			content: content, kind: mime.TypeByExtension(path.Ext(entry.Name())), etag: `"` + hex.EncodeToString(sum[:8]) + `"`,
		}
	}
	return p, nil
}

// frame is what the layout shows around a page.
type frame struct {
	Page string // the template's name
	User string // "" for nobody
	Data any
}

// Is reports whether one of the pages is shown: it marks the place in the menu.
func (f frame) Is(pages ...string) bool { return slices.Contains(pages, f.Page) }

// render answers with a page. It is made whole before its first byte is sent,
// so that an error in it is not a torn page.
func (c *Console) render(w http.ResponseWriter, r *http.Request, status int, page string, data any) {
	c.renderFrame(w, r, status, frame{Page: page, Data: data})
}

func (c *Console) renderFrame(w http.ResponseWriter, r *http.Request, status int, f frame) {
	var out bytes.Buffer
	if err := c.pages.templates[f.Page].Execute(&out, f); err != nil {
		c.Logger.Error("console page not rendered", zap.String("page", f.Page), zap.Error(err))
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		// A browser that went away is no error of ours.
		_, _ = out.WriteTo(w)
	}
}

// show is render for a user who is signed in.
func (c *Console) show(x *exchange, status int, page string, data any) error {
	c.renderFrame(x, x.r, status, frame{Page: page, User: x.user, Data: data})
	return nil
}

// failure is a page that says what went wrong, and the error that it answers.
type failure struct {
	Status  int
	Message string
}

func (f *failure) Error() string { return f.Message }

func (c *Console) fail(w http.ResponseWriter, r *http.Request, status int, message string) {
	c.render(w, r, status, "failure", &failure{Status: status, Message: message})
}

func (c *Console) serveStatic(w http.ResponseWriter, r *http.Request) {
	file, ok := c.pages.static[r.PathValue("name")]
	if !ok {
		c.fail(w, r, http.StatusNotFound, "There is no such file.")
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", file.etag)
	h.Set("Content-Type", file.kind)
	http.ServeContent(w, r, "", buildTime, bytes.NewReader(file.content))
}
