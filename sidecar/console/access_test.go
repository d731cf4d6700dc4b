package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// estate is what a user has: a key, a project and a job of it.
type estate struct {
	keyID, projectID, jobID string
}

func (d *desk) estate(userID string) estate {
	d.t.Helper()
	ctx := context.Background()
	key, err := d.side.Keys().Create(ctx, "test", userID, userID+"'s key", policy.Limits{})
	if err != nil {
		d.t.Fatal(err)
	}
	project, err := d.side.CreateProject(ctx, userID, api.ProjectRequest{Name: userID + "'s project", Template: "blank"})
	if err != nil {
		d.t.Fatal(err)
	}
	job := mint.NewJobID(d.now())
	if _, err := d.side.Reserve(ctx, sidecar.Reservation{JobID: job, KeyID: key.ID, ProjectID: project.ID}); err != nil {
		d.t.Fatal(err)
	}
	if err := d.side.Commit(ctx, job); err != nil {
		d.t.Fatal(err)
	}
	return estate{key.ID, project.ID, job}
}

// routes are all pages and forms, with the ids of an estate.
func (e estate) routes() (pages, forms []string) {
	pages = []string{
		"/console/keys", "/console/keys/new", "/console/usage", "/console/usage.csv", "/console/statement",
		"/console/statement.csv", "/console/projects", "/console/audit",
	}
	return append(pages, e.pages()...), append([]string{"/console/keys", "/console/logout", "/console/logout-everywhere"}, e.forms()...)
}

func (e estate) pages() []string {
	key := "/console/keys/" + e.keyID
	return []string{
		key, key + "/disable", key + "/enable", key + "/revoke", "/console/projects/" + e.projectID,
		"/console/jobs/" + e.jobID, "/console/jobs/" + e.jobID + "/events", "/console/jobs/" + e.jobID + "/files",
		"/console/projects/" + e.projectID + "/analytics/overview", "/console/projects/" + e.projectID + "/analytics/live",
		"/console/projects/" + e.projectID + "/analytics/engagement", "/console/projects/" + e.projectID + "/analytics/retention",
		"/console/projects/" + e.projectID + "/analytics/funnels", "/console/projects/" + e.projectID + "/analytics/events",
		"/console/projects/" + e.projectID + "/analytics/costs?format=csv",
		"/console/projects/" + e.projectID + "/analytics/board", "/console/projects/" + e.projectID + "/analytics/experiments",
		"/console/projects/" + e.projectID + "/webhook", "/console/projects/" + e.projectID + "/webhook?state=dead",
	}
}

func (e estate) forms() []string {
	key := "/console/keys/" + e.keyID
	return []string{
		key + "/name", key + "/limits", key + "/disable", key + "/enable", key + "/revoke",
		"/console/projects/" + e.projectID + "/attributes",
		"/console/projects/" + e.projectID + "/publish", "/console/projects/" + e.projectID + "/unpublish",
		"/console/projects/" + e.projectID + "/game", "/console/projects/" + e.projectID + "/game-key",
		"/console/projects/" + e.projectID + "/board", "/console/projects/" + e.projectID + "/rewards",
		"/console/projects/" + e.projectID + "/experiments", "/console/projects/" + e.projectID + "/experiment",
		"/console/projects/" + e.projectID + "/webhook",
	}
}

func TestNothingIsSeenOrDoneWithoutSigningIn(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	before := d.key(e.keyID)
	pages, forms := e.routes()
	for _, path := range pages {
		if p := d.browser().get(path); p.path != "/console/login" {
			t.Errorf("GET %s: at %s", path, p.path)
		}
	}
	for _, path := range forms {
		if p := d.browser().send(path, url.Values{"name": {"x"}, "version": {"1"}}); p.status != http.StatusUnauthorized || !p.has("Your session has ended") {
			t.Errorf("POST %s: %d", path, p.status)
		}
	}
	if now := d.key(e.keyID); now.Version != before.Version {
		t.Errorf("the key is %+v", now)
	}
}

func TestFormThatCameAfterItsSessionLeadsBackToItsPage(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	at := "/console/keys/" + e.keyID
	for referer, next := range map[string]string{
		d.http.URL + at:                      `name="next" value="` + at + `"`,
		"https://elsewhere.example/console/": `name="next" value=""`,
		"":                                   `name="next" value=""`,
	} {
		p := d.browser().do(http.MethodPost, at+"/name", url.Values{"name": {"x"}}, "Referer", referer)
		if p.status != http.StatusUnauthorized || !p.has(next) {
			t.Errorf("from %q: status %d, want %s", referer, p.status, next)
		}
	}
}

func TestAddressOfAFormThatWasRefusedLeadsToItsPage(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	for _, path := range []string{"/console/keys/" + e.keyID, "/console/projects/" + e.projectID} {
		forms := []string{"/name", "/limits"}
		if strings.Contains(path, "projects") {
			forms = []string{"/attributes"}
		}
		for _, form := range forms {
			if p := alice.get(path + form); p.status != http.StatusOK || p.path != path {
				t.Errorf("%s: status %d at %s", path+form, p.status, p.path)
			}
		}
	}
}

func TestUserSeesAndChangesOnlyTheirOwn(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	before := d.key(e.keyID)
	bob := d.as("bob")
	for _, path := range e.pages() {
		unknown := strings.NewReplacer(e.keyID, "key_0", e.projectID, "000000000000000000000000", e.jobID, "job_0").Replace(path)
		got, want := bob.get(path), bob.get(unknown)
		if got.status != http.StatusNotFound || got.body != want.body {
			t.Errorf("GET %s: %d, and what is not there %d", path, got.status, want.status)
		}
		if header := got.header.Get(site.ServeHeader); header != "" {
			t.Errorf("GET %s asks the gateway to serve %q", path, header)
		}
	}
	for _, path := range e.forms() {
		if p := bob.send(path, url.Values{"name": {"mine"}, "version": {"1"}, "jobsPerDay": {"0"}}); p.status != http.StatusNotFound {
			t.Errorf("POST %s: %d", path, p.status)
		}
	}
	if now := d.key(e.keyID); now.Version != before.Version || now.State != before.State || now.Name != before.Name {
		t.Errorf("the key is %+v", now)
	}
	for _, path := range []string{"/console/keys", "/console/usage", "/console/usage.csv", "/console/statement.csv", "/console/projects", "/console/audit"} {
		if p := bob.get(path); p.status != http.StatusOK || p.has("alice") || p.has(e.keyID) {
			t.Errorf("%s shows what is alice's", path)
		}
	}
}

func TestOwnerIsServed(t *testing.T) {
	d := open(t, site.Options{Preview: func(*http.Request) string { return "https://preview.example.com" }})
	e := d.estate("alice")
	alice := d.as("alice")
	pages, _ := e.routes()
	for _, path := range pages {
		p := alice.get(path)
		if want := map[bool]int{true: http.StatusConflict, false: http.StatusOK}[strings.HasSuffix(path, "/files")]; p.status != want {
			t.Errorf("%s: %d, want %d", path, p.status, want)
		}
	}
	asked, ok := site.TakeServe(alice.get("/console/jobs/" + e.jobID + "/events").header)
	if session := asked.Session; !ok || session == "" || asked != (site.Serve{What: site.ServeEvents, JobID: e.jobID, Session: session}) {
		t.Errorf("the gateway is asked for %+v", asked)
	}
}

func TestEventsAreServedForTheSessionThatAskedForThem(t *testing.T) {
	d := open(t, site.Options{Idle: 10 * time.Minute})
	e := d.estate("alice")
	mine, err := d.side.Console(site.Options{Idle: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	one, two := d.as("alice"), d.as("alice")
	session := func(b *browser) string {
		t.Helper()
		asked, _ := site.TakeServe(b.get("/console/jobs/" + e.jobID + "/events").header)
		return asked.Session
	}
	ended := func(name string) bool {
		t.Helper()
		over, err := mine.Ended(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return over
	}
	first, second := session(one), session(two)
	if ended(first) || ended(second) {
		t.Error("a session that goes on has ended")
	}
	one.send("/console/logout", nil)
	if !ended(first) || ended(second) {
		t.Errorf("after one has signed out: ended %t, the other %t", ended(first), ended(second))
	}
	d.pass(11 * time.Minute)
	if !ended(second) {
		t.Error("a session goes on after the idle time of its console")
	}
}

func TestEveryAnswerHasTheHeadersThatKeepItSafe(t *testing.T) {
	d := open(t, site.Options{Preview: func(*http.Request) string { return "https://preview.example.com" }})
	e := d.estate("alice")
	pages, _ := e.routes()
	alice := d.as("alice")
	for _, path := range append(pages, "/console/login", "/console/nothing", "/console/static/nothing") {
		h := alice.get(path).header
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "form-action 'self'", "frame-src https://preview.example.com;"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the content policy %q has no %s", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the content policy is %q", path, csp)
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestFormFromAnotherSiteIsRefused(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	for name, header := range map[string][]string{
		"another site":              {"Sec-Fetch-Site", "cross-site"},
		"another port":              {"Sec-Fetch-Site", "same-site"},
		"another origin, no fetch":  {"Sec-Fetch-Site", "", "Origin", "https://evil.example.com"},
		"a sandboxed frame's form":  {"Sec-Fetch-Site", "cross-site", "Origin", "null"},
		"no fetch metadata, a null": {"Sec-Fetch-Site", "", "Origin", "null"},
	} {
		p := alice.do(http.MethodPost, "/console/keys/"+e.keyID+"/revoke", nil, header...)
		if p.status != http.StatusForbidden {
			t.Errorf("%s: %d", name, p.status)
		}
	}
	if now := d.key(e.keyID); now.State != policy.KeyActive {
		t.Errorf("the key is %s", now.State)
	}
}

func TestPageHasNoScriptOrStyleOfItsOwn(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	pages, _ := e.routes()
	alice := d.as("alice")
	for _, path := range pages {
		p := alice.get(path)
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, part := range []string{"<style", "style=", " onclick", " onload", "javascript:", "<script>"} {
			if p.has(part) {
				t.Errorf("%s has %s", path, part)
			}
		}
	}
}

func TestUsageIsShownAndDownloaded(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	if p := alice.get("/console/keys/" + e.keyID); !p.has("1 job and 0 TIK in the last 30 days") || !p.has("<td>2026-11-20</td><td class=\"num\">1</td>") {
		t.Error("the key's page does not show the job")
	}
	if p := alice.get("/console/usage.csv"); p.body != "date,key,name,jobs,tik\n2026-11-20,"+e.keyID+",alice's key,1,0\n" {
		t.Errorf("CSV\n%s", p.body)
	}
	if p := alice.get("/console/statement.csv"); !p.has(",credit,5,5,") {
		t.Errorf("statement\n%s", p.body)
	}
	d.pass(31 * 24 * time.Hour)
	if p := d.as("alice").get("/console/keys/" + e.keyID); !p.has("0 jobs and 0 TIK in the last 30 days") {
		t.Error("the plot shows what is older than it")
	}
}

func TestSuspendedUserSeesAndDoesNothing(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice, bob := d.as("alice"), d.as("bob")
	if _, err := d.side.Keys().Suspend(t.Context(), "test", "alice"); err != nil {
		t.Fatal(err)
	}
	pages, _ := e.routes()
	for _, path := range pages {
		if p := alice.get(path); p.status != http.StatusForbidden || !p.has("This user is suspended.") {
			t.Errorf("GET %s: %d", path, p.status)
		}
	}
	for _, path := range append(e.forms(), "/console/keys") {
		if p := alice.send(path, url.Values{"name": {"x"}, "version": {"1"}}); p.status != http.StatusForbidden {
			t.Errorf("POST %s: %d", path, p.status)
		}
	}
	link, err := d.side.Sessions().NewLink(t.Context(), "test", "alice")
	if err != nil {
		t.Fatal(err)
	}
	if p := d.browser().send("/console/login", url.Values{"code": {link.Code}}); p.status != http.StatusForbidden || !p.has("This user is suspended.") {
		t.Errorf("signing in: %d", p.status)
	}
	if p := bob.get("/console/keys"); p.status != http.StatusOK {
		t.Errorf("another user: %d", p.status)
	}
	if _, err := d.side.Keys().Resume(t.Context(), "test", "alice"); err != nil {
		t.Fatal(err)
	}
	if p := alice.get("/console/keys/" + e.keyID); p.status != http.StatusOK {
		t.Errorf("resumed: %d", p.status)
	}
}
