package play

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/site"
)

func cookies(w *httptest.ResponseRecorder) (header string) {
	var all []string
	for _, c := range w.Result().Cookies() {
		if c.MaxAge >= 0 {
			all = append(all, c.Name+"="+c.Value)
		}
	}
	return strings.Join(all, "; ")
}

func TestPlayerWhoIsAskedIsNamedAfterAYesAlone(t *testing.T) {
	r := newRig(t)
	page := func(headers ...string) (*httptest.ResponseRecorder, play.Identity) {
		t.Helper()
		w := r.answer(r.Pages(), "GET", "/play/"+game, "", headers...)
		return w, r.identity(w)
	}
	if w, id := page(); id.Consent != "" || id.Player == "" || strings.Contains(w.Body.String(), `id="consent"`) {
		t.Errorf("of a game that does not ask: %+v", id)
	}
	r.ask.Store(true)
	w, id := page()
	if id.Consent != play.ConsentPending || id.Player != "" || cookies(w) != "" || !strings.Contains(w.Body.String(), `id="consent"`) {
		t.Errorf("before an answer: %+v, cookies %q", id, cookies(w))
	}
	answer := func(given bool, headers ...string) (string, play.Identity) {
		t.Helper()
		w := r.answer(r.Pages(), "POST", "/play/"+game+"/consent", fmt.Sprintf(`{"given":%t}`, given), append(headers, "Content-Type", asJSON)...)
		var said play.Identity
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return cookies(w), said
	}
	kept, said := answer(false)
	if said.Consent != play.ConsentDenied || said.Player != "" || strings.Contains(kept, "svc-player") {
		t.Errorf("after a no: %+v, cookies %q", said, kept)
	}
	if w, id := page("Cookie", kept); id.Consent != play.ConsentDenied || id.Player != "" || strings.Contains(w.Body.String(), `id="consent"`) {
		t.Errorf("who said no gets %+v", id)
	}
	kept, said = answer(true)
	if said.Consent != "" || len(said.Player) != 32 || said.Token == "" {
		t.Errorf("after a yes: %+v", said)
	}
	if _, id := page("Cookie", kept); id.Consent != "" || id.Player != said.Player {
		t.Errorf("who said yes gets %+v, want the player %s", id, said.Player)
	}
	if _, said := answer(true, "Sec-GPC", "1"); said.Player != "" || said.Consent != play.ConsentDenied {
		t.Errorf("a browser that asks for the contrary gets %+v", said)
	}
	if w := r.answer(r.Pages(), "POST", "/play/"+game+"/consent", "given=true", "Content-Type", "application/x-www-form-urlencoded"); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("a form of another page: %d", w.Code)
	}
	w = r.answer(r.Pages(), "POST", "/play/"+game+"/forget", "{}", "Content-Type", asJSON, "Cookie", kept)
	if w.Code != http.StatusNoContent || !strings.Contains(w.Header().Get("Set-Cookie"), consentCookie+"=;") {
		t.Errorf("who is forgotten is asked anew: %d %v", w.Code, w.Header())
	}
}

// TestASchoolAnswersAtOnce: it is one address.
func TestASchoolAnswersAtOnce(t *testing.T) {
	r := newRig(t)
	r.ask.Store(true)
	for n := range 2 * maxAsked {
		for path, body := range map[string]string{"/consent": `{"given":true}`, "/token": "{}"} {
			if w := r.answer(r.Pages(), "POST", "/play/"+game+path, body, "Content-Type", asJSON); w.Code != http.StatusOK {
				t.Fatalf("%s of pupil %d: %d %s", path, n, w.Code, w.Body)
			}
		}
	}
}

func TestPagesThatAreNotNamedReportNothingAndFrameNothing(t *testing.T) {
	r := newRig(t)
	r.origins = []string{"https://example.com", "http://games.example.com:81"}
	for origin, want := range map[string]int{
		"https://example.com": 200, "https://EXAMPLE.com": 200, "http://games.example.com:81": 200,
		"": 403, "null": 403, "https://example.com:444": 403, "https://example.com.evil.example": 403,
	} {
		if w := r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start"), "Origin", origin); w.Code != want {
			t.Errorf("a batch from %q: %d %s, want %d", origin, w.Code, w.Body, want)
		}
		former := `{"gameId":"` + game + `","events":[{"name":"a","props":{},"session":"s","at":1}]}`
		if w := r.answer(r.Games(), "POST", play.PathFormerBatch, former, "Origin", origin, "Authorization", "Bearer "+r.key); w.Code != want {
			t.Errorf("of the former library from %q: %d, want %d", origin, w.Code, want)
		}
	}
	if w := r.answer(r.Games(), "POST", play.PathScore, r.runOf(1, "5"), "Origin", "null"); w.Code != http.StatusForbidden {
		t.Errorf("a score: %d", w.Code)
	}
	w := r.answer(r.Pages(), "GET", "/play/"+game, "")
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors https://example.com http://games.example.com:81;") {
		t.Errorf("the policy is %q", csp)
	}
	own := r.batchOf(2, "start", `"t":"`+r.identity(w).Token+`"`)
	if w := r.answer(r.Games(), "POST", play.PathBatch, own, "Origin", "null"); w.Code != http.StatusOK {
		t.Errorf("the game's own page: %d %s", w.Code, w.Body)
	}
	framed := r.answer(r.Pages(), "GET", "/play/"+game, "", "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "cross-site")
	if id := r.identity(framed); id.Player != "" || cookies(framed) != "" {
		t.Errorf("framed by another site, which keeps no cookie: %+v, cookies %q", id, cookies(framed))
	}
}

// TestPageThatStaysOpenForHalfADayGoesOnReporting has a player come back to it, which
// begins a session that is to be proven anew.
func TestPageThatStaysOpenForHalfADayGoesOnReporting(t *testing.T) {
	r := newRig(t)
	r.origins = []string{"https://example.com"}
	page := r.answer(r.Pages(), "GET", "/play/"+game, "")
	id := r.identity(page)
	r.now = r.now.Add(13 * time.Hour)
	send := func(token string) int {
		return r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start", fmt.Sprintf(`"t":%q`, token)), "Origin", "null").Code
	}
	if got := send(id.Token); got != http.StatusForbidden {
		t.Errorf("with the token of the load: %d", got)
	}
	renew := func(headers ...string) (said struct{ Token string }) {
		t.Helper()
		w := r.answer(r.Pages(), "POST", "/play/"+game+"/token", "{}", append(headers, "Content-Type", asJSON)...)
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != http.StatusOK || cookies(w) != "" {
			t.Fatalf("%d %s, cookies %q", w.Code, w.Body, cookies(w))
		}
		return said
	}
	renewed := renew("Cookie", cookies(page)).Token
	if got := send(renewed); got != http.StatusOK {
		t.Errorf("with another token: %d", got)
	}
	secrets, err := r.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	if is, ok := secrets.verify(renewed, game, r.now); !ok || is.Player != id.Player || is.Class != analytics.ClassPublic {
		t.Errorf("it proves %+v", is)
	}
	if is, ok := secrets.verify(renew().Token, game, r.now); !ok || is.Player != "" {
		t.Errorf("of a page without a cookie it proves %+v", is)
	}
}

func TestPageHasAPictureForLinks(t *testing.T) {
	r := newRig(t)
	picture := "/play/" + game + "/" + job + "/picture.jpg"
	if w := r.answer(r.Pages(), "GET", "/play/"+game, ""); !strings.Contains(w.Body.String(), `<meta property="og:image" content="http://localhost:8080`+picture+`">`) ||
		!strings.Contains(w.Body.String(), `<meta property="og:title" content="&lt;b&gt;&#34;Duck&#34;&lt;/b&gt;">`) {
		t.Errorf("the page is %s", w.Body)
	}
	w := r.answer(r.Pages(), "GET", picture, "")
	if asked, ok := site.TakeServe(w.Header()); !ok || asked != (site.Serve{What: site.ServePicture, JobID: job}) {
		t.Errorf("the picture: %+v", asked)
	}
	for _, path := range []string{
		"/play/" + game + "/job_01J0000000000000000000000B/picture.jpg", "/play/" + other + "/" + job + "/picture.jpg",
	} {
		if w := r.answer(r.Pages(), "GET", path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestOwnersTokenFreesSoManyStreamsAndNoMore(t *testing.T) {
	r := newRig(t)
	id := r.identity(r.answer(r.Pages(), "GET", "/play/"+game, "", "Test-User", "alice"))
	send := func(n int) {
		t.Helper()
		body := strings.Replace(r.batchOf(1, "start", `"t":"`+id.Token+`"`), stream, fmt.Sprintf("%032x", n), 1)
		if w := r.answer(r.Games(), "POST", play.PathBatch, body); w.Code != http.StatusOK {
			t.Fatalf("stream %d: %d %s", n, w.Code, w.Body)
		}
	}
	for n := range maxStreams {
		send(n)
	}
	if c := r.counts(); c.Sessions != 0 {
		t.Errorf("the public has %+v", c)
	}
	send(maxStreams)
	send(0) // goes on
	if c := r.counts(); c.Sessions != 1 {
		t.Errorf("past %d streams the public has %+v", maxStreams, c)
	}
}
