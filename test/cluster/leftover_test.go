package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
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

// TestWhatAGatewayOfAClusterLeftIsSettledTenSecondsAfterItsEnd although it never comes back: the
// others and the engine proxy go on.
func TestWhatAGatewayOfAClusterLeftIsSettledTenSecondsAfterItsEnd(t *testing.T) {
	t.Parallel()
	c := rig.LaunchCluster(t, 2, postgrestest.URL(t), script.Engine{}, "SVC_RIG_DEADLINE=5s")
	dies, stays := c.Gateways[0], c.Gateways[1]
	stays.NewUser("alice", "100")
	key := stays.NewKey("alice", "--max-concurrent-jobs", "1")
	project := stays.NewProject(key)
	stays.Finish(key, stays.Generate(key, project)) // its engine is warm
	if err := dies.Kill(); err != nil {
		t.Fatal(err)
	}
	dies.Env = append(dies.Env, point.DieEnv+"=reserved=1")
	if err := errors.Join(dies.Start(), dies.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	if a, err := dies.Submit(t.Context(), key, project); err == nil {
		t.Fatalf("the gateway was to die, and answered %d", a.Status)
	}
	<-dies.Exited()
	ended := time.Now()
	if u := stays.Usage(key); u.RunningJobs != 1 {
		t.Errorf("%v after the end %d jobs count: nothing was left to be settled", time.Since(ended), u.RunningJobs)
	}
	if err := wait.Poll(t.Context(), settledWithin, func() bool { return stays.Usage(key).RunningJobs == 0 }); err != nil {
		t.Errorf("the slot is still taken: %v", err)
	}
	t.Logf("free %v after the end", time.Since(ended))
	stays.Finish(key, stays.Generate(key, project)) // a key of one concurrent job is not shut out
}
