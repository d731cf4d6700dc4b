package cluster

import (
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// TestAClockADayAheadOrBackIsAsThePageOfFailuresSays: nothing is refused for it, and jobs of
// before it can be read.
func TestAClockADayAheadOrBackIsAsThePageOfFailuresSays(t *testing.T) {
	t.Parallel()
	clock := newClock(t)
	b := newStand(t, script.Engine{}, clock.Env())
	old, pid := b.anotherJob(), b.PID()
	for _, jump := range []struct {
		by time.Duration
		failure
	}{
		{24 * time.Hour, failure{"a clock a day ahead", `clock jumped: "by":"24h0m0s"`, "svc_clock_timestamp_seconds > time()+3600", "SvcClockWrong"}},
		{-24 * time.Hour, failure{"a clock a day behind", `clock jumped: "by":"-48h0m0s"`, "svc_clock_timestamp_seconds < time()-3600", "SvcClockWrong"}},
	} {
		clock.Set(time.Now().Add(jump.by))
		wait.Until(t, "the metrics say so", func() bool { return jump.measured(b.Gateway) })
		jump.wantAsOnThePage(t, b.Gateway, b.key, old)
	}
	clock.Set(time.Now())
	if job := b.Finish(b.key, b.Generate(b.key, b.project)); job.Status != api.JobCompleted || job.TIKSpent != api.MicroPerTIK {
		t.Errorf("the record is %+v", job)
	}
	wait.Until(t, "every slot is free", func() bool { return b.Usage(b.key).RunningJobs == 0 })
	if code, s := b.status(); code != http.StatusOK || b.PID() != pid {
		t.Errorf("the status is %d %+v, of the process %d that was %d", code, s, b.PID(), pid)
	}
}
