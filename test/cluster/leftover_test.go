package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/test/rig/point"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// settledWithin is what docs/operations.md promises, Restart.
const settledWithin = 10 * time.Second

// TestWhatAKilledGatewayLeftIsSettledTenSecondsAfterTheNextStart: with the deadline that
// the service has unless it is configured. Where the engine is gone as well, it is started to
// be asked, which comes on top.
func TestWhatAKilledGatewayLeftIsSettledTenSecondsAfterTheNextStart(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{}, "SVC_RIG_DEADLINE=5s")
	b.Env = append(b.Env, point.DieEnv+"=reserved=1")
	b.restart(func() {})
	if got := <-b.submit(); got.err == nil {
		t.Fatalf("the gateway was to die, and answered %d", got.answer.Status)
	}
	<-b.Exited()
	b.Env = b.Env[:len(b.Env)-1]
	begun := time.Now()
	if err := errors.Join(b.Start(), b.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	if u := b.Usage(b.key); u.RunningJobs != 1 {
		t.Errorf("%v after the start %d jobs count: nothing was left to be settled", time.Since(begun), u.RunningJobs)
	}
	if err := wait.Poll(t.Context(), settledWithin, func() bool { return b.Usage(b.key).RunningJobs == 0 }); err != nil {
		t.Errorf("the slot is still taken: %v", err)
	}
	t.Logf("free %v after the start", time.Since(begun))
	b.wantFree()
}
