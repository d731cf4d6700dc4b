package fleet

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

func TestJobThatItsEngineHoldsIsEndedWithoutItAndTheNextGoesOn(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		held := s.accept(project)
		s.pass(time.Millisecond) // ids in order
		waiting := s.accept(project)
		first := s.info(project).InstanceID
		s.pass(59 * time.Minute)
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
		s.pass(time.Hour + 30*time.Second)
		if len(s.report(project).Stopped) == 0 {
			t.Fatal("it was not told to end its job")
		}
		if err := s.send(project, "/test/end", fakeengine.End{JobID: job, Status: api.JobFailed}); err != nil {
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
			s.pass(45 * time.Minute)
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
		s.pass(45 * time.Minute)
		s.ledger.with(func() { s.ledger.down = true })
		s.pass(2 * time.Hour)
		s.ledger.with(func() { s.ledger.down = false })
		s.pass(14 * time.Minute)
		if orders := s.report(project).Stopped; len(orders) > 0 {
			t.Fatalf("told to end %+v", orders)
		}
	})
}
