package play

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
)

const asJSON = "application/json"

func TestBlockedGameIsNotFoundByPlayers(t *testing.T) {
	r := newRig(t)
	r.blocked.Store(true)
	for _, path := range []string{"/play/" + game, "/play/" + game + "/host.js"} {
		if w := r.answer(r.Pages(), "GET", path, ""); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "harmful") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := r.answer(r.Games(), "GET", "/f/"+game+"/"+job+"/index.html", ""); w.Code != http.StatusNotFound {
		t.Errorf("a file: %d", w.Code)
	}
}

func TestPlayerReportsAGameUnderTheNameForItAlone(t *testing.T) {
	r := newRig(t)
	page := r.answer(r.Pages(), "GET", "/play/"+game, "")
	cookie, player := page.Result().Cookies()[0], r.identity(page).Player
	path := "/play/" + game + "/report"
	for name, tc := range map[string]struct {
		kind, body string
		status     int
	}{
		"a form of another page": {"application/x-www-form-urlencoded", "reason=broken", http.StatusUnsupportedMediaType},
		"text":                   {"text/plain", `{"reason":"broken"}`, http.StatusUnsupportedMediaType},
		"no report":              {asJSON, `[]`, http.StatusBadRequest},
		"endless":                {asJSON, `{"reason":"` + strings.Repeat("x", maxAsk) + `"}`, http.StatusBadRequest},
	} {
		if w := r.answer(r.Pages(), "POST", path, tc.body, "Content-Type", tc.kind); w.Code != tc.status {
			t.Errorf("%s: %d, want %d", name, w.Code, tc.status)
		}
	}
	w := r.answer(r.Pages(), "POST", path, `{"reason":"broken"}`, "Content-Type", asJSON, "Cookie", cookie.Name+"="+cookie.Value)
	if want := fmt.Sprintf("[%s %s broken]", game, player); w.Code != http.StatusNoContent || fmt.Sprint(r.reports) != want {
		t.Errorf("%d, noted %v, want %s", w.Code, r.reports, want)
	}
	for range maxAsked {
		w = r.answer(r.Pages(), "POST", path, `{"reason":"broken"}`, "Content-Type", asJSON)
	}
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("the eleventh in a minute: %d", w.Code)
	}
}

func TestPlayerIsForgottenWhoAsksForIt(t *testing.T) {
	r := newRig(t)
	page := r.answer(r.Pages(), "GET", "/play/"+game, "")
	cookie, id := page.Result().Cookies()[0], r.identity(page)
	if w := r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start", `"t":"`+id.Token+`"`)); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if c := r.counts(); c.Players != 1 {
		t.Fatalf("counted %+v", c)
	}
	forget := func(headers ...string) {
		t.Helper()
		w := r.answer(r.Pages(), "POST", "/play/"+game+"/forget", "{}", append(headers, "Content-Type", asJSON)...)
		if w.Code != http.StatusNoContent {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	forget() // somebody else
	if c := r.counts(); c.Players != 1 {
		t.Errorf("counted %+v", c)
	}
	forget("Cookie", cookie.Name+"="+cookie.Value)
	if c := r.counts(); c.Players != 0 || c.Plays != 1 {
		t.Errorf("counted %+v", c)
	}
	for _, later := range []struct {
		stream  string
		after   time.Duration
		players int64
	}{{stream, 0, 0}, {strings.Repeat("b", 32), forgottenTime, 1}} {
		r.now = r.now.Add(later.after)
		body := strings.Replace(r.batchOf(2, "start", `"t":"`+id.Token+`"`), stream, later.stream, 1)
		if w := r.answer(r.Games(), "POST", play.PathBatch, body); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if c := r.counts(); c.Players != later.players {
			t.Errorf("after %v what was sent before is counted %+v", later.after, c)
		}
	}
}
