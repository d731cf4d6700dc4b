package studio

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
)

// TestAPlayIsKeptOnlyIfItHolds: what a game says of it is hostile, and of that only what a
// check has is kept.
func TestAPlayIsKeptOnlyIfItHolds(t *testing.T) {
	const play = `{"seed": 7, "frames": 60, "inputs": [{"at": 1, "down": true}], "expect": {"started": 1}, "kind": "x", "more": "<script>"}`
	for name, c := range map[string]struct {
		name, play, against string
		there               bool // a file of that name
		status              int
		says                string
	}{
		"it holds":              {"My  first/../play", play, "", false, http.StatusOK, `"path":"checks/my-first-..-play.json"`},
		"it does not":           {"a", play, "The check: score is 1.", false, http.StatusUnprocessableEntity, "it did not hold. The check: score is 1."},
		"the name is taken":     {"a", play, "", true, http.StatusPreconditionFailed, "There is a check of this name already"},
		"the name says nothing": {"../", play, "", false, http.StatusBadRequest, "has letters or digits"},
		"nothing was played":    {"a", `{"inputs": [], "expect": {}}`, "", false, http.StatusBadRequest, "Play the game first"},
		"no JSON":               {"a", `<`, "", false, http.StatusBadRequest, "Play the game first"},
	} {
		saved := ""
		o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.URL.Path == contract.PathPlay:
				_ = json.NewEncoder(w).Encode(contract.Played{Against: c.against})
			case r.Header.Get("If-None-Match") != "*":
				t.Errorf("%s: %s %s may replace a file", name, r.Method, r.URL)
			case c.there:
				w.WriteHeader(http.StatusPreconditionFailed)
			default:
				saved = string(body)
				_ = json.NewEncoder(w).Encode(contract.Saved{Head: 2, Problems: []contract.Problem{}})
			}
		})
		res, said := o.send(o.at("/plays"), url.Values{"name": {c.name}, "play": {c.play}})
		if res.StatusCode != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s: %d %s", name, res.StatusCode, said)
		}
		if (saved != "") != (c.status == http.StatusOK) || strings.Contains(saved, "script") {
			t.Errorf("%s: what is saved is %q", name, saved)
		}
	}
}
