package gateway

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// zipFiles serves one ZIP for the job "job_1".
type zipFiles struct{ content []byte }

func (z zipFiles) Files(_ context.Context, jobID string) (engineproxy.File, error) {
	switch jobID {
	case "job_1":
		return engineproxy.File{ReadSeekCloser: closing{bytes.NewReader(z.content)}, Size: int64(len(z.content))}, nil
	case "job_2":
		return engineproxy.File{}, errors.New("the disk is gone")
	}
	return engineproxy.File{}, engineproxy.ErrNotArchived
}

type closing struct{ *bytes.Reader }

func (closing) Close() error { return nil }

// game is a ZIP as a hostile engine might have made it.
func game(t *testing.T) zipFiles {
	t.Helper()
	return zipFiles{zipOf(t, map[string]string{
		"index.html": "<p>game", "assets/a.js": "1", "page.bin": "<script>", "../escape.txt": "out", "/etc/passwd": "root",
	})}
}

func zipOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPreviewServesTheFilesOfAGameAndNoOther(t *testing.T) {
	files := game(t)
	for path, want := range map[string]struct {
		status     int
		kind, body string
	}{
		"index.html":         {200, "text/html", "<p>game"},
		"":                   {200, "text/html", "<p>game"},
		"assets/a.js":        {200, "text/javascript", "1"},
		"page.bin":           {200, "application/octet-stream", "<script>"},
		"assets":             {404, "", ""},
		"nothing.html":       {404, "", ""},
		"../escape.txt":      {404, "", ""},
		"/etc/passwd":        {404, "", ""},
		"assets/../page.bin": {404, "", ""},
	} {
		w := httptest.NewRecorder()
		NewPreviews().Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), files, "job_1", path)
		if w.Code != want.status || want.status == 200 && w.Body.String() != want.body || !strings.HasPrefix(w.Header().Get("Content-Type"), want.kind) {
			t.Errorf("%q: %d %s %q", path, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		if want.status != 200 {
			continue
		}
		for name, value := range map[string]string{
			"Content-Security-Policy": previewPolicy, "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store",
			"Access-Control-Allow-Origin": "*", "Set-Cookie": "",
		} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%q: %s is %q", path, name, got)
			}
		}
	}
}

func TestPublishedGameIsKeptByBrowsersAndHasThePresentLibrary(t *testing.T) {
	files := game(t)
	for path, want := range map[string]struct{ body, caching string }{
		"assets/a.js": {"1", "public, max-age=31536000, immutable"},
		libraryFile:   {"present", "public, max-age=300"},
	} {
		w := httptest.NewRecorder()
		NewPreviews().ServeGame(w, httptest.NewRequest(http.MethodGet, "/", nil), files, "job_1", path, []byte("present"))
		h := w.Header()
		if w.Code != http.StatusOK || w.Body.String() != want.body || h.Get("Cache-Control") != want.caching ||
			h.Get("Content-Security-Policy") != previewPolicy || !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") {
			t.Errorf("%s: %d %q %v", path, w.Code, w.Body, h)
		}
	}
}

func TestPictureOfAGameIsAPictureWhateverTheGameSays(t *testing.T) {
	jpeg := "\xff\xd8\xff\xe0 what the playtest saw"
	for name, tc := range map[string]struct{ files, kind, begins string }{
		"a picture":           {jpeg, "image/jpeg", jpeg},
		"a page in its place": {"<script>alert(1)</script>", "image/png", "\x89PNG"},
		"none":                {"", "image/png", "\x89PNG"},
		"one that is endless": {jpeg + strings.Repeat("x", maxPicture), "image/png", "\x89PNG"},
	} {
		packed := map[string]string{"index.html": "game"}
		if tc.files != "" {
			packed[pictureFile] = tc.files
		}
		w := httptest.NewRecorder()
		NewPreviews().ServePicture(w, httptest.NewRequest(http.MethodGet, "/", nil), zipFiles{zipOf(t, packed)}, "job_1")
		h := w.Header()
		if w.Code != http.StatusOK || h.Get("Content-Type") != tc.kind || !strings.HasPrefix(w.Body.String(), tc.begins) ||
			h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v %.20q", name, w.Code, h, w.Body)
		}
	}
}

func TestPreviewSaysWhatIsMissing(t *testing.T) {
	files := game(t)
	for job, want := range map[string]int{"job_2": http.StatusServiceUnavailable, "job_3": http.StatusNotFound} {
		w := httptest.NewRecorder()
		NewPreviews().Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), files, job, "index.html")
		if w.Code != want || strings.Contains(w.Body.String(), "disk") {
			t.Errorf("%s: %d %q", job, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	NewPreviews().Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), zipFiles{[]byte("no zip")}, "job_1", "index.html")
	if w.Code != http.StatusNotFound {
		t.Errorf("a broken ZIP: %d", w.Code)
	}
}
