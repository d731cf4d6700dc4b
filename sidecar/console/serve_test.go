package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
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

// noting is a policy that counts the decisions on files of previews and lists of projects.
type noting struct {
	*closing
	made, single int // decisions, and those that are recorded one by one
}

func (n *noting) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	if in.Project != nil {
		n.made++
		if !decisionlog.Repeats(ctx) {
			n.single++
		}
	}
	return n.closing.Decide(ctx, in)
}

// TestALinkThatAnyoneHasIsBoundedBeforeThePolicyDecides: of shares and of previews of jobs,
// each by itself, and what is decided on is counted in the log and not recorded each time.
func TestALinkThatAnyoneHasIsBoundedBeforeThePolicyDecides(t *testing.T) {
	const burst, rate = 1000, 100
	rules := &noting{closing: newClosing(t)}
	d := openBy(t, site.Options{}, rules)
	e := d.estate("alice")
	preview, err := d.side.Sessions().NewPreview(t.Context(), "alice", e.jobID)
	if err != nil {
		t.Fatal(err)
	}
	share, err := d.side.Sessions().NewShare(t.Context(), "alice", e.projectID, 7, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.Preview().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	for _, path := range []string{"/" + preview + "/index.html", "/" + share + "/7/index.html"} {
		rules.made, rules.single = 0, 0
		ok := 0
		for range burst + 200 {
			if w := get(path); w.Code == http.StatusOK {
				ok++
			} else if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Fatalf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
			}
		}
		if ok != burst || rules.made != burst || rules.single != 0 {
			t.Errorf("%s: %d files after %d decisions, %d of them recorded each", path, ok, rules.made, rules.single)
		}
	}
	d.pass(time.Second)
	for range 2 * rate {
		get("/" + share + "/7/index.html")
	}
	if rules.made != burst+rate {
		t.Errorf("%d decisions a second later", rules.made-burst)
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
