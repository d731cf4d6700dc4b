package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/svc-games/svc/api/gamezip"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// maxPreviewFile bounds one file of a preview, in bytes.
const maxPreviewFile = 64 << 20

// previewPolicy is that of a game in the preview: hostile input. It runs
// without an origin of its own, and reaches nothing but its own files.
const previewPolicy = "sandbox allow-scripts allow-forms; " + gamezip.ContentPolicy

// Files reads what ended jobs left.
type Files interface {
	Files(ctx context.Context, jobID string) (engineproxy.File, error)
}

// maxPreviews bounds how many ZIPs are listed at a time: each takes some
// mebibytes for as long, and a file that is open none of them.
const maxPreviews = 16

// Previews serves games. It is safe for concurrent use.
type Previews struct{ listing chan struct{} }

// NewPreviews returns what serves games.
func NewPreviews() *Previews { return &Previews{listing: make(chan struct{}, maxPreviews)} }

// libraryFile is the library of games. The current one stands in its place in published
// games: their own may not know how to be told who they are.
const libraryFile = "lib/svc.js"

// ServeGame is Serve for a published game: its files are public, and never change.
func (p *Previews) ServeGame(w http.ResponseWriter, r *http.Request, files Files, jobID, name string, library []byte) {
	if name == libraryFile && library != nil {
		GameHeaders(w.Header(), name, "public, max-age=300")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(library) // a browser that went away is no error of ours
		return
	}
	p.serve(w, r, files, jobID, name, "public, max-age=31536000, immutable")
}

// Serve answers with one file of an ended job's ZIP, for a browser to run. The
// caller has made sure that the reader may see it.
func (p *Previews) Serve(w http.ResponseWriter, r *http.Request, files Files, jobID, name string) {
	p.serve(w, r, files, jobID, name, "private, no-store")
}

func (p *Previews) serve(w http.ResponseWriter, r *http.Request, files Files, jobID, name, caching string) {
	zipped, err := files.Files(r.Context(), jobID)
	if errors.Is(err, engineproxy.ErrNotArchived) {
		http.Error(w, "The job left no files.", http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, "The job's files can't be read right now.", http.StatusServiceUnavailable)
		return
	}
	defer zipped.Close()
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	content, err := p.open(r.Context(), zipped, name)
	if r.Context().Err() != nil {
		return // the browser went away
	}
	if err != nil {
		http.Error(w, "The game has no such file.", http.StatusNotFound)
		return
	}
	defer content.Close()
	GameHeaders(w.Header(), name, caching)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		// A browser that went away is no error of ours.
		_, _ = io.Copy(w, io.LimitReader(content, maxPreviewFile))
	}
}

// Read returns one file of an ended job's ZIP, of at most so many bytes. The caller has
// made sure that the reader may see it.
func (p *Previews) Read(ctx context.Context, files Files, jobID, name string, most int64) ([]byte, error) {
	zipped, err := files.Files(ctx, jobID)
	if err != nil {
		return nil, err
	}
	defer zipped.Close()
	content, err := p.open(ctx, zipped, name)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, most+1))
	if err == nil && int64(len(data)) > most {
		err = errLarge
	}
	return data, err
}

var errLarge = errors.New("the file is larger than it may be")

// GameHeaders are those of a file that a game loads, or is.
func GameHeaders(h http.Header, name, caching string) {
	h.Set("Content-Security-Policy", previewPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", caching)
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-read=(), payment=()")
	// The game has no origin, so what it loads comes from another one.
	h.Set("Access-Control-Allow-Origin", "*")
	kind := mime.TypeByExtension(path.Ext(name))
	kind = cmp.Or(kind, "application/octet-stream")
	h.Set("Content-Type", kind)
}

// open opens a file of a ZIP, in its turn.
func (p *Previews) open(ctx context.Context, f engineproxy.File, name string) (io.ReadCloser, error) {
	select {
	case p.listing <- struct{}{}:
		defer func() { <-p.listing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return gamezip.Open(&readerAt{file: f}, f.Size, name)
}

// readerAt reads a file at any place.
type readerAt struct {
	mu   sync.Mutex
	file io.ReadSeeker
}

func (r *readerAt) ReadAt(p []byte, off int64) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.file, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// Interface guards
var _ io.ReaderAt = (*readerAt)(nil)
