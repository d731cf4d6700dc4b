package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/site"
)

// closing is the shipped policy, which also refuses what a test says.
type closing struct {
	policytest.Fixed
	refuses  atomic.Pointer[func(policy.Input) bool]
	revision atomic.Int64
}

func newClosing(t *testing.T) *closing { return &closing{Fixed: policytest.Embedded(t)} }

// refuse changes the policy.
func (c *closing) refuse(what func(policy.Input) bool) {
	c.refuses.Store(&what)
	c.revision.Add(1)
}

func (c *closing) Revision() string { return strconv.FormatInt(c.revision.Load(), 10) }

func (c *closing) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	if what := c.refuses.Load(); what != nil && (*what)(in) {
		return policy.Decision{Status: http.StatusForbidden, Error: "Closed by a rule.", Rule: "test.closed"}, nil
	}
	return c.Fixed.Decide(ctx, in)
}

func doing(actions ...policy.Action) func(policy.Input) bool {
	return func(in policy.Input) bool { return slices.Contains(actions, in.Action) }
}

func TestWhatThePolicyForbidsTheConsoleRefuses(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	e := d.estate("alice")
	alice := d.as("alice")
	job, key, project := "/console/jobs/"+e.jobID, "/console/keys/"+e.keyID, "/console/projects/"+e.projectID
	for _, tc := range []struct {
		action         policy.Action
		method, path   string
		allowed, after int
	}{
		{policy.ActionReadConsole, "GET", "/console/usage", 200, 403},
		{policy.ActionReadConsole, "GET", "/console/keys", 200, 403},
		{policy.ActionReadConsole, "GET", "/console/statement.csv", 200, 403},
		{policy.ActionReadKeys, "GET", "/console/keys", 200, 403},
		{policy.ActionReadKeys, "GET", key, 200, 403},
		{policy.ActionReadKeys, "GET", "/console/usage", 200, 403},
		{policy.ActionReadKeys, "GET", "/console/usage.csv", 200, 403},
		{policy.ActionReadKeys, "GET", "/console/statement", 200, 403},
		{policy.ActionReadKeys, "GET", "/console/statement.csv", 200, 403},
		{policy.ActionReadKeys, "GET", "/console/audit", 200, 403},
		{policy.ActionCreateKey, "GET", "/console/keys/new", 200, 403},
		{policy.ActionCreateKey, "POST", "/console/keys", 422, 403},
		{policy.ActionChangeKey, "POST", key + "/name", 422, 403},
		{policy.ActionChangeKey, "GET", key + "/revoke", 200, 403},
		{policy.ActionListProjects, "GET", "/console/projects", 200, 403},
		{policy.ActionGetProject, "GET", project, 200, 404},
		{policy.ActionSetAttributes, "POST", project + "/attributes", 422, 403},
		{policy.ActionGetProject, "GET", "/console/projects/" + e.projectID + "/share", 200, 404},
		{policy.ActionPublish, "POST", "/console/projects/" + e.projectID + "/share", 409, 403},
		{policy.ActionGetProject, "GET", project + "/webhook", 200, 404},
		{policy.ActionReadWebhooks, "GET", project + "/webhook", 200, 403},
		{policy.ActionWriteWebhooks, "POST", project + "/webhook", 404, 403},
		{policy.ActionStatus, "GET", job, 200, 403},
		{policy.ActionEvents, "GET", job + "/events", 200, 403},
		{policy.ActionFiles, "GET", job + "/files", 409, 403},
	} {
		rules.refuse(doing())
		if p := alice.do(tc.method, tc.path, url.Values{}); p.status != tc.allowed {
			t.Errorf("%s %s: %d, want %d\n%s", tc.method, tc.path, p.status, tc.allowed, p.body)
		}
		rules.refuse(doing(tc.action))
		p := alice.do(tc.method, tc.path, url.Values{})
		if p.status != tc.after || p.header.Get(site.ServeHeader) != "" {
			t.Errorf("%s %s without %s: %d, want %d", tc.method, tc.path, tc.action, p.status, tc.after)
		}
		if tc.after == 403 && !p.has("Closed by a rule.") {
			t.Errorf("%s %s without %s does not say what the policy says:\n%s", tc.method, tc.path, tc.action, p.body)
		}
	}
}

// TestStudioIsNotOpenedWithAKeyThatMayNotBeMade: its key is made when it is first opened.
func TestStudioIsNotOpenedWithAKeyThatMayNotBeMade(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	alice := d.as("alice")
	opened := func() bool {
		p := alice.get("/console/studio")
		return p.header.Get(site.ServeHeader) != ""
	}
	rules.refuse(doing(policy.ActionCreateKey))
	if p := alice.get("/console/studio"); p.status != http.StatusForbidden || !p.has("Closed by a rule.") || opened() {
		t.Errorf("without keys.create: %d\n%s", p.status, p.body)
	}
	if key, err := d.side.Keys().Studio(t.Context(), "alice"); key != "" || err != nil {
		t.Errorf("there is the key %q, %v", key, err)
	}
	rules.refuse(doing())
	if !opened() {
		t.Error("the studio does not open")
	}
	rules.refuse(doing(policy.ActionCreateKey))
	if !opened() {
		t.Error("a studio that has its key does not open")
	}
}

// TestPagesOfProjectsNameNoKeysThatMayNotBeSeen: the page of a job says which key made it.
func TestPagesOfProjectsNameNoKeysThatMayNotBeSeen(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	e := d.estate("alice")
	alice := d.as("alice")
	for _, path := range []string{"/console/jobs/" + e.jobID, "/console/projects/" + e.projectID} {
		rules.refuse(doing())
		if p := alice.get(path); p.has("not shown") {
			t.Errorf("%s names no key", path)
		}
		rules.refuse(doing(policy.ActionReadKeys))
		if p := alice.get(path); p.status != http.StatusOK || !p.has("not shown") {
			t.Errorf("%s without keys.read: %d\n%s", path, p.status, p.body)
		}
	}
}

func TestListOfProjectsHasThoseThatThePolicyShows(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	hidden, shown := d.estate("alice").projectID, d.estate("alice").projectID
	rules.refuse(func(in policy.Input) bool { return in.Project != nil && in.Project.ID == hidden })
	if p := d.as("alice").get("/console/projects"); p.has(hidden) || !p.has(shown) {
		t.Errorf("%d\n%s", p.status, p.body)
	}
}

// TestAListIsCountedInTheLogAndNotRecordedForEachProject: a page of one request has up to a
// hundred.
func TestAListIsCountedInTheLogAndNotRecordedForEachProject(t *testing.T) {
	rules := &noting{closing: newClosing(t)}
	d := openBy(t, site.Options{}, rules)
	d.estate("alice")
	d.estate("alice")
	alice := d.as("alice")
	rules.made, rules.single = 0, 0
	if p := alice.get("/console/projects"); p.status != http.StatusOK || rules.made != 2 || rules.single != 0 {
		t.Errorf("%d after %d decisions on projects, %d of them recorded each", p.status, rules.made, rules.single)
	}
}

func TestUserWhomThePolicyRefusesDoesNotSignIn(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	link := d.link("alice")
	rules.refuse(func(in policy.Input) bool { return in.User != nil && in.User.ID == "alice" })
	b := d.browser()
	if p := b.send("/console/login", url.Values{"code": {link}}); p.status != http.StatusForbidden || !p.has("Closed by a rule.") {
		t.Errorf("signing in: %d\n%s", p.status, p.body)
	}
	rules.refuse(doing())
	if p := b.send("/console/login", url.Values{"code": {link}}); p.path != "/console/studio" {
		t.Errorf("the link is used up: %d at %s", p.status, p.path)
	}
}

func TestPreviewEndsWithThePermission(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	handler, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	job := d.estate("alice").jobID
	for user, want := range map[string]int{"alice": http.StatusOK, "bob": http.StatusForbidden} {
		code, err := d.side.Sessions().NewPreview(t.Context(), user, job)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{want, http.StatusForbidden} {
			w := httptest.NewRecorder()
			handler.Preview().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+code+"/index.html", nil))
			if _, asked := site.TakeServe(w.Header()); w.Code != want || asked != (want == http.StatusOK) {
				t.Errorf("%s: %d, want %d", user, w.Code, want)
			}
			rules.refuse(doing(policy.ActionPreview))
		}
		rules.refuse(doing())
	}
}

// timed is a policy whose decisions depend on the time.
type timed struct{ *closing }

func (p timed) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	d, err := p.closing.Decide(ctx, in)
	d.Reads = policy.ReadsTime
	return d, err
}

func TestStreamEndsWithinFiveSecondsOfTheTimeThatThePolicySets(t *testing.T) {
	rules := timed{newClosing(t)}
	d := openBy(t, site.Options{}, rules)
	console, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := d.estate("alice")
	serve, ok := site.TakeServe(d.as("alice").get("/console/jobs/" + e.jobID + "/events").header)
	if !ok {
		t.Fatal("no stream is asked for")
	}
	if ended, err := console.Ended(t.Context(), serve.Session); ended || err != nil {
		t.Fatalf("ended at once: %t, %v", ended, err)
	}
	closed := doing(policy.ActionEvents)
	rules.refuses.Store(&closed) // by the time: what decisions rest on is the same
	d.pass(5 * time.Second)
	if ended, err := console.Ended(t.Context(), serve.Session); !ended || err != nil {
		t.Errorf("five seconds later: ended %t, %v", ended, err)
	}
}

func TestStreamEndsWhenThePolicyForbidsIt(t *testing.T) {
	rules := newClosing(t)
	d := openBy(t, site.Options{}, rules)
	console, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := d.estate("alice")
	asked := d.as("alice").get("/console/jobs/" + e.jobID + "/events")
	serve, ok := site.TakeServe(asked.header)
	if !ok || serve.What != site.ServeEvents {
		t.Fatalf("asked for %+v", serve)
	}
	ended := func(want bool) {
		t.Helper()
		if got, err := console.Ended(t.Context(), serve.Session); err != nil || got != want {
			t.Errorf("ended: %t, %v, want %t", got, err, want)
		}
	}
	ended(false)
	rules.refuse(doing(policy.ActionFiles))
	ended(false)
	for _, action := range []policy.Action{policy.ActionEvents, policy.ActionGetProject, policy.ActionReadConsole} {
		rules.refuse(doing(action))
		ended(true)
		rules.refuse(doing())
		ended(false)
	}
	d.storeSQL("DELETE FROM sessions")
	ended(true)
}
