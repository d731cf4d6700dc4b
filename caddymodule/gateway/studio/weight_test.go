package studio

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// budget is what the first page may load, in bytes of gzip: the page of a project with a
// long history, what every page loads, and the editor that opens with a file. Where the
// editor was not bundled its share is what it may weigh.
const (
	budget = 270_000
	editor = 212_000
)

func TestFirstLoadIsWithinItsBudget(t *testing.T) {
	total := len(fullPage(t))
	bundle := filepath.Join("../../../bin/studio", editorScript)
	paths := []string{bundle}
	if _, err := os.Stat(bundle); errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v: make build bundles the editor", err)
		}
		total, paths = total+editor, nil
	}
	for _, dir := range []string{"static", "../../../sidecar/console/static"} {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		paths = append(paths, found...)
	}
	first := loadedFirst(t)
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Dir(path) == "static" && !first[filepath.Base(path)] })
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

// imported is what a script loads before it runs.
var imported = regexp.MustCompile(`(?m)^(?:import|export) .*"\./([a-z]+\.js)";$`)

// loadedFirst are the files that each page of the studio loads: its style, its script and what
// that imports. What a script asks for by import() comes once it is wanted.
func loadedFirst(t *testing.T) map[string]bool {
	t.Helper()
	first, next := map[string]bool{"studio.css": true}, []string{"studio.js"}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if first[name] {
			continue
		}
		first[name] = true
		data, err := os.ReadFile(filepath.Join("static", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range imported.FindAllSubmatch(data, -1) {
			next = append(next, string(found[1]))
		}
	}
	if len(first) < 10 {
		t.Fatalf("only %d files are found to be loaded", len(first))
	}
	return first
}

// fullPage returns the page of a project with all the versions, jobs and files that one
// shows, as a browser gets it.
func fullPage(t *testing.T) []byte {
	t.Helper()
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var space contract.Workspace
	var past contract.Revisions
	for i := range 200 {
		at := begin.Add(time.Duration(i*i) * time.Second)
		name := fmt.Sprintf("src/part%d/%s.js", i%10, rand.Text()[:8])
		space.Files = append(space.Files, contract.WorkspaceFile{Path: name, Bytes: int64(i * i), SHA256: rand.Text()})
		past.Revisions = append(past.Revisions, contract.Revision{ID: 200 - i, Kind: "authored", Author: contract.AuthorUser, Message: "Saved " + name, Time: at})
	}
	space.Head = 200
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case contract.PathWorkspace:
			_ = json.NewEncoder(w).Encode(space)
		case contract.PathRevisions:
			_ = json.NewEncoder(w).Encode(past)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	for i := range 50 {
		job := api.Job{JobID: mint.NewJobID(begin.Add(time.Duration(i*i) * time.Minute)), Status: api.JobCompleted, CreatedAt: begin, TIKSpent: api.TIK(i * 12_345)}
		job.Progress.Message = "A game of " + rand.Text()
		o.sidecar.jobs = append(o.sidecar.jobs, sidecar.Job{Job: job, Settled: true})
	}
	r := httptest.NewRequest(http.MethodGet, "http://x"+site.StudioPath+o.at(""), nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	who := site.Studio{KeyID: "key_1", UserID: "alice", Preview: "https://preview.example.com/" + rand.Text()}
	if err := o.Serve(w, r, who); err != nil {
		t.Fatal(err)
	}
	packed := slices.Clone(w.Body.Bytes())
	plain, err := gzip.NewReader(w.Body)
	if err != nil || w.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("the page is not packed: %v", err)
	}
	page, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]int{`class="tree"`: 1, "/zip?rev=": 201, "/console/jobs/": 50} {
		if got := bytes.Count(page, []byte(list)); got != want {
			t.Errorf("the page has %d of %s, want %d", got, list, want)
		}
	}
	t.Logf("a full page has %d bytes, %d packed", len(page), len(packed))
	return packed
}

// TestAPageIsNotPackedWithWhatItsAddressSays: whoever can see its size, and have it opened
// with guesses, would learn what else is on it.
func TestAPageIsNotPackedWithWhatItsAddressSays(t *testing.T) {
	o := openStudio(t, emptyGame)
	for path, want := range map[string]string{"": "gzip", "?prompt=guess": "", "?file=guess": ""} {
		r := httptest.NewRequest(http.MethodGet, "http://x"+site.StudioPath+o.at(path), nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		if err := o.Serve(w, r, site.Studio{KeyID: "key_1", UserID: "alice"}); err != nil {
			t.Fatal(err)
		}
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q is packed with %q, want %q", path, got, want)
		}
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
