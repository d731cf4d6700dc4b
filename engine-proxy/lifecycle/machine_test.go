package lifecycle

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
)

func TestBackOffDoublesUpToItsBound(t *testing.T) {
	b := newBench(t)
	for i, wait := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		b.RequestStart(b.now, CauseSubmission)
		b.fail(broken, true)
		b.pass(wait*time.Second - 1)
		b.RequestStart(b.now, CauseSubmission)
		if b.State() != Failed {
			t.Fatalf("failure %d: started again before %s", i+1, wait*time.Second)
		}
		b.pass(1)
	}
	b.RequestStart(b.now, CauseSubmission)
	b.want(Starting)
}

func TestFirstCrashRestartsAtOnceAndTheNextWithBackOff(t *testing.T) {
	b := newBench(t)
	b.ready()
	b.Exited(b.now, b.run(), broken)
	b.want(Stopping)
	b.RequestStart(b.now, CauseSubmission) // meanwhile
	b.Stopped(b.now, b.run())
	b.want(Starting)
	b.Granted(b.run())
	b.Launched(b.run())
	b.BecameReady(b.now, b.run())
	b.Exited(b.now, b.run(), broken)
	b.Stopped(b.now, b.run())
	b.want(Failed)
	b.pass(5 * time.Second)
	b.ready()
	b.pass(testRules().BackOffReset)
	b.Observed(b.now, b.now, b.run(), contract.Activity{RunningJobs: 1})
	b.Exited(b.now, b.run(), broken)
	b.Stopped(b.now, b.run())
	b.want(Absent) // it was ready for long: this crash is a first one
}

func TestEngineThatReportsBetweenItsDeathsNeverWaitsLongerThanTheFirstBackOff(t *testing.T) {
	b := newBench(t)
	b.ready()
	b.crash()
	b.want(Absent)
	for range 100 {
		b.ready()
		b.FeedAdvanced(b.run())
		b.crash()
		b.want(Failed)
		if wait := b.Status().Failure.NextAt.Sub(b.now); wait != testRules().BackOff {
			t.Fatalf("the next start is %s away", wait)
		}
		b.pass(testRules().BackOff)
	}
}

func TestEngineThatGetsNowhereWaitsLongerAfterEachDeath(t *testing.T) {
	b := newBench(t)
	b.ready()
	b.FeedAdvanced(b.run())
	b.crash()
	b.want(Absent)
	for _, wait := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		b.ready()
		b.crash()
		b.want(Failed)
		if got := b.Status().Failure.NextAt.Sub(b.now); got != wait*time.Second {
			t.Fatalf("the next start is %s away, want %s", got, wait*time.Second)
		}
		b.pass(wait * time.Second)
	}
}

func TestEngineThatEndsWithoutAReportAgainAndAgainIsGivenUp(t *testing.T) {
	b := newBench(t)
	for i := range testRules().LostAfter {
		if b.Unfinished(b.now, 1, 1); b.asked(GiveUp) {
			t.Fatalf("given up after %d ends", i)
		}
		b.ready()
		b.crash()
		b.pass(testRules().BackOffMax)
	}
	b.Unfinished(b.now, 1, 1)
	if !b.asked(GiveUp) {
		t.Fatal("its jobs wait for ever")
	}
}

func TestFatalFailureIsNotRetriedBeforeAReset(t *testing.T) {
	b := newBench(t)
	b.RequestStart(b.now, CauseSubmission)
	b.fail(Failure{Code: "program", Reason: "No program.", Fatal: true}, true)
	b.pass(24 * time.Hour)
	b.Tick(b.now)
	b.RequestStart(b.now, CauseSubmission)
	b.want(Failed)
	b.Reset(b.now)
	b.ready()
}

func TestJobsOfAFatalFailureWaitForItsGrace(t *testing.T) {
	b := newBench(t)
	b.RequestStart(b.now, CauseUnfinished)
	b.fail(Failure{Code: "program", Reason: "No program.", Fatal: true}, true)
	b.pass(testRules().FatalGrace - 1)
	b.Unfinished(b.now, 1, 1)
	if b.asked(GiveUp) {
		t.Fatal("given up at once: a person had no time to mend it")
	}
	b.pass(1)
	b.Unfinished(b.now, 1, 1)
	if !b.asked(GiveUp) {
		t.Fatal("never given up")
	}
}

func TestAnUnreachableDriverNeverCostsAJob(t *testing.T) {
	b := newBench(t)
	for range 20 {
		b.Unfinished(b.now, 1, 1)
		b.fail(Failure{Code: "driver", Reason: "No answer."}, false)
		b.pass(testRules().BackOffMax)
	}
	if b.asked(GiveUp) {
		t.Fatal("jobs were given up because the driver did not answer")
	}
}

func TestJobsAreGivenUpAfterCountedFailuresAndNoStartGoesOnMeanwhile(t *testing.T) {
	b := newBench(t)
	for range testRules().LostAfter {
		b.Unfinished(b.now, 1, 1)
		b.fail(broken, true)
		b.pass(testRules().BackOffMax)
	}
	b.Unfinished(b.now, 1, 1)
	if !b.asked(GiveUp) {
		t.Fatal("not given up")
	}
	b.RequestStart(b.now, CauseSubmission)
	b.want(Failed)
	b.GivenUp()
	b.RequestStart(b.now, CauseSubmission)
	b.want(Starting)
}

func TestReservationAloneIsNeverGivenUp(t *testing.T) {
	b := newBench(t)
	for range 10 {
		b.Unfinished(b.now, 1, 0)
		b.fail(broken, true)
		b.pass(testRules().BackOffMax)
	}
	if b.asked(GiveUp) {
		t.Fatal("whether it was accepted only the engine knows")
	}
}

func TestSilentEngineThatRunsIsStoppedOnlyAfterAMinute(t *testing.T) {
	b := newBench(t)
	b.ready()
	for range 3 {
		b.pass(15 * time.Second)
		b.Silent(b.run())
	}
	if !b.asked(Inspect) {
		t.Fatal("the driver was not asked")
	}
	b.Present(b.now, b.run(), broken)
	b.want(Ready)
	for range 3 {
		b.pass(15 * time.Second)
		b.Silent(b.run())
	}
	b.SetDriver(false)
	b.Present(b.now, b.run(), broken)
	b.want(Ready)
	b.SetDriver(true)
	b.Present(b.now, b.run(), broken)
	b.want(Stopping)
	b.Stopped(b.now, b.run())
	b.want(Absent)
	if !b.asked(Review) {
		t.Fatal("nobody asked for its unfinished jobs")
	}
}

func TestEngineThatClaimsWorkNobodyWaitsForIsStopped(t *testing.T) {
	busy := contract.Activity{UnackedFeed: 1}
	hour := func(b *bench, send func()) {
		for range 61 {
			b.pass(time.Minute)
			send()
			b.Observed(b.now, b.now, b.run(), busy)
		}
	}
	for name, c := range map[string]struct {
		send func(b *bench)
		want State
	}{
		"the ledger knows of none":  {func(b *bench) { b.Unfinished(b.now, 0, 0) }, Stopping},
		"the ledger knows of one":   {func(b *bench) { b.Unfinished(b.now, 1, 1) }, Ready},
		"the ledger is unavailable": {func(*bench) {}, Ready},
		"the driver is unavailable": {func(b *bench) { b.SetDriver(false); b.Unfinished(b.now, 0, 0) }, Ready},
		"somebody is connected":     {func(b *bench) { b.Unfinished(b.now, 0, 0); b.Lease(b.now) }, Ready},
		"the ledger fell silent":    {func(b *bench) { b.sendOnce() }, Ready},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ready()
			hour(b, func() { c.send(b) })
			b.want(c.want)
		})
	}
}

func TestEngineWhoseFeedStaysUnreadableIsGivenUp(t *testing.T) {
	b := newBench(t)
	b.ready()
	b.FeedBroken(b.now, b.run(), broken)
	b.Stopped(b.now, b.run())
	b.want(Absent)
	b.ready() // one more attempt
	b.FeedBroken(b.now, b.run(), broken)
	b.Stopped(b.now, b.run())
	b.want(Failed)
	if !b.Status().Failure.Fatal {
		t.Fatal("it would be tried for ever")
	}
	b.Unfinished(b.now, 1, 1)
	if !b.asked(GiveUp) {
		t.Fatal("its jobs hold their slots for ever")
	}
}

func TestFailureThatNobodyAsksAboutIsForgotten(t *testing.T) {
	b := newBench(t)
	b.RequestStart(b.now, CauseSubmission)
	b.fail(broken, true)
	b.pass(testRules().Retain - 1)
	b.Tick(b.now)
	b.want(Failed)
	b.pass(1)
	b.Tick(b.now)
	b.want(Absent)
}

func TestIdleEngineIsDrainedAndAConnectionOrWorkKeepsIt(t *testing.T) {
	idle := testRules().Idle
	for name, c := range map[string]struct {
		before func(b *bench)
		act    contract.Activity
		want   State
	}{
		"idle":                     {nil, contract.Activity{}, Draining},
		"running job":              {nil, contract.Activity{RunningJobs: 1}, Ready},
		"queued job":               {nil, contract.Activity{QueuedJobs: 1}, Ready},
		"unacknowledged report":    {nil, contract.Activity{UnackedFeed: 1}, Ready},
		"stream beside the proxy":  {nil, contract.Activity{OpenStreams: 1}, Ready},
		"lease":                    {func(b *bench) { b.Lease(b.now) }, contract.Activity{}, Ready},
		"activity since last time": {nil, contract.Activity{LastActivity: time.Unix(1, 0)}, Ready},
		"driver down":              {func(b *bench) { b.SetDriver(false) }, contract.Activity{}, Ready},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ready()
			if c.before != nil {
				c.before(b)
			}
			b.pass(idle)
			b.Observed(b.now, b.now, b.run(), c.act)
			b.want(c.want)
		})
	}
}

func TestSubmissionUndoesADrainWhateverTheEngineAnswers(t *testing.T) {
	for _, answer := range []DrainAnswer{DrainAccepted, DrainUnknown} {
		b := newBench(t)
		b.ready()
		b.Evict(b.now)
		b.want(Draining)
		b.RequestStart(b.now, CauseSubmission)
		b.Drained(b.now, b.run(), answer)
		if !b.asked(Undrain) {
			t.Fatalf("%s: the engine goes on to refuse jobs", answer)
		}
		b.Undrained(b.now, b.run())
		b.want(Ready)
	}
}

func TestForbiddenEngineIsStoppedOnOrderAndNotStarted(t *testing.T) {
	b := newBench(t)
	b.ready()
	b.Forbid()
	b.StopNow(b.now)
	b.RequestStart(b.now, CauseSubmission)
	b.Stopped(b.now, b.run())
	b.want(Absent)
	b.RequestStart(b.now, CauseSubmission)
	b.Unfinished(b.now, 1, 1)
	b.want(Absent)
}

func TestOldestTransitionsAreForgotten(t *testing.T) {
	b := newBench(t)
	for range 40 {
		b.ready()
		b.StopNow(b.now)
		b.Stopped(b.now, b.run())
	}
	if past := b.Transitions(); len(past) != keptTransitions || past[len(past)-1] != b.Last() {
		t.Fatalf("%d transitions, the last %+v", len(past), past[len(past)-1])
	}
}
