package studio

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/site"
)

// gameOf answers for an engine whose game has files, of which none is written over.
func gameOf(written *[]string, names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("path")
		switch {
		case r.URL.Path == contract.PathWorkspace:
			space := contract.Workspace{Head: 1}
			for _, name := range names {
				space.Files = append(space.Files, contract.WorkspaceFile{Path: name})
			}
			_ = json.NewEncoder(w).Encode(space)
		case r.URL.Path == contract.PathRevisions:
			_ = json.NewEncoder(w).Encode(contract.Revisions{})
		case r.Method == http.MethodPut && (slices.Contains(names, name) || r.Header.Get("If-None-Match") != "*"):
			w.WriteHeader(http.StatusPreconditionFailed)
		case r.Method == http.MethodPut:
			text, _ := io.ReadAll(r.Body)
			*written = append(*written, name+" "+strings.SplitN(string(text), "\n", 2)[0])
			_ = json.NewEncoder(w).Encode(contract.Saved{Head: 2})
		case slices.Contains(names, name):
			_, _ = w.Write([]byte(`{"v": 1, "entities": []}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}
}

func TestASceneIsBegunInA3DGameOverNothingThatIsThere(t *testing.T) {
	var written []string
	files := []string{"index.html", "lib/three.min.js"}
	for range 2 {
		o := openStudio(t, gameOf(&written, files...))
		if _, page := o.send(o.at(""), nil); !strings.Contains(page, "Begin a 3D scene") {
			t.Errorf("%v: the page begins none", files)
		}
		res, _ := o.send(o.at("/scene"), url.Values{})
		if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || !strings.Contains(to, "file=src%2Fscene.json") {
			t.Errorf("%v: %d %s", files, res.StatusCode, to)
		}
		files = append(files, "src/scene.js") // of somebody's own
	}
	if want := []string{"src/scene.js // Reads src/scene.json, which the studio's 3D view edits:", "src/scene.json {", "src/scene.json {"}; !slices.Equal(written, want) {
		t.Errorf("written: %q", written)
	}
	o := openStudio(t, gameOf(&written, "index.html"))
	if _, page := o.send(o.at(""), nil); strings.Contains(page, "Begin a 3D scene") {
		t.Error("a game without three.js begins one")
	}
}

func TestTheViewOfASceneStandsBesideTheGameAndIsNoneOfItsFiles(t *testing.T) {
	o := openStudio(t, func(http.ResponseWriter, *http.Request) { t.Error("the engine is asked") })
	for name, kind := range map[string]string{"viewport/view.html": "text/html", "viewport/view.js": "text/javascript", "viewport/scene.js": "text/javascript"} {
		w := httptest.NewRecorder()
		o.Live(w, httptest.NewRequest(http.MethodGet, "/", nil), o.sidecar.projects[0], name)
		h := w.Header()
		if w.Code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), kind) || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox allow-scripts") || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", name, w.Code, h)
		}
	}
	w := httptest.NewRecorder()
	if o.Live(w, httptest.NewRequest(http.MethodGet, "/", nil), o.sidecar.projects[0], "viewport/other.js"); w.Code != http.StatusNotFound {
		t.Errorf("another file: %d", w.Code)
	}
}

// TestASceneIsShownAboveItsTextWhereItCanBeChanged: not as it was, nor without previews.
func TestASceneIsShownAboveItsTextWhereItCanBeChanged(t *testing.T) {
	var written []string
	o := openStudio(t, gameOf(&written, "index.html", "src/scene.json"))
	for query, want := range map[string]bool{"?file=src/scene.json": true, "?file=src/scene.json&rev=1": false, "?file=index.html": false} {
		r := httptest.NewRequest(http.MethodGet, "http://x"+site.StudioPath+o.at("")+query, nil)
		for preview, want := range map[string]bool{"http://p/code": want, "": false} {
			w := httptest.NewRecorder()
			if err := o.Serve(w, r, site.Studio{KeyID: "key_1", UserID: "alice", Preview: preview}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(w.Body.String(), `data-src="`+preview+`/viewport/view.html"`); got != want {
				t.Errorf("%s with previews at %q: %t", query, preview, got)
			}
		}
	}
}
