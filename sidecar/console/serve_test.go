package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

func TestPreviewAsksForTheFilesOfItsJobOnly(t *testing.T) {
	d := open(t, site.Options{})
	handler, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	job := d.estate("alice").jobID
	code, err := d.side.Sessions().NewPreview(t.Context(), "alice", job)
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) (int, site.Serve) {
		w := httptest.NewRecorder()
		handler.Preview().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		asked, _ := site.TakeServe(w.Header())
		return w.Code, asked
	}
	for path, want := range map[string]string{
		"index.html": "index.html", "assets/a%20b%0Ac.png": "assets/a b\nc.png", "%E2%9C%93.png": "✓.png", "": "",
	} {
		if status, asked := get("/" + code + "/" + path); status != http.StatusOK || asked != (site.Serve{What: site.ServePreview, JobID: job, Path: want}) {
			t.Errorf("%q: %d, asked for %+v", path, status, asked)
		}
	}
	if status, asked := get("/" + d.link("alice") + "/index.html"); status != http.StatusNotFound || asked != (site.Serve{}) {
		t.Errorf("a code for signing in: %d, asked for %+v", status, asked)
	}
	d.pass(sessions.PreviewTTL)
	if status, asked := get("/" + code + "/index.html"); status != http.StatusNotFound || asked != (site.Serve{}) {
		t.Errorf("an old code: %d, asked for %+v", status, asked)
	}
}

func TestThePreviewOfAProjectLastsAsLongAsItsPageIsUsed(t *testing.T) {
	const origin = "https://preview.example.com"
	d := open(t, site.Options{Preview: func(*http.Request) string { return origin }})
	at := "/console/studio/" + d.estate("alice").projectID
	alice := d.as("alice")
	asked, _ := site.TakeServe(alice.get(at).header)
	code, found := strings.CutPrefix(asked.Studio.Preview, origin)
	if !found {
		t.Fatalf("the page is asked for as %+v", asked)
	}
	for range 4 {
		d.pass(2 * sessions.PreviewTTL / 3)
		alice.do(http.MethodPost, at+"/file", url.Values{}, "Accept", "application/json")
		if _, ok := d.previewed(code + "/now/index.html"); !ok {
			t.Fatal("the preview is over, and its page in use")
		}
	}
	d.pass(sessions.PreviewTTL)
	if _, ok := d.previewed(code + "/now/index.html"); ok {
		t.Error("the preview outlasts the use of its page")
	}
}
