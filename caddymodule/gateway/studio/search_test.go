package studio

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
)

// TestASearchShowsHostileFilesAsText: their names and lines are an engine's word.
func TestASearchShowsHostileFilesAsText(t *testing.T) {
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != contract.PathSearch || r.URL.Query().Get("q") != `"><b>` {
			t.Errorf("the engine is asked for %s", r.URL)
		}
		_ = json.NewEncoder(w).Encode(contract.Found{Lines: []contract.FoundLine{{File: `src/"><b>.js`, Line: 3, Text: "<img src=x>"}}, More: true})
	})
	res, page := o.send(o.at("/search?q=%22%3E%3Cb%3E"), nil)
	for _, want := range []string{`?file=src%2F%22%3E%3Cb%3E.js&amp;line=3#code"`, `&lt;img src=x&gt;`, `value="&#34;&gt;&lt;b&gt;"`, "There are more"} {
		if !strings.Contains(page, want) {
			t.Errorf("%d: no %s in %s", res.StatusCode, want, page)
		}
	}
	if strings.Contains(page, "<b>") || strings.Contains(page, "<img") {
		t.Error(page)
	}
}

func TestASearchThatCantBeMadeSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		down   error
		want   string
	}{
		"an engine without it": {http.StatusNotFound, nil, "engine can&#39;t search its files"},
		"an engine's own no":   {http.StatusBadRequest, nil, "Not searched: "},
		"no engine":            {http.StatusOK, errDown, "Not searched: "},
	} {
		o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != contract.PathSearch {
				emptyGame(w, r)
				return
			}
			w.WriteHeader(c.status)
		})
		o.engines.submit = c.down
		if res, page := o.send(o.at("/search?q=x"), nil); res.StatusCode == http.StatusOK || !strings.Contains(page, c.want) {
			t.Errorf("%s: %d %s", name, res.StatusCode, page)
		}
	}
}
