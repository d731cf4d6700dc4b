package fleet

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/internal/fakeengine"
)

func TestJobThatItsEngineHoldsIsEndedWithoutItAndTheNextGoesOn(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		held := s.accept(project)
		s.pass(time.Millisecond) // ids in order
		waiting := s.accept(project)
		first := s.info(project).InstanceID
		s.pass(29 * time.Minute)
		if orders := s.report(project).Stopped; len(orders) > 0 {
			t.Fatalf("told to end %+v in its time", orders)
		}
		s.pass(time.Minute + 30*time.Second)
		if orders := s.report(project).Stopped; len(orders) == 0 || orders[0] != (contract.Stop{JobID: held, Code: api.FailureTimeout}) {
			t.Fatalf("told to end %+v, want the job that it holds", orders)
		}
		s.pass(2 * time.Minute)
		s.want(project, engineproxy.StateReady)
		if now := s.info(project).InstanceID; now == first {
			t.Error("the engine that holds jobs was not stopped")
		}
		s.ledger.with(func() {
			if end, ok := s.ledger.ended[held]; !ok || end.Status != api.JobFailed || end.Failure.Code != api.FailureTimeout {
				t.Errorf("the held job ended as %+v", end)
			}
			if _, ended := s.ledger.ended[waiting]; ended {
				t.Error("the job behind it was ended as well")
			}
		})
		if _, err := s.Events(t.Context(), held); err != nil {
			t.Errorf("the archive has nothing of it: %v", err)
		}
		if err := s.end(project, waiting); err != nil {
			t.Fatal(err)
		}
		s.pass(time.Second)
		s.ledger.with(func() {
			if len(s.ledger.open) > 0 {
				t.Errorf("slots are held by %v", s.ledger.open)
			}
		})
	})
}

func TestEngineThatObeysEndsItsOverdueJobItselfAndRunsOn(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		job := s.accept(project)
		first := s.info(project).InstanceID
		s.pass(30*time.Minute + 30*time.Second)
		if len(s.report(project).Stopped) == 0 {
			t.Fatal("it was not told to end its job")
		}
		if err := s.tell(project, "/test/end", fakeengine.End{JobID: job, Status: api.JobFailed}); err != nil {
			t.Fatal(err)
		}
		s.pass(5 * time.Minute)
		s.ledger.with(func() {
			if len(s.ledger.open) > 0 || len(s.ledger.ended) > 0 {
				t.Errorf("unfinished %v, and ended without the engine %v", s.ledger.open, s.ledger.ended)
			}
		})
		if now := s.info(project).InstanceID; now != first {
			t.Error("the engine was stopped")
		}
	})
}

func TestJobsThatEndOneAfterTheOtherAreNeverOverdue(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		var jobs []string
		for range 6 {
			jobs = append(jobs, s.accept(project))
			s.pass(time.Millisecond)
		}
		for _, job := range jobs {
			s.pass(20 * time.Minute)
			if orders := s.report(project).Stopped; len(orders) > 0 {
				t.Fatalf("told to end %+v", orders)
			}
			if err := s.end(project, job); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestTimeWithoutALedgerIsNotTheEngines(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		s.accept(project)
		s.pass(20 * time.Minute)
		s.ledger.with(func() { s.ledger.down = true })
		s.pass(2 * time.Hour)
		s.ledger.with(func() { s.ledger.down = false })
		s.pass(9 * time.Minute)
		if orders := s.report(project).Stopped; len(orders) > 0 {
			t.Fatalf("told to end %+v", orders)
		}
	})
}

func TestOverrunCountsOnlyTimeInWhichTheEngineCouldHaveEndedAJob(t *testing.T) {
	t.Parallel()
	job := func(id string) contract.OpenJob { return contract.OpenJob{JobID: id} }
	reserved := contract.OpenJob{JobID: "r", Reserved: true}
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var o overrun
	for i, c := range []struct {
		after time.Duration
		ready bool
		jobs  []contract.OpenJob
		want  time.Duration
	}{
		{0, true, []contract.OpenJob{job("a")}, 0},
		{5 * time.Second, true, []contract.OpenJob{job("a"), job("b")}, 5 * time.Second},
		{time.Hour, true, []contract.OpenJob{job("a"), job("b")}, 15 * time.Second}, // nobody looked
		{5 * time.Second, false, []contract.OpenJob{job("a"), job("b")}, 15 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{job("a"), job("b")}, 15 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{job("a"), job("b")}, 20 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{job("b")}, 0}, // one has ended
		{5 * time.Second, true, []contract.OpenJob{job("b"), reserved}, 5 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{reserved}, 0},
		{5 * time.Second, true, []contract.OpenJob{job("c")}, 0},
	} {
		begin = begin.Add(c.after)
		if got := o.look(begin, c.ready, c.jobs, 10*time.Second); got != c.want {
			t.Errorf("look %d: %s, want %s", i, got, c.want)
		}
	}
}

func TestRunningJobIsTheOneThatIsHeld(t *testing.T) {
	t.Parallel()
	with := func(id string, s api.JobStatus, reserved bool) contract.OpenJob {
		return contract.OpenJob{JobID: id, Reserved: reserved, Record: contract.JobRecord{Status: s}}
	}
	for name, c := range map[string]struct {
		jobs []contract.OpenJob
		want string
	}{
		"nothing":             {nil, ""},
		"a reservation":       {[]contract.OpenJob{with("a", api.JobQueued, true)}, ""},
		"the oldest":          {[]contract.OpenJob{with("b", api.JobQueued, false), with("a", api.JobQueued, false)}, "a"},
		"one that is running": {[]contract.OpenJob{with("a", api.JobQueued, false), with("b", api.JobRunning, false)}, "b"},
	} {
		got := ""
		if j := working(c.jobs); j != nil {
			got = j.JobID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
