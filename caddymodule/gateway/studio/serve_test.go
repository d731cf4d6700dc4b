package studio

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

var errDown = errors.New("down for the test")

const testJob = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV"

// fakeSidecar has a user's projects, of which the policy withholds some.
type fakeSidecar struct {
	sidecar.Service // what no test needs panics

	projects  []string
	withheld  string
	owners    map[string]string // of those that are not the user's
	cancelErr error             // of a question about a cancellation
	awaitErr  error
	replay    func(key string) error
	jobs      []sidecar.Job
	hangs     bool // at a project
}

func (f *fakeSidecar) Decide(_ context.Context, _, projectID string, action policy.Action) (policy.Decision, error) {
	if action == policy.ActionCancel && f.cancelErr != nil {
		return policy.Decision{}, f.cancelErr
	}
	if projectID != "" && projectID == f.withheld {
		return policy.Decision{Status: http.StatusForbidden, Error: "no"}, nil
	}
	return policy.Decision{Allow: true, OwnerID: f.owners[projectID]}, nil
}

func (f *fakeSidecar) Projects(_ context.Context, _, after string, _ int) (api.ProjectList, error) {
	var list api.ProjectList
	for _, id := range f.projects {
		list.Data = append(list.Data, api.Project{ID: id, Name: "game " + id})
	}
	list.NextCursor = f.projects[len(f.projects)-1]
	return list, nil
}

func (f *fakeSidecar) Project(ctx context.Context, id string) (sidecar.Project, error) {
	if f.hangs {
		<-ctx.Done()
		return sidecar.Project{}, ctx.Err()
	}
	return sidecar.Project{Project: api.Project{ID: id, Name: "game"}, OwnerID: "alice"}, nil
}

func (f *fakeSidecar) ProjectJobs(context.Context, string, string) (sidecar.JobPage, error) {
	return sidecar.JobPage{Jobs: f.jobs}, nil
}

func (f *fakeSidecar) Job(_ context.Context, id string) (sidecar.Job, error) {
	return sidecar.Job{Job: api.Job{JobID: id, ProjectID: f.projects[0], Status: api.JobRunning}}, nil
}

func (f *fakeSidecar) AwaitEnd(context.Context, string) (sidecar.Job, error) {
	return sidecar.Job{}, f.awaitErr
}

func (f *fakeSidecar) Replay(_ context.Context, _, key, _ string) (*sidecar.Job, error) {
	return nil, f.replay(key)
}

// fakeEngines have one engine.
type fakeEngines struct {
	engineproxy.Engines

	at     string
	submit error
	cancel error
	asked  []engineproxy.Project // by submissions
}

func (f *fakeEngines) Submit(_ context.Context, p engineproxy.Project, _ time.Duration) (*engineproxy.Lease, error) {
	f.asked = append(f.asked, p)
	if f.submit != nil {
		return nil, f.submit
	}
	return &engineproxy.Lease{Endpoint: engineproxy.Endpoint{Network: "tcp", Address: f.at, InstanceID: "i"}, Release: func() {}}, nil
}

func (f *fakeEngines) Cancel(context.Context, engineproxy.Project, string) error { return f.cancel }

func (f *fakeEngines) Models(context.Context) ([]api.Model, error) { return nil, nil }

// opened is a studio with all that it asks.
type opened struct {
	*Studio
	t       *testing.T
	sidecar *fakeSidecar
	engines *fakeEngines
}

// openStudio returns the studio of a user whose engine answers so.
func openStudio(t *testing.T, engine http.HandlerFunc) *opened {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(contract.HeaderInstance, "i")
		engine(w, r)
	}))
	t.Cleanup(server.Close)
	o := &opened{
		t:       t,
		sidecar: &fakeSidecar{projects: []string{"000000000000000000000001", "000000000000000000000002"}, replay: func(string) error { return nil }},
		engines: &fakeEngines{at: server.Listener.Addr().String()},
	}
	var err error
	o.Studio, err = New(Parts{
		Sidecar: o.sidecar, Engines: o.engines, Models: &gateway.Models{Engines: o.engines, Now: time.Now}, Editor: t.TempDir(), Logger: zap.NewNop(),
		Access:   &gateway.Access{Sidecar: o.sidecar, Routes: gateway.NewRoutes()},
		Projects: &gateway.Projects{Sidecar: o.sidecar, Engines: o.engines},
		Locator:  &gateway.Locator{Sidecar: o.sidecar, Engines: o.engines, Now: time.Now},
		Answers:  new(gateway.Bodies), Rates: gateway.NewRates(rate.NewLocal[string](10, time.Now), time.Now),
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// send asks for a page, or submits a form where there is one.
func (o *opened) send(path string, form url.Values) (*http.Response, string) {
	o.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://x"+site.StudioPath+path, nil)
	if form != nil {
		r = httptest.NewRequest(http.MethodPost, "http://x"+site.StudioPath+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	if err := o.Serve(w, r, site.Studio{KeyID: "key_1", UserID: "alice"}); err != nil {
		o.t.Fatal(err)
	}
	res := w.Result()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return res, string(body)
}

func (o *opened) at(rest string) string { return "/" + o.sidecar.projects[0] + rest }

// emptyGame answers for an engine without files.
func emptyGame(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case contract.PathWorkspace:
		_ = json.NewEncoder(w).Encode(contract.Workspace{})
	case contract.PathRevisions:
		_ = json.NewEncoder(w).Encode(contract.Revisions{})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestTheListHasNoProjectThatThePolicyWithholdsAndLeadsOnInASearch(t *testing.T) {
	o := openStudio(t, emptyGame)
	o.sidecar.withheld = o.sidecar.projects[1]
	_, page := o.send("", nil)
	if !strings.Contains(page, "game "+o.sidecar.projects[0]) || strings.Contains(page, "game "+o.sidecar.projects[1]) {
		t.Error(page)
	}
	_, page = o.send("?q=none&after=x", nil)
	older := `href="/console/studio?after=` + o.sidecar.projects[1] + `&amp;q=none">Older`
	if !strings.Contains(page, "No project matches") || !strings.Contains(page, "Only this page") ||
		!strings.Contains(page, older) || !strings.Contains(page, `href="/console/studio?q=none">Newest`) {
		t.Error(page)
	}
}

// TestAnEngineIsWokenForTheOwnerOfItsProject: the policy may let others look at it.
func TestAnEngineIsWokenForTheOwnerOfItsProject(t *testing.T) {
	o := openStudio(t, emptyGame)
	own, shared := o.sidecar.projects[0], o.sidecar.projects[1]
	o.sidecar.owners = map[string]string{shared: "carol"}
	for _, c := range []struct {
		path string
		form url.Values
		want []engineproxy.Project
	}{
		{"/" + own, nil, []engineproxy.Project{{ID: own, OwnerID: "alice"}}},
		{"/" + shared, nil, []engineproxy.Project{{ID: shared, OwnerID: "carol"}}},
		{"/" + own + "/copy", url.Values{"from": {shared}, "rev": {"1"}}, []engineproxy.Project{{ID: shared, OwnerID: "carol"}, {ID: own, OwnerID: "alice"}}},
	} {
		o.engines.asked = nil
		o.send(c.path, c.form)
		if got := slices.Compact(o.engines.asked); !slices.Equal(got, c.want) {
			t.Errorf("%s wakes %+v, want %+v", c.path, got, c.want)
		}
	}
}

func TestAJobIsSaidToBeStoppedOnlyIfItIs(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*opened)
		want int
	}{
		"it ends":          {func(o *opened) { o.sidecar.awaitErr = errDown }, http.StatusSeeOther},
		"no decision":      {func(o *opened) { o.sidecar.cancelErr = errDown }, http.StatusServiceUnavailable},
		"no engine to ask": {func(o *opened) { o.engines.cancel = errDown }, http.StatusServiceUnavailable},
	} {
		o := openStudio(t, emptyGame)
		c.set(o)
		if res, page := o.send(o.at("/jobs/"+testJob+"/stop"), url.Values{}); res.StatusCode != c.want {
			t.Errorf("%s: %d %s", name, res.StatusCode, page)
		}
	}
}

func TestABriefKeepsItsNameWhileItMayBeAJobAlready(t *testing.T) {
	const once = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	name := regexp.MustCompile(`name="once" value="([A-Za-z0-9]+)"`)
	for status, kept := range map[int]bool{
		http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true, http.StatusUnprocessableEntity: false, http.StatusTooManyRequests: false,
	} {
		o := openStudio(t, emptyGame)
		seen := ""
		o.sidecar.replay = func(key string) error {
			seen = key
			return &answers.Error{Status: status, Message: "refused for the test"}
		}
		_, page := o.send(o.at("/jobs"), url.Values{"prompt": {"a fox"}, "once": {once}})
		found := name.FindStringSubmatch(page)
		if seen != once || found == nil || (found[1] == once) != kept || !strings.Contains(page, "a fox") {
			t.Errorf("%d: %q was sent, the form has %v", status, seen, found)
		}
	}
}

// TestABriefIsRefusedWithTheReason: an engine that could not start does not start by itself.
func TestABriefIsRefusedWithTheReason(t *testing.T) {
	const starting, noImage = "is starting. Send it again", "no such image"
	for name, c := range map[string]struct {
		why                error
		says, never, named string
	}{
		"starting": {&engineproxy.StartingError{State: engineproxy.StateStarting, Phase: "booting"}, starting, noImage, "starting"},
		"failed":   {&engineproxy.FailedError{Reason: noImage, Next: time.Now().Add(time.Minute)}, noImage, starting, "failed"},
		"full":     {&engineproxy.RoomError{RetryAfter: time.Minute}, "All engine slots are taken", starting, "uncertain"},
	} {
		o := openStudio(t, emptyGame)
		o.engines.submit = c.why
		_, page := o.send(o.at("/jobs"), url.Values{"prompt": {"a fox"}, "once": {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}})
		_, alert, _ := strings.Cut(page, `role="alert">`)
		alert, _, _ = strings.Cut(alert, "</p>")
		if !strings.Contains(alert, c.says) || strings.Contains(page, c.never) || !strings.Contains(page, "a fox") {
			t.Errorf("%s: %q in %s", name, alert, page)
		}
		refused, _ := o.Locator.NotReady(c.why)
		if got := whyUnsent(refused); got != c.named || unsentBriefs[got] == "" {
			t.Errorf("%s: without scripts a new project's page says why by %q", name, got)
		}
	}
}

// TestAnEngineWithoutFilesHasAStudioToReadIn: it is of a kind that knows nothing of them.
func TestAnEngineWithoutFilesHasAStudioToReadIn(t *testing.T) {
	o := openStudio(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	o.sidecar.jobs = []sidecar.Job{{Job: api.Job{JobID: testJob, Status: api.JobCompleted}, Settled: true}}
	res, page := o.send(o.at("?file=src/a.js"), nil)
	if res.StatusCode != http.StatusOK || !strings.Contains(page, "lets no files be edited") || !strings.Contains(page, testJob) ||
		!strings.Contains(page, "data-prompt") || strings.Contains(page, "data-editor") || strings.Contains(page, "data-upload") {
		t.Errorf("%d %s", res.StatusCode, page)
	}
	if _, state := o.send(o.at("/state"), nil); !strings.Contains(state, `"readOnly":true`) || !strings.Contains(state, `"jobId":"`+testJob) {
		t.Error(state)
	}
	form := url.Values{"path": {"src/a.js"}, "text": {"typed"}, "sha256": {"x"}}
	if res, page := o.send(o.at("/file"), form); res.StatusCode != http.StatusNotFound || !strings.Contains(page, "typed") || !strings.Contains(page, "Not saved") {
		t.Errorf("saving: %d %s", res.StatusCode, page)
	}
}

// TestAVersionSaysWhetherAJobProvedIt: a job's draft is what it had proved when it ended,
// and what a person saved no job has played.
func TestAVersionSaysWhetherAJobProvedIt(t *testing.T) {
	for what, c := range map[string]struct {
		revision contract.Revision
		want     string
	}{
		"a job's game":           {contract.Revision{Kind: "generated", Job: testJob, Author: "m"}, "by a job (m)<"},
		"a job's draft":          {contract.Revision{Kind: "draft", Job: testJob, Author: "m"}, "by a job (m), proven, but not delivered<"},
		"what was saved":         {contract.Revision{Kind: "authored", Author: contract.AuthorUser}, "by you, unproven<"},
		"what was left out":      {contract.Revision{Kind: "draft", Author: contract.AuthorUser}, "by you, unproven<"},
		"what was found":         {contract.Revision{Kind: "import"}, "found in the project, unproven<"},
		"what was taken back":    {contract.Revision{Kind: "restore", Of: 3, Author: contract.AuthorUser}, "by you, the files of r3<"},
		"a job over a person's":  {contract.Revision{Kind: "authored", Job: testJob, Author: "m"}, "by a job (m)<"},
		"what a job had written": {contract.Revision{Kind: "draft", Job: testJob, Author: "m", Unproven: true}, "by a job (m), unproven<"},
		"what was played":        {contract.Revision{Kind: "authored", Author: contract.AuthorUser, Proven: true}, "by you, proven<"},
		"back to what was not":   {contract.Revision{Kind: "restore", Of: 3, Author: contract.AuthorUser, Unproven: true}, "by you, unproven, the files of r3<"},
		"what a job took back":   {contract.Revision{Kind: "restore", Of: 3, Job: testJob, Author: "m"}, "by a job (m), the files of r3<"},
	} {
		c.revision.ID = 7
		o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == contract.PathRevisions {
				_ = json.NewEncoder(w).Encode(contract.Revisions{Revisions: []contract.Revision{c.revision}})
				return
			}
			emptyGame(w, r)
		})
		if _, page := o.send(o.at(""), nil); !strings.Contains(page, c.want) {
			t.Errorf("%s is not shown with %q: %s", what, c.want, page)
		}
	}
}

func TestTheStudioHasARateAndBoundsWhatItHolds(t *testing.T) {
	large := func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) }
	o := openStudio(t, large)
	share := o.Answers.Share("alice")
	read := share.Reader(strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20)
	for range 79 { // what other requests of the user hold
		read = io.MultiReader(read, share.Reader(strings.NewReader(strings.Repeat("x", 1<<20)), maxAnswer))
	}
	if _, err := io.Copy(io.Discard, read); err != nil {
		t.Fatal(err)
	}
	if res, page := o.send(o.at("/file?path=a.png"), nil); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(page, "Too many large files") {
		t.Errorf("%d %s", res.StatusCode, page)
	}
	share.Release()
	for range 100 { // each gives its room back
		if res, page := o.send(o.at("/file?path=a.png"), nil); res.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", res.StatusCode, page)
		}
	}
	o.Rate = rate.PerSecond(1, 1)
	o.send("", nil)
	if res, page := o.send("", nil); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(page, "Slow down") {
		t.Errorf("%d %s", res.StatusCode, page)
	}
}

func TestASavedFileSaysWithoutScriptsWhatIsWrongWithIt(t *testing.T) {
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			_ = json.NewEncoder(w).Encode(contract.Saved{Head: 2, Problems: []contract.Problem{{File: "src/a.js", Line: 3, Text: "what <b>"}}})
		case r.URL.Path == contract.PathFile:
			_, _ = io.WriteString(w, "text")
		default:
			emptyGame(w, r)
		}
	})
	res, page := o.send(o.at("/file"), url.Values{"path": {"src/a.js"}, "text": {"text"}, "sha256": {"x"}})
	if res.StatusCode != http.StatusOK || !strings.Contains(page, "src/a.js:3") || !strings.Contains(page, "what &lt;b&gt;") || !strings.Contains(page, "Saved.") {
		t.Errorf("%d %s", res.StatusCode, page)
	}
}
