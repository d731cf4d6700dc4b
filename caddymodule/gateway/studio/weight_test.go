package studio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// budget is what the first page may load, in bytes of gzip: what every page does, and the
// editor that opens with a file. Where the editor was not bundled its share is what it may
// weigh.
const (
	budget = 270 << 10
	editor = 215 << 10
)

func TestFirstLoadIsWithinItsBudget(t *testing.T) {
	total := 0
	bundle := filepath.Join("../../../bin/studio", editorScript)
	paths := []string{bundle}
	if _, err := os.Stat(bundle); errors.Is(err, fs.ErrNotExist) {
		total, paths = editor, nil
	}
	for _, dir := range []string{"static", "../../../sidecar/console/static"} {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		total += packed.Len()
		if path == bundle && packed.Len() > editor {
			t.Errorf("the editor has %d bytes, more than %d", packed.Len(), editor)
		}
	}
	t.Logf("%d bytes of %d", total, budget)
	if total > budget {
		t.Errorf("the studio loads %d bytes, more than %d", total, budget)
	}
}

func TestStaticFilesAreThereForEverybodyAndNothingElseIs(t *testing.T) {
	s, err := New(Parts{Editor: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	get := func(method, path string) (*http.Response, bool) {
		w := httptest.NewRecorder()
		ours := s.Static(w, httptest.NewRequest(method, "http://x"+path, nil))
		return w.Result(), ours
	}
	res, ours := get(http.MethodGet, staticPath+"studio.js")
	body, err := io.ReadAll(res.Body)
	if err != nil || !ours || res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/javascript") || len(body) == 0 {
		t.Errorf("studio.js: %d %v", res.StatusCode, err)
	}
	if res, ours := get(http.MethodGet, staticPath+"../studio.go"); !ours || res.StatusCode != http.StatusNotFound {
		t.Errorf("a path out of the folder: %d", res.StatusCode)
	}
	if _, ours := get(http.MethodPost, staticPath+"studio.js"); ours {
		t.Error("a POST is taken for a file")
	}
	if _, ours := get(http.MethodGet, "/console/studio/staticfile"); ours {
		t.Error("a page is taken for a file")
	}
}
