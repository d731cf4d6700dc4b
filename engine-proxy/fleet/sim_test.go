package fleet

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// sim is a proxy in a bubble: its time is the bubble's, and passes as fast as
// nothing happens.
type sim struct {
	t      *testing.T
	dir    string
	driver *fakedriver.Local
	ledger *fakeLedger
	opts   Options
	*Proxy
}

// simulate runs a test in a bubble.
func simulate(t *testing.T, change func(*Options), test func(t *testing.T, s *sim)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &sim{t: t, dir: dir, driver: fakedriver.NewLocal(), ledger: newFakeLedger()}
		s.opts = Options{
			DataDir: dir, Driver: s.driver, Ledger: s.ledger,
			Logger: zaptest.NewLogger(t, zaptest.Level(zap.DPanicLevel)),
		}
		if change != nil {
			change(&s.opts)
		}
		s.open()
		defer s.driver.Close()
		defer s.close()
		test(t, s)
		for _, what := range s.driver.Breaches() {
			t.Error(what)
		}
	})
}

func (s *sim) open() {
	s.t.Helper()
	p, err := New(s.opts)
	if err != nil {
		s.t.Fatal(err)
	}
	p.dial, p.unserved = s.driver.Dial, true
	s.Proxy = p
	if err := p.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// close is what a kill of the proxy leaves: engines that run.
func (s *sim) close() {
	if s.Proxy == nil {
		return
	}
	if err := s.Proxy.Close(context.Background(), KeepEngines); err != nil {
		s.t.Error(err)
	}
	s.Proxy = nil
}

func (s *sim) restart() {
	s.t.Helper()
	s.close()
	s.open()
}

func (s *sim) volume(projectID string) string { return state.Layout{Root: s.dir}.Volume(projectID) }

func (s *sim) switches(projectID string, sw fakeengine.Switches) {
	s.t.Helper()
	if err := fakeengine.WriteSwitches(s.volume(projectID), sw); err != nil {
		s.t.Fatal(err)
	}
}

// pass lets time pass, and everything happen that is due.
func (s *sim) pass(d time.Duration) {
	time.Sleep(d) // the bubble's clock
	synctest.Wait()
}

// ready returns a project whose engine is ready.
func (s *sim) ready(owner string) string {
	s.t.Helper()
	project := mint.NewProjectID()
	s.submit(project, owner)
	return project
}

// submit has the project's engine made ready.
func (s *sim) submit(project, owner string) {
	s.t.Helper()
	lease, err := s.Submit(s.t.Context(), engineproxy.Project{ID: project, OwnerID: owner}, time.Minute)
	if err != nil {
		s.t.Fatal(err)
	}
	lease.Release()
	synctest.Wait()
}

func (s *sim) state(project string) engineproxy.State { return s.info(project).State }

func (s *sim) info(project string) engineproxy.Info {
	s.t.Helper()
	d, err := s.Show(s.t.Context(), project)
	if errors.Is(err, engineproxy.ErrAbsent) {
		return engineproxy.Info{ProjectID: project, State: engineproxy.StateAbsent}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return d.Info
}

func (s *sim) want(project string, state engineproxy.State) {
	s.t.Helper()
	if got := s.state(project); got != state {
		d, _ := s.Show(s.t.Context(), project)
		s.t.Fatalf("state %s, want %s; %+v", got, state, d.Transitions)
	}
}

// send speaks with a project's engine beside the proxy.
func (s *sim) send(project, path string, in any) error {
	lease, err := s.Attach(s.t.Context(), project)
	if err != nil {
		return err
	}
	defer lease.Release()
	return sendOver(s.driver.Dial, lease.Endpoint, http.MethodPost, path, in, nil)
}

// report is what a project's engine says of itself.
func (s *sim) report(project string) (r fakeengine.Report) {
	s.t.Helper()
	lease, err := s.Attach(s.t.Context(), project)
	if err != nil {
		s.t.Fatal(err)
	}
	defer lease.Release()
	if err := sendOver(s.driver.Dial, lease.Endpoint, http.MethodGet, "/test/state", nil, &r); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// accept makes a job that the engine has accepted and the ledger committed.
func (s *sim) accept(project string) string {
	s.t.Helper()
	job := s.reserve(project, "owner")
	if err := s.send(project, "/test/accept", job.Record); err != nil {
		s.t.Fatal(err)
	}
	s.ledger.commit(job.JobID)
	return job.JobID
}

// reserve has the ledger count a job that no engine has accepted yet.
func (s *sim) reserve(project, owner string) contract.OpenJob {
	rec := contract.JobRecord{JobID: mint.NewJobID(time.Now()), ProjectID: project, Status: api.JobRunning}
	job := contract.OpenJob{JobID: rec.JobID, ProjectID: project, OwnerID: owner, Record: rec, Reserved: true}
	s.ledger.with(func() { s.ledger.open[job.JobID] = job })
	return job
}

func (s *sim) end(project, job string) error {
	return s.send(project, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted})
}
