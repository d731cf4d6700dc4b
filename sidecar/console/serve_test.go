package console_test

import (
	"net/http"
	"net/http/httptest"
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
