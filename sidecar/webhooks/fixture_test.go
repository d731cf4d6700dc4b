package webhooks_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/sidecar/webhooks"
)

// loopback may be posted to in these tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// fixture is a project with an owner, and a clock that stands until it is set.
type fixture struct {
	t        *testing.T
	store    *store.Store
	registry *webhooks.Registry
	ledger   *ledger.Ledger
	catalog  *projects.Catalog
	user     string
	key      string
	project  string

	mu  sync.Mutex // guards now
	now time.Time
}

// onEach runs a test on every kind of store.
func onEach(t *testing.T, test func(t *testing.T, f *fixture)) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) { test(t, newFixture(t, s, time.Now())) })
}

func newFixture(t *testing.T, s *store.Store, now time.Time) *fixture {
	t.Helper()
	f := &fixture{t: t, store: s, now: now.Truncate(time.Millisecond)}
	l, err := ledger.New(ledger.Options{Store: s, Now: f.clock, Logger: zap.NewNop(), Units: ledger.DefaultUnits()})
	if err != nil {
		t.Fatal(err)
	}
	f.ledger = l
	f.catalog = projects.New(projects.Options{Store: s, Now: f.clock})
	f.registry = webhooks.New(s, f.clock, loopback)
	f.as("alice")
	return f
}

// as makes another user, with a key and a project.
func (f *fixture) as(user string) {
	f.t.Helper()
	users := keys.New(f.store, f.clock)
	if _, err := users.CreateUser(f.t.Context(), "test", user, 100*api.MicroPerTIK); err != nil {
		f.t.Fatal(err)
	}
	key, err := users.Create(f.t.Context(), "test", user, "key", policy.Limits{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.user, f.key = user, key.ID
	f.project = f.newProject()
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *fixture) newProject() string {
	f.t.Helper()
	p, err := f.catalog.CreateProject(f.t.Context(), f.user, api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
	if err != nil {
		f.t.Fatal(err)
	}
	return p.ID
}

// set sets the project's webhook and returns its secret.
func (f *fixture) set(project, url string, events ...string) string {
	f.t.Helper()
	if len(events) == 0 {
		events = api.HookEvents()
	}
	hook, err := f.registry.SetWebhook(f.t.Context(), project, api.WebhookRequest{URL: url, Events: events})
	if err != nil {
		f.t.Fatal(err)
	}
	return hook.Secret
}

// end makes a job of the project and ends it.
func (f *fixture) end(project string, status api.JobStatus) string {
	f.t.Helper()
	id := mint.NewJobID(f.clock())
	if _, err := f.ledger.Reserve(f.t.Context(), sidecar.Reservation{JobID: id, KeyID: f.key, ProjectID: project}); err != nil {
		f.t.Fatal(err)
	}
	record := contract.JobRecord{JobID: id, ProjectID: project, Status: status}
	for range 2 { // the first end wins
		if err := f.ledger.EndJob(f.t.Context(), record); err != nil {
			f.t.Fatal(err)
		}
	}
	return id
}

// anything is permitted.
func anything(context.Context, string, string) (bool, error) { return true, nil }

func (f *fixture) sender(change ...func(*webhooks.SenderOptions)) *webhooks.Sender {
	o := webhooks.SenderOptions{Store: f.store, Now: f.clock, Networks: loopback, Permitted: anything}
	for _, c := range change {
		c(&o)
	}
	return webhooks.NewSender(o)
}

// deliveries returns those of the project.
func (f *fixture) deliveries(state string) []api.Delivery {
	f.t.Helper()
	list, err := f.registry.Deliveries(f.t.Context(), sidecar.DeliveryQuery{ProjectID: f.project, State: state, Limit: 50})
	if err != nil {
		f.t.Fatal(err)
	}
	return list.Data
}

// only returns the one delivery of the project.
func (f *fixture) only() api.Delivery {
	f.t.Helper()
	list := f.deliveries("")
	if len(list) != 1 {
		f.t.Fatalf("%d deliveries, want one", len(list))
	}
	return list[0]
}

// came is a post that a receiver got.
type came struct {
	header http.Header
	host   string
	body   []byte
}

func (c came) post(t *testing.T) (p api.WebhookPost) {
	t.Helper()
	if err := json.Unmarshal(c.body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// receiver answers posts with a status that a test sets, and keeps them.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex // guards the following fields
	status int
	posts  []came
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusNoContent}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts = append(r.posts, came{req.Header, req.Host, body})
	w.WriteHeader(r.status)
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) got() []came {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.posts
}
