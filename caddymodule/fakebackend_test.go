package caddymodule_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

const (
	testJob  = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	otherJob = "job_01ARZ3NDEKTSV4RRFFQ69G5FAW" // of the same project
)

func init() {
	caddy.RegisterModule(fakeSidecar{})
	caddy.RegisterModule(fakeEngines{})
}

// fakeBackend is a sidecar and an engine proxy that a test scripts: it knows keys, one
// project with one unfinished job, and one engine.
type fakeBackend struct {
	sidecar.Service
	engineproxy.Engines

	dir     string
	socket  string // where the engine listens
	lookups atomic.Int32
	reserve atomic.Int32    // submissions that were admitted
	setting atomic.Value    // of the engines, as the last reload left it
	asked   sidecar.Service // what gateways ask in the fake backend's place, nil for itself

	instance string                // the one that answers; "i" is asked
	verdict  contract.FenceVerdict // what a fence finds out
	fenceErr error                 // or why it finds out nothing

	notReady error // what a submission gets in the place of an engine, nil for none

	enginesProblems []string // what the engine proxy says of itself
	enginesErr      error    // or that it can't say

	settled chan struct{} // receives at commit, release and at a fence that fails

	mu            sync.Mutex // guards the following fields
	keys          map[mint.KeyHash]sidecar.Identity
	down          error    // what the store answers, nil when it works
	unwritable    error    // why it can't be written to, nil when it can
	undecided     error    // of every decision
	calls         []string // reserve, commit, release, fence
	decides       int      // decisions that are made before undecided counts
	policyProblem string
}

// NoteRefused takes what gateways refused; no test looks at it here.
func (d *fakeBackend) NoteRefused(context.Context, sidecar.Refused) error { return nil }

// fakeBackends finds the fake backend of a configuration by its data directory; Caddy makes
// modules itself.
var fakeBackends sync.Map

type fakeSidecar struct {
	Option string `json:"option,omitempty"` // one that a reload can't change
}

func (fakeSidecar) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.fake", New: func() caddy.Module { return new(fakeSidecar) }}
}

func (fakeSidecar) Location() string { return "embedded" }

func (s fakeSidecar) Key(dir string) string { return "fake:" + dir + s.Option }

func (fakeSidecar) OpenSidecar(_ context.Context, dir string, _ *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	found, ok := fakeBackends.Load(dir)
	if !ok {
		return nil, fmt.Errorf("no fake backend for %s", dir)
	}
	d := found.(*fakeBackend)
	var service sidecar.Service = d
	if d.asked != nil {
		service = d.asked
	}
	play := func(site.PlayOptions) (site.Play, error) { return fakePlay{}, nil }
	return &caddymodule.OpenedSidecar{Service: service, Play: play, Close: func() error { return nil }}, nil
}

// fakePlay has a page, and what players send is taken.
type fakePlay struct{}

func (fakePlay) Pages() http.Handler {
	return http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
}
func (fakePlay) Games() http.Handler { return fakePlay{}.Pages() }

type fakeEngines struct {
	Setting string `json:"setting,omitempty"` // one that a reload changes
}

func (fakeEngines) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.fake", New: func() caddy.Module { return new(fakeEngines) }}
}

func (fakeEngines) Check(time.Duration) error { return nil }

func (fakeEngines) Key(dir string) string { return "fake:" + dir }

func (fakeEngines) OpenEngines(
	_ context.Context, dir string, _ engineproxy.Ledger, _ *zap.Logger,
) (*caddymodule.OpenedEngines, error) {
	found, ok := fakeBackends.Load(dir)
	if !ok {
		return nil, fmt.Errorf("no fake backend for %s", dir)
	}
	return &caddymodule.OpenedEngines{Engines: found.(*fakeBackend), Close: func() error { return nil }}, nil
}

func (e fakeEngines) ReloadEngines(opened *caddymodule.OpenedEngines) error {
	opened.Engines.(*fakeBackend).setting.Store(e.Setting)
	return nil
}

func newFakeBackend(t testing.TB) *fakeBackend {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeBackend{
		dir: dir, socket: filepath.Join(dir, "e.sock"), keys: make(map[mint.KeyHash]sidecar.Identity),
		instance: "i", fenceErr: engineproxy.ErrUnreachable, settled: make(chan struct{}, 8),
	}
	fakeBackends.Store(dir, d)
	t.Cleanup(func() {
		fakeBackends.Delete(dir)
		os.RemoveAll(dir)
	})
	return d
}

// engine runs the fake backend's engine.
func (d *fakeBackend) engine(t testing.TB, h http.HandlerFunc) {
	t.Helper()
	d.frozenEngine(t)(h)
}

// frozenEngine runs an engine that is stopped: the kernel takes connections, and
// nobody reads them until the test has it go on.
func (d *fakeBackend) frozenEngine(t testing.TB) (goOn func(h http.HandlerFunc)) {
	t.Helper()
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return func(h http.HandlerFunc) {
		srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(contract.HeaderInstance, d.instance) // as every engine does
			h(w, r)
		})}}
		srv.Start()
		t.Cleanup(srv.Close)
	}
}

// key makes a key, active or with the reason why not.
func (d *fakeBackend) key(id, reason string) string {
	secret := mint.NewKey()
	hash, _ := mint.ParseKey(secret)
	decision := policy.Decision{Allow: true, Status: 200, Rule: "svc.key.active"}
	if reason != "" {
		decision = policy.Decision{Status: 401, Error: "The key is " + reason + ".", Reason: reason, Rule: "svc.key." + reason}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys[hash] = sidecar.Identity{KeyID: id, UserID: "user_" + id, Decision: decision}
	return secret
}

func (d *fakeBackend) breakStore(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = err
}

func (d *fakeBackend) Authenticate(_ context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	d.lookups.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.keys[hash]
	if !ok {
		return sidecar.Identity{}, sidecar.ErrUnknownKey
	}
	return id, nil
}

func (d *fakeBackend) Decide(context.Context, string, string, policy.Action) (policy.Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.undecided != nil {
		return policy.Decision{}, d.undecided
	}
	return policy.Decision{Allow: true, Status: 200, Rule: "svc.project.owner"}, nil
}

func (d *fakeBackend) StreamGrant(context.Context, mint.KeyHash) (sidecar.StreamGrant, error) {
	return sidecar.StreamGrant{}, sidecar.ErrUnknownToken
}

func (d *fakeBackend) Changes(context.Context, int64) (sidecar.Changes, error) {
	return sidecar.Changes{}, nil
}

func (d *fakeBackend) Watch() (<-chan struct{}, func()) { return nil, func() {} }

func (d *fakeBackend) WatchJobs(func(string)) (func(), bool) { return func() {}, false }

func (d *fakeBackend) Health(context.Context) (sidecar.Health, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sidecar.Health{PolicyRevision: "rev-7", PolicyProblem: d.policyProblem, Writes: d.unwritable}, nil
}

// fail has every decision end with err.
func (d *fakeBackend) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undecided = err
}

func (d *fakeBackend) Project(context.Context, string) (sidecar.Project, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down != nil {
		return sidecar.Project{}, d.down
	}
	return sidecar.Project{}, sidecar.ErrUnknownProject
}

func (d *fakeBackend) Projects(context.Context, string, string, int) (api.ProjectList, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return api.ProjectList{}, d.down
}

func (d *fakeBackend) Job(_ context.Context, id string) (sidecar.Job, error) {
	if id != testJob && id != otherJob {
		return sidecar.Job{}, sidecar.ErrUnknownJob
	}
	return sidecar.Job{Job: api.Job{JobID: id, ProjectID: testProject, Status: api.JobRunning}}, nil
}

func (d *fakeBackend) AwaitEnd(ctx context.Context, _ string) (sidecar.Job, error) {
	<-ctx.Done()
	return sidecar.Job{}, ctx.Err()
}

func (d *fakeBackend) Reserve(context.Context, sidecar.Reservation) (sidecar.Admission, error) {
	d.reserve.Add(1)
	d.note("reserve")
	return sidecar.Admission{SessionID: "ses_x"}, nil
}

func (*fakeBackend) Renew(context.Context, string, time.Duration) error { return nil }

func (d *fakeBackend) Commit(context.Context, string) error {
	d.note("commit")
	return nil
}

func (d *fakeBackend) Release(context.Context, string) error {
	d.note("release")
	return nil
}

func (d *fakeBackend) note(call string) {
	d.mu.Lock()
	d.calls = append(d.calls, call)
	d.mu.Unlock()
	if call == "commit" || call == "release" || call == "fence" && d.fenceErr != nil {
		select {
		case d.settled <- struct{}{}:
		default: // most tests don't wait for it
		}
	}
}

func (d *fakeBackend) wantCalls(t *testing.T, want string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if got := strings.Join(d.calls, " "); got != want {
		t.Errorf("calls are %q, want %q", got, want)
	}
}

func (d *fakeBackend) lease() *engineproxy.Lease {
	return &engineproxy.Lease{
		Endpoint: engineproxy.Endpoint{Network: "unix", Address: d.socket, Token: "token", InstanceID: "i"},
		Release:  func() {},
	}
}

func (d *fakeBackend) Submit(context.Context, engineproxy.Project, time.Duration) (*engineproxy.Lease, error) {
	if d.notReady != nil {
		return nil, d.notReady
	}
	return d.lease(), nil
}

func (d *fakeBackend) Attach(context.Context, string) (*engineproxy.Lease, error) {
	return d.lease(), nil
}

func (d *fakeBackend) AwaitReady(context.Context, string) error { return nil }

func (d *fakeBackend) Fence(context.Context, engineproxy.Project, string) (contract.FenceVerdict, error) {
	d.note("fence")
	return d.verdict, d.fenceErr
}

func (d *fakeBackend) Problems(context.Context) ([]string, error) {
	return d.enginesProblems, d.enginesErr
}

func (d *fakeBackend) List(context.Context) ([]engineproxy.Info, error) {
	return []engineproxy.Info{{State: "ready"}, {State: "ready"}, {State: "starting"}}, nil
}
