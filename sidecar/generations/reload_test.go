package generations_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/generations"
)

// TestNoDecisionFailsWhilePoliciesAreReloaded makes 100,000 decisions while the
// directory changes 50 times, every third time to a policy that is broken.
func TestNoDecisionFailsWhilePoliciesAreReloaded(t *testing.T) {
	const decisions, reloads, deciders = 100_000, 50, 2
	dir := t.TempDir()
	write(t, dir, files(t))
	f := open(t, generations.Options{Source: dir, Poll: 5 * time.Millisecond})

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
		next := files(t)
		broken := n%3 == 2
		if broken {
			next = edit(t, next, "svc/key/key.rego", "package svc.key", fmt.Sprintf("package svc.key\n\nbroken%d := {", n))
		} else {
			next = edit(t, next, "svc/key/key.rego", "# title: Key\n", fmt.Sprintf("# title: Key %d\n", n))
		}
		write(t, dir, next)
		after := await(t, func() (generations.Status, bool) {
			s := f.Status()
			return s, s.Active.Number > before.Active.Number || s.Degraded && s.Wanted != before.Wanted
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
	if failed.Load() != 0 || made.Load() < decisions || activated+refused != reloads || refused < reloads/3 {
		t.Errorf("%d of %d decisions failed, %d policies were activated, %d refused", failed.Load(), made.Load(), activated, refused)
	}
}

// await polls until done.
func await(t *testing.T, done func() (generations.Status, bool)) generations.Status {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if s, ok := done(); ok {
			return s
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the policy was neither activated nor refused")
		}
	}
}
