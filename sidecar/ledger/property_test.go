package ledger_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"pgregory.net/rapid"

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
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/test/long"
)

// TestLedgerDoesWhatTheModelDoes makes random sequences of operations on the
// ledger and on a model of it, and compares what both say after each.
func TestLedgerDoesWhatTheModelDoes(t *testing.T) {
	for _, d := range storetest.Databases {
		t.Run(d.Name, func(t *testing.T) {
			checks := map[string]int{"SQLite": 60, "PostgreSQL": 6}[d.Name] // slower, and the logic is the same
			if long.Asked() {
				checks *= 10
			}
			fewerChecks(t, fmt.Sprint(sequencesPerStore))
			for n := range checks / sequencesPerStore {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					t.Parallel()
					checkSequences(t, storetest.Open(t, d.New(t)))
				})
			}
		})
	}
}

// sequencesPerStore is how many sequences go to one database. All rows are looked at
// after each operation, those of earlier users as well, which are to stay as they
// are. A few show that: with hundreds, a long run looked at little but the rows of
// sequences that were over.
const sequencesPerStore = 6

func checkSequences(t *testing.T, s *store.Store) {
	sequences := 0
	rapid.Check(t, func(rt *rapid.T) {
		sequences++
		w := newWorld(rt, s, fmt.Sprintf("user%d", sequences))
		rt.Repeat(map[string]func(*rapid.T){
			"":        w.check,
			"reserve": w.reserve,
			"commit":  w.commit,
			"release": w.release,
			"resolve": w.resolve,
			"end":     w.end,
			"feed":    w.feed,
			"state":   w.setState,
			"limits":  w.setLimits,
			"clock":   w.stepClock,
			"top up":  w.topUp,
		})
	})
}

// fewerChecks sets how many sequences rapid makes, unless the command line says.
func fewerChecks(t *testing.T, n string) {
	f := flag.Lookup("rapid.checks")
	if before := f.Value.String(); before == f.DefValue {
		if err := f.Value.Set(n); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(before) })
	}
}

// world is the ledger and the model side by side: one user with two keys and
// two projects.
type world struct {
	store    *store.Store
	ledger   *ledger.Ledger
	registry *keys.Registry
	clock    *clock
	user     string
	keyIDs   []string
	projects []string
	jobIDs   []string
	last     map[string]contract.FeedBatch // by project
	model    model
}

const modelPrice = 3 * api.TIK(api.MicroPerTIK)

func newWorld(t *rapid.T, s *store.Store, user string) *world {
	w := &world{
		store: s, user: user, last: make(map[string]contract.FeedBatch),
		clock: &clock{now: time.Date(2027, 12, 31, 23, 59, 30, 0, time.UTC)},
		model: model{
			balance: 20 * api.MicroPerTIK, maxQueued: 4,
			keys: make(map[string]*modelKey), jobs: make(map[string]*modelJob),
		},
	}
	var err error
	w.ledger, err = ledger.New(ledger.Options{
		Store: s, Now: w.clock.Now, Logger: zap.NewNop(), MaxQueued: int64(w.model.maxQueued), AdmissionWait: ample,
		Prices: map[string]api.TIK{"step": modelPrice},
	})
	must(t, err)
	w.registry = keys.New(s, w.clock.Now)
	_, err = w.registry.CreateUser(t.Context(), "test", user, w.model.balance)
	must(t, err)
	catalog := projects.New(projects.Options{Store: s, Now: w.clock.Now})
	for range 2 {
		key, err := w.registry.Create(t.Context(), "test", user, "key", policy.Limits{})
		must(t, err)
		w.keyIDs = append(w.keyIDs, key.ID)
		w.model.keys[key.ID] = &modelKey{
			state: policy.KeyActive, version: 1, jobs: make(map[string]int64), tik: make(map[string]api.TIK),
		}
		project, err := catalog.CreateProject(t.Context(), user, api.ProjectRequest{Name: "game"})
		must(t, err)
		w.projects = append(w.projects, project.ID)
	}
	return w
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drawJob picks a job that was reserved once.
func (w *world) drawJob(t *rapid.T) (string, *modelJob) {
	if len(w.jobIDs) == 0 {
		t.Skip("no job yet")
	}
	id := rapid.SampledFrom(w.jobIDs).Draw(t, "job")
	return id, w.model.jobs[id]
}

func (w *world) reserve(t *rapid.T) {
	keyID := rapid.SampledFrom(w.keyIDs).Draw(t, "key")
	project := rapid.SampledFrom(w.projects).Draw(t, "project")
	jobID := mint.NewJobID(w.clock.Now())
	want := w.model.refusal(keyID, project, w.clock.Now())
	a, err := w.ledger.Reserve(t.Context(), sidecar.Reservation{JobID: jobID, KeyID: keyID, ProjectID: project})
	if got := refusalOf(err); got != want {
		t.Fatalf("refused for %q (%v), want %q", got, err, want)
	}
	if err != nil {
		return
	}
	w.model.reserve(jobID, keyID, project, w.clock.Now())
	w.jobIDs = append(w.jobIDs, jobID)
	over := func(used int64, limit *int64) bool { return limit != nil && used > *limit }
	l := w.model.keys[keyID].limits
	if over(a.Usage.JobsToday, l.JobsPerDay) || over(a.Usage.JobsThisMonth, l.JobsPerMonth) ||
		over(a.Usage.RunningJobs, l.MaxConcurrentJobs) {
		t.Fatalf("admitted with usage %+v over the limits %+v", a.Usage, l)
	}
}

// refusalOf names what an error of Reserve refused for, as the model does.
func refusalOf(err error) string {
	var refusal *answers.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &refusal):
		return "error"
	case refusal.Status == 503:
		return "queue"
	case refusal.Limit != "":
		return refusal.Limit
	}
	return refusal.Reason
}

func (w *world) commit(t *rapid.T) {
	id, job := w.drawJob(t)
	w.wantCommit(t, job, w.ledger.Commit(t.Context(), id))
}

func (w *world) wantCommit(t *rapid.T, job *modelJob, err error) {
	if released := job.state == "released"; released != errors.Is(err, sidecar.ErrReleased) || !released && err != nil {
		t.Fatalf("commit of a job that is %s: %v", job.state, err)
	}
	w.model.commit(job)
}

func (w *world) release(t *rapid.T) {
	id, job := w.drawJob(t)
	must(t, w.ledger.Release(t.Context(), id))
	w.model.release(job)
}

func (w *world) resolve(t *rapid.T) {
	id, job := w.drawJob(t)
	verdict := rapid.SampledFrom([]contract.FenceVerdict{contract.Accepted, contract.Fenced}).Draw(t, "verdict")
	err := w.ledger.Resolve(t.Context(), id, verdict)
	if verdict == contract.Accepted {
		w.wantCommit(t, job, err)
		return
	}
	must(t, err)
	w.model.release(job)
}

var terminal = []api.JobStatus{api.JobCompleted, api.JobFailed, api.JobCancelled}

func (w *world) end(t *rapid.T) {
	id, job := w.drawJob(t)
	status := rapid.SampledFrom(terminal).Draw(t, "status")
	must(t, w.ledger.EndJob(t.Context(), contract.JobRecord{JobID: id, ProjectID: job.project, Status: status}))
	if job.state != "released" {
		w.model.end(job, status)
	}
}

// feed applies records that are new, behind some that were applied before.
func (w *world) feed(t *rapid.T) {
	project := rapid.SampledFrom(w.projects).Draw(t, "project")
	last := w.last[project]
	next := uint64(1)
	if n := len(last.Records); n > 0 {
		next = last.Records[n-1].Seq + 1
	}
	repeated := rapid.IntRange(0, len(last.Records)).Draw(t, "repeated")
	batch := contract.FeedBatch{ProjectID: project, FeedID: "feed"}
	batch.Records = append(batch.Records, last.Records[len(last.Records)-repeated:]...)
	var fresh []contract.FeedRecord
	for range rapid.IntRange(1, 3).Draw(t, "records") {
		id, _ := w.drawJob(t)
		r := contract.FeedRecord{FeedID: "feed", Seq: next, JobID: id, At: w.clock.Now()}
		switch r.Kind = rapid.SampledFrom([]contract.FeedKind{
			contract.FeedStarted, contract.FeedUsage, contract.FeedEnded,
		}).Draw(t, "kind"); r.Kind {
		case contract.FeedStarted:
			r.Record = &contract.JobRecord{JobID: id, Status: api.JobRunning}
		case contract.FeedUsage:
			r.Units = []contract.Unit{{Name: "step", Quantity: rapid.Int64Range(0, 3).Draw(t, "steps")}}
		case contract.FeedEnded:
			r.Record = &contract.JobRecord{JobID: id, Status: rapid.SampledFrom(terminal).Draw(t, "status")}
		}
		fresh = append(fresh, r)
		next++
	}
	batch.Records = append(batch.Records, fresh...)
	verdict, err := w.ledger.ApplyFeed(t.Context(), batch)
	must(t, err)
	for _, r := range fresh {
		w.model.feed(project, r, modelPrice, w.clock.Now())
	}
	w.last[project] = batch
	if verdict.Cursor != next-1 {
		t.Fatalf("cursor %d, want %d", verdict.Cursor, next-1)
	}
	for _, stop := range verdict.Stop {
		job := w.model.jobs[stop.JobID]
		unadmitted := job.project != project || job.state == "released"
		if !unadmitted && (stop.Code != api.FailureTIKExhausted || w.model.balance > 0 || job.state == "settled") {
			t.Fatalf("stop %+v of a job that is %s, with balance %s", stop, job.state, w.model.balance)
		}
	}
}

func (w *world) setState(t *rapid.T) {
	id := rapid.SampledFrom(w.keyIDs).Draw(t, "key")
	key := w.model.keys[id]
	to, set := policy.KeyActive, w.registry.Enable
	switch {
	case key.state == policy.KeyRevoked:
		t.Skip("revoked for good")
	case rapid.IntRange(0, 9).Draw(t, "revoke") == 0:
		to, set = policy.KeyRevoked, w.registry.Revoke
	case key.state == policy.KeyActive:
		to, set = policy.KeyDisabled, w.registry.Disable
	}
	_, err := set(t.Context(), "test", id)
	must(t, err)
	key.state = to
	key.version++
}

func (w *world) setLimits(t *rapid.T) {
	id := rapid.SampledFrom(w.keyIDs).Draw(t, "key")
	key := w.model.keys[id]
	if key.state == policy.KeyRevoked {
		t.Skip("revoked for good")
	}
	count := rapid.Ptr(rapid.Int64Range(0, 6), true)
	limits := policy.Limits{
		JobsPerDay: count.Draw(t, "day"), JobsPerMonth: count.Draw(t, "month"), MaxConcurrentJobs: count.Draw(t, "at once"),
		TIKPerMonth: rapid.Ptr(rapid.Custom(func(t *rapid.T) api.TIK {
			return modelPrice * api.TIK(rapid.IntRange(0, 6).Draw(t, "steps"))
		}), true).Draw(t, "tik"),
	}
	_, err := w.registry.SetLimits(t.Context(), "test", id, key.version, limits)
	must(t, err)
	key.limits = limits
	key.version++
}

// stepClock moves the clock, sometimes back: mostly across midnight, which ends
// a month as well at first.
func (w *world) stepClock(t *rapid.T) {
	minutes := rapid.SampledFrom([]int{1, -1, 1, -1, -60, -61, -28 * 24 * 60, 24 * 60, 28 * 24 * 60}).Draw(t, "minutes")
	w.clock.Add(time.Duration(minutes) * time.Minute)
}

func (w *world) topUp(t *rapid.T) {
	tik := api.TIK(rapid.IntRange(1, 9).Draw(t, "tik")) * api.MicroPerTIK
	_, err := w.registry.TopUp(t.Context(), "test", w.user, keys.Credit{TIK: tik})
	must(t, err)
	w.model.balance += tik
}

// check compares everything that can be seen of the ledger with the model.
func (w *world) check(t *rapid.T) {
	now := w.clock.Now()
	for _, id := range w.keyIDs {
		got, err := w.registry.Usage(t.Context(), id)
		must(t, err)
		key := w.model.keys[id]
		at := key.at(now)
		want := policy.Usage{
			JobsToday: key.jobs[modelDay(at)], JobsThisMonth: key.jobs[modelMonth(at)],
			RunningJobs: w.model.running(id), TIKThisMonth: key.tik[modelMonth(at)],
		}
		if got.Usage != want || got.State != key.state {
			t.Fatalf("key %s is %s and used %+v, want %s and %+v", id, got.State, got.Usage, key.state, want)
		}
	}
	user, err := w.registry.User(t.Context(), w.user)
	must(t, err)
	if user.Balance != w.model.balance {
		t.Fatalf("balance %s, want %s", user.Balance, w.model.balance)
	}
	for id, want := range w.model.jobs {
		if want.resolutions > 1 {
			t.Fatalf("job %s was resolved %d times", id, want.resolutions)
		}
	}
	w.checkJobs(t)
	wantInvariants(t, w.store)
}

func (w *world) checkJobs(t *rapid.T) {
	open, err := w.ledger.OpenJobs(t.Context(), "")
	must(t, err)
	for _, id := range w.jobIDs[max(0, len(w.jobIDs)-3):] { // those most likely to have changed
		want := w.model.jobs[id]
		got, err := w.ledger.Job(t.Context(), id)
		if want.state == "released" {
			if !errors.Is(err, sidecar.ErrUnknownJob) {
				t.Fatalf("released job: %+v, %v", got, err)
			}
			continue
		}
		must(t, err)
		if got.Status != want.status || got.Settled != (want.state == "settled") || got.TIKSpent != want.spent {
			t.Fatalf("job %+v, want %+v", got, want)
		}
		unfinished := slices.ContainsFunc(open, func(j contract.OpenJob) bool { return j.JobID == id })
		if unfinished == got.Settled {
			t.Fatalf("job %s is among the unfinished: %v, settled: %v", id, unfinished, got.Settled)
		}
	}
}
