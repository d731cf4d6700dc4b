package studio

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
)

func TestALockIsSetEndedAndRefusedWithAReason(t *testing.T) {
	var asked []string
	answer := http.StatusOK
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != contract.PathLock {
			emptyGame(w, r)
			return
		}
		asked = append(asked, r.Method+" "+r.URL.Query().Get("path"))
		w.WriteHeader(answer)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "No more files can be locked."})
	})
	for _, lock := range []string{"yes", ""} {
		if res, page := o.send(o.at("/lock"), url.Values{"path": {"src/a&b.js"}, "lock": {lock}}); res.StatusCode != http.StatusSeeOther || !strings.Contains(res.Header.Get("Location"), "src%2Fa%26b.js#code") {
			t.Errorf("%q: %d %s", lock, res.StatusCode, page)
		}
	}
	if want := []string{"PUT src/a&b.js", "DELETE src/a&b.js"}; !slices.Equal(asked, want) {
		t.Errorf("the engine is asked to %q", asked)
	}
	answer = http.StatusConflict
	if res, page := o.send(o.at("/lock"), url.Values{"path": {"src/a.js"}, "lock": {"yes"}}); res.StatusCode != answer || !strings.Contains(page, "No more files can be locked.") {
		t.Errorf("refused: %d %s", res.StatusCode, page)
	}
	if res, _ := o.send(o.at("/lock"), url.Values{"path": {"../a.js"}, "lock": {"yes"}}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a path out of the game: %d", res.StatusCode)
	}
}
