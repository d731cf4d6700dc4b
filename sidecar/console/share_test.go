package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

var shareLink = regexp.MustCompile(`value="https://preview\.example\.com(/[^"]+)/7/index\.html"`)

func TestAShareShowsOneVersionUntilItEnds(t *testing.T) {
	d := open(t, site.Options{Preview: func(*http.Request) string { return "https://preview.example.com" }})
	e := d.estate("alice")
	alice := d.as("alice")
	at := "/console/studio/" + e.projectID + "/share"
	made := func(days string) string {
		t.Helper()
		p := alice.send(at, url.Values{"rev": {"7"}, "days": {days}})
		found := shareLink.FindStringSubmatch(p.body)
		if p.status != http.StatusOK || found == nil {
			t.Fatalf("sharing: %d\n%s", p.status, p.body)
		}
		return found[1]
	}
	code := made("7")
	for path, want := range map[string]string{"/7/index.html": "live", "/bridge.js": "live", "/8/index.html": "", "/now/index.html": "", "/": "", "/70/index.html": ""} {
		asked, ok := d.previewed(code + path)
		if ok != (want != "") || ok && (asked.What != want || asked.ProjectID != e.projectID || asked.Path != path[1:]) {
			t.Errorf("%s: %+v, %v", path, asked, ok)
		}
	}
	for _, form := range []url.Values{{"rev": {"7"}, "days": {"31"}}, {"rev": {"0"}, "days": {"1"}}, {"days": {"1"}}} {
		if p := alice.send(at, form); p.status != http.StatusBadRequest {
			t.Errorf("%v: %d", form, p.status)
		}
	}
	if p := d.as("bob").send(at, url.Values{"rev": {"7"}, "days": {"1"}}); p.status != http.StatusNotFound {
		t.Errorf("somebody else's project: %d", p.status)
	}
	end := regexp.MustCompile(`name="end" value="([^"]+)"`).FindStringSubmatch(alice.get(at).body)
	if end == nil {
		t.Fatal("the share is not listed")
	}
	d.as("bob").send(at, url.Values{"end": {end[1]}})
	if _, ok := d.previewed(code + "/7/index.html"); !ok {
		t.Error("somebody else ended the share")
	}
	if p := alice.send(at, url.Values{"end": {end[1]}}); p.status != http.StatusOK || !p.has("shows nothing any more") || p.has(`name="end"`) {
		t.Errorf("ending: %d\n%s", p.status, p.body)
	}
	if _, ok := d.previewed(code + "/7/index.html"); ok {
		t.Error("an ended share shows the game")
	}
	for range sessions.MaxShares {
		code = made("1")
	}
	if p := alice.send(at, url.Values{"rev": {"7"}, "days": {"1"}}); p.status != http.StatusConflict {
		t.Errorf("one share too many: %d", p.status)
	}
	d.pass(24 * time.Hour)
	if _, ok := d.previewed(code + "/7/index.html"); ok {
		t.Error("an expired share shows the game")
	}
}

// previewed returns what the gateway is asked to serve at an address of the previews.
func (d *desk) previewed(path string) (site.Serve, bool) {
	d.t.Helper()
	handler, err := d.side.Console(site.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.Preview().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return site.TakeServe(w.Result().Header)
}
