package ledger_test

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// ample is for limits of the ledger that no test here is to meet, however busy
// the machine is.
const ample = 10 * time.Minute

// onEach runs a test on every kind of store.
func onEach(t *testing.T, test func(t *testing.T, f *fixture)) {
	for _, d := range storetest.Databases {
		t.Run(d.Name, func(t *testing.T) { test(t, newFixture(t, d)) })
	}
}

func newFixture(t *testing.T, d storetest.Database) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}, reopen: d.New(t)}
	f.open()
	t.Cleanup(f.close)
	if _, err := f.keys.CreateUser(t.Context(), "test", "alice", 100*api.MicroPerTIK); err != nil {
		t.Fatal(err)
	}
	f.project = f.newProject()
	return f
}

// fixture is a ledger with one user, alice, who has 100 TIK and a project.
type fixture struct {
	t       *testing.T
	clock   *clock
	reopen  func() (*store.Store, error)
	store   *store.Store
	ledger  *ledger.Ledger
	keys    *keys.Registry
	catalog *projects.Catalog
	project string
	metrics *ledger.Metrics // nil: nobody looks
	seq     uint64          // of the feed "feed"
}

func (f *fixture) open() {
	f.t.Helper()
	var err error
	if f.store, err = f.reopen(); err != nil {
		f.t.Fatal(err)
	}
	f.keys = keys.New(f.store, f.clock.Now)
	f.catalog = projects.New(projects.Options{Store: f.store, Now: f.clock.Now})
	f.ledger, err = ledger.New(ledger.Options{
		Store: f.store, Now: f.clock.Now, Logger: zap.NewNop(), AdmissionWait: ample, Metrics: f.metrics,
		Prices: map[string]api.TIK{"step": 10 * api.MicroPerTIK, "free": 0},
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) close() {
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
}

// restart closes everything and opens it again on the same database.
func (f *fixture) restart() {
	f.t.Helper()
	f.close()
	f.open()
}

func (f *fixture) newProject() string {
	f.t.Helper()
	p, err := f.catalog.CreateProject(f.t.Context(), "alice", api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
	if err != nil {
		f.t.Fatal(err)
	}
	return p.ID
}

func (f *fixture) newKey(limits policy.Limits) string {
	f.t.Helper()
	key, err := f.keys.Create(f.t.Context(), "test", "alice", "key", limits)
	if err != nil {
		f.t.Fatal(err)
	}
	return key.ID
}

// newKeyOf makes a key of another user.
func (f *fixture) newKeyOf(user string, limits policy.Limits) string {
	f.t.Helper()
	_, err := f.keys.CreateUser(f.t.Context(), "test", user, 0)
	f.must(err)
	key, err := f.keys.Create(f.t.Context(), "test", user, "key", limits)
	f.must(err)
	return key.ID
}

// gateway is one of several that share a database.
type gateway struct {
	ledger   *ledger.Ledger
	registry *keys.Registry
}

// second is another gateway on the fixture's database.
func (f *fixture) second() gateway {
	f.t.Helper()
	s := storetest.Open(f.t, f.reopen)
	l, err := ledger.New(ledger.Options{Store: s, Now: f.clock.Now, Logger: zap.NewNop(), AdmissionWait: ample})
	f.must(err)
	return gateway{l, keys.New(s, f.clock.Now)}
}

// reservation asks for a new job of the fixture's project.
func (f *fixture) reservation(keyID string) sidecar.Reservation {
	return sidecar.Reservation{JobID: mint.NewJobID(f.clock.Now()), KeyID: keyID, ProjectID: f.project}
}

func (f *fixture) reserve(keyID string) string {
	f.t.Helper()
	r := f.reservation(keyID)
	if _, err := f.ledger.Reserve(f.t.Context(), r); err != nil {
		f.t.Fatal(err)
	}
	return r.JobID
}

// accept reserves and commits.
func (f *fixture) accept(keyID string) string {
	f.t.Helper()
	jobID := f.reserve(keyID)
	f.must(f.ledger.Commit(f.t.Context(), jobID))
	return jobID
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// record is a job's record as its engine would report it.
func (f *fixture) record(jobID string, status api.JobStatus) contract.JobRecord {
	now := f.clock.Now()
	r := contract.JobRecord{
		JobID: jobID, ProjectID: f.project, Status: status, CreatedAt: now,
		Progress: api.Progress{Stage: api.StageWriting, Percent: 40, Message: "at work"},
	}
	if status.Terminal() {
		r.FinishedAt = &now
	}
	return r
}

// Feed records, numbered on by feed.

func (f *fixture) started(jobID, next string) contract.FeedRecord {
	r := f.record(jobID, api.JobRunning)
	return contract.FeedRecord{Kind: contract.FeedStarted, JobID: jobID, Record: &r, Next: next}
}

func (f *fixture) progress(jobID string) contract.FeedRecord {
	r := f.record(jobID, api.JobRunning)
	return contract.FeedRecord{Kind: contract.FeedProgress, JobID: jobID, Record: &r}
}

func (f *fixture) used(jobID, unit string, quantity int64, next string) contract.FeedRecord {
	return contract.FeedRecord{
		Kind: contract.FeedUsage, JobID: jobID, Next: next,
		Units: []contract.Unit{{Name: unit, Quantity: quantity}},
	}
}

func (f *fixture) ended(jobID string, status api.JobStatus) contract.FeedRecord {
	r := f.record(jobID, status)
	return contract.FeedRecord{Kind: contract.FeedEnded, JobID: jobID, Record: &r}
}

// batch numbers records after those that were applied before.
func (f *fixture) batch(records ...contract.FeedRecord) contract.FeedBatch {
	for i := range records {
		records[i].FeedID, records[i].Seq, records[i].At = "feed", f.seq+uint64(i)+1, f.clock.Now()
	}
	return contract.FeedBatch{ProjectID: f.project, FeedID: "feed", Records: records}
}

// feed applies records and returns the jobs that must stop.
func (f *fixture) feed(records ...contract.FeedRecord) []contract.Stop {
	f.t.Helper()
	v, err := f.ledger.ApplyFeed(f.t.Context(), f.batch(records...))
	f.must(err)
	f.seq += uint64(len(records))
	if v.Cursor != f.seq {
		f.t.Fatalf("cursor %d, want %d", v.Cursor, f.seq)
	}
	return v.Stop
}

func (f *fixture) usage(keyID string) keys.Usage {
	f.t.Helper()
	u, err := f.keys.Usage(f.t.Context(), keyID)
	f.must(err)
	return u
}

// wantUsage checks jobs today, this month and running.
func (f *fixture) wantUsage(keyID string, today, month, running int64) {
	f.t.Helper()
	u := f.usage(keyID)
	if u.JobsToday != today || u.JobsThisMonth != month || u.RunningJobs != running {
		f.t.Errorf("jobs today %d, this month %d, running %d; want %d, %d, %d",
			u.JobsToday, u.JobsThisMonth, u.RunningJobs, today, month, running)
	}
}

func (f *fixture) balance() api.TIK {
	f.t.Helper()
	u, err := f.keys.User(f.t.Context(), "alice")
	f.must(err)
	return u.Balance
}

func (f *fixture) job(jobID string) sidecar.Job {
	f.t.Helper()
	job, err := f.ledger.Job(f.t.Context(), jobID)
	f.must(err)
	return job
}

// wantLimit checks that err is the 429 of a limit.
func wantLimit(t *testing.T, err error, limit string) *answers.Error {
	t.Helper()
	var refusal *answers.Error
	if !errors.As(err, &refusal) || refusal.Status != 429 || refusal.Reason != api.ReasonLimitExceeded || refusal.Limit != limit {
		t.Fatalf("got %v, want 429 for %s", err, limit)
	}
	return refusal
}

// clock stands until it is set.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

func (c *clock) Add(d time.Duration) { c.Set(c.Now().Add(d)) }
