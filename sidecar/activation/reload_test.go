package activation_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// TestNoDecisionFailsWhilePoliciesAreReloaded makes 6,000 decisions, in the long
// run 100,000, while the directory changes 12 or 50 times, every third time to a
// policy that is broken.
func TestNoDecisionFailsWhilePoliciesAreReloaded(t *testing.T) {
	const deciders = 2
	decisions, reloads := 6_000, 12
	if long.Asked() {
		decisions, reloads = 100_000, 50
	}
	dir := t.TempDir()
	write(t, dir, files(t))
	f := open(t, activation.Options{Source: dir, Poll: 5 * time.Millisecond})

	var made, failed atomic.Int64
	decide := func() {
		made.Add(1)
		// Whatever policy decides: an owner may look at a job.
		if d, err := f.Decide(t.Context(), verify.Poll()); err != nil || !d.Allow {
			failed.Add(1)
		}
	}
	activated, refused := 0, 0
	for n := range reloads {
		// During each reload its part of the decisions, and then one now and again
		// until it is over, so that the change itself meets some.
		over := make(chan struct{})
		var working sync.WaitGroup
		for range deciders {
			working.Go(func() {
				for range decisions / reloads / deciders {
					decide()
				}
				tick := time.NewTicker(time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-tick.C:
						decide()
					case <-over:
						return
					}
				}
			})
		}
		before := f.Status()
		broken := n%3 == 2
		write(t, dir, revised(t, n, broken))
		after := before
		wait.Until(t, "the policy is activated or refused", func() bool {
			after = f.Status()
			return after.Active.Number > before.Active.Number || after.Degraded && after.Wanted != before.Wanted
		})
		close(over)
		working.Wait()
		if broken != after.Degraded {
			t.Fatalf("reload %d: %+v", n, after.Problem)
		}
		if broken {
			refused++
		} else {
			activated++
		}
	}
	t.Logf("%d decisions, %d of them failed; %d policies activated, %d refused", made.Load(), failed.Load(), activated, refused)
	if failed.Load() != 0 || made.Load() < int64(decisions) || activated+refused != reloads || refused < reloads/3 {
		t.Errorf("%d of %d decisions failed, %d policies were activated, %d refused", failed.Load(), made.Load(), activated, refused)
	}
}

// revised returns the n-th revision of the policy, broken or with another title.
func revised(t *testing.T, n int, broken bool) bundle.Snapshot {
	t.Helper()
	if broken {
		return edit(t, files(t), "svc/key/key.rego", "package svc.key", fmt.Sprintf("package svc.key\n\nbroken%d := {", n))
	}
	return edit(t, files(t), "svc/key/key.rego", "# title: Key\n", fmt.Sprintf("# title: Key %d\n", n))
}
