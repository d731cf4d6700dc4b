package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
)

// together has many ask for the same while the first of them is held up in the sidecar, and
// returns how many were allowed, and the errors of the others, once let is done.
func together(t *testing.T, c *Cache, n int, look lookUp, let func()) (allowed int64, errs []error) {
	t.Helper()
	var all sync.WaitGroup
	var yes atomic.Int64
	failed := make(chan error, n)
	for i := range n {
		all.Go(func() {
			if ok, err := look(t.Context(), c); err != nil {
				failed <- err
			} else if ok {
				yes.Add(1)
			}
		})
		if i == 0 {
			synctest.Wait() // it is held up
		}
	}
	synctest.Wait()
	let()
	all.Wait()
	close(failed)
	for err := range failed {
		errs = append(errs, err)
	}
	return yes.Load(), errs
}

// eachLook runs a test on each kind of look-up, each with a sidecar of its own.
func eachLook(t *testing.T, test func(t *testing.T, o *origin, c *Cache, look lookUp)) {
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			o := newOrigin()
			bubble(t, o, Options{}, func(t *testing.T, c *Cache) { test(t, o, c, look) })
		})
	}
}

func TestManyWhoAskForTheSameAtOnceAskTheSidecarOnce(t *testing.T) {
	eachLook(t, func(t *testing.T, o *origin, c *Cache, look lookUp) {
		if allowed, errs := together(t, c, 1000, look, o.holds()); allowed != 1000 || len(errs) != 0 {
			t.Errorf("%d are allowed, errors %v", allowed, errs)
		}
		if n := o.count(); n != 1 {
			t.Errorf("the sidecar was asked %d times, want once", n)
		}
	})
}

// TestWhoLeavesWhileHeAsksTheSidecarFailsNobodyElse: one of those who wait asks instead.
func TestWhoLeavesWhileHeAsksTheSidecarFailsNobodyElse(t *testing.T) {
	eachLook(t, func(t *testing.T, o *origin, c *Cache, look lookUp) {
		o.holds()
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := look(ctx, c)
			left <- err
		}()
		synctest.Wait()
		if allowed, errs := together(t, c, 100, look, leave); allowed != 100 || len(errs) != 0 {
			t.Errorf("%d are allowed, errors %v", allowed, errs)
		}
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left gets %v", err)
		}
		if n := o.count(); n != 2 {
			t.Errorf("the sidecar was asked %d times, want twice", n)
		}
	})
}

func TestWhoWaitsForAnothersLookUpKeepsHisDeadline(t *testing.T) {
	eachLook(t, func(t *testing.T, o *origin, c *Cache, look lookUp) {
		let := o.holds()
		first := make(chan bool, 1)
		go func() {
			allowed, _ := look(t.Context(), c)
			first <- allowed
		}()
		synctest.Wait()
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := look(ctx, c); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 20*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		let()
		if !<-first {
			t.Error("who asks the sidecar is not answered")
		}
	})
}

// TestARevocationOvertakesTheLookUpThatManyShare: none of them is let in, nothing is kept,
// and each refusal is a decision.
func TestARevocationOvertakesTheLookUpThatManyShare(t *testing.T) {
	eachLook(t, func(t *testing.T, o *origin, c *Cache, look lookUp) {
		let := o.holds()
		allowed, errs := together(t, c, 100, look, func() {
			o.revoke()
			synctest.Wait()
			let()
		})
		if allowed != 0 || len(errs) != 0 {
			t.Errorf("%d are allowed, errors %v", allowed, errs)
		}
		if n := o.count(); n != 1+100 {
			t.Errorf("the sidecar was asked %d times, want 101: one answer was overtaken", n)
		}
		if ok, err := look(t.Context(), c); ok || err != nil {
			t.Errorf("afterwards: %v, %v", ok, err)
		}
	})
}

// TestWhatIsRevokedBeforeItIsSharedIsNotShared: the look-up has ended, and who waited for it
// has not had a processor since.
func TestWhatIsRevokedBeforeItIsSharedIsNotShared(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *origin, *Cache){
		"the key": func(_ *testing.T, o *origin, _ *Cache) {
			o.revoke()
			synctest.Wait()
		},
		"the project": func(t *testing.T, _ *origin, c *Cache) {
			if err := c.DeleteProject(t.Context(), "p"); err != nil {
				t.Fatal(err)
			}
		},
		"its time": func(*testing.T, *origin, *Cache) { time.Sleep(DefaultLife) },
		"the lease": func(_ *testing.T, o *origin, _ *Cache) {
			o.set(func(o *origin) { o.down = true })
			time.Sleep(2 * DefaultLease)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrigin()
			bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
				decision, err := c.lookUpDecision(t.Context(), question{"k", "p", policy.ActionStatus})
				if err != nil || !c.foundDecisionStands(decision) {
					t.Fatalf("the decision does not stand: %v", err)
				}
				key, err := c.lookUpKey(t.Context(), mint.KeyHash{1})
				if err != nil || !c.foundKeyStands(key) {
					t.Fatalf("the key does not stand: %v", err)
				}
				end(t, o, c)
				if c.foundDecisionStands(decision) {
					t.Error("the decision stands")
				}
				if name != "the project" && c.foundKeyStands(key) {
					t.Error("the key stands")
				}
			})
		})
	}
}

// TestAFailedLookUpFailsThoseAloneWhoWaitedForAllOfIt: who came later waits for the next one.
func TestAFailedLookUpFailsThoseAloneWhoWaitedForAllOfIt(t *testing.T) {
	eachLook(t, func(t *testing.T, o *origin, c *Cache, look lookUp) {
		let := o.holds()
		o.set(func(o *origin) { o.down = true })
		allowed, errs := together(t, c, 100, look, func() {
			o.set(func(o *origin) { o.down = false })
			let()
		})
		if allowed != 99 || len(errs) != 1 || !errors.Is(errs[0], errDown) {
			t.Errorf("%d are allowed, errors %v", allowed, errs)
		}
		if n := o.count(); n != 2 {
			t.Errorf("the sidecar was asked %d times, want twice", n)
		}
	})
}

// TestWhoWaitedForAWholeLookUpThatFailsFailsToo: else each would ask a sidecar that is down.
func TestWhoWaitedForAWholeLookUpThatFailsFailsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns[int]
		asked := 0
		look := func() (int, error) {
			asked++
			time.Sleep(time.Second)
			return 0, errDown
		}
		var clients sync.WaitGroup
		for i := range 100 {
			clients.Go(func() {
				if _, _, err := all.do(t.Context(), 1, good, look); !errors.Is(err, errDown) {
					t.Error(err)
				}
			})
			if i == 0 {
				synctest.Wait() // it looks, before the others come
			}
		}
		clients.Wait()
		if asked != 2 {
			t.Errorf("%d look-ups failed, want 2", asked)
		}
		if n, shared, err := all.do(t.Context(), 1, good, func() (int, error) { return 7, nil }); n != 7 || shared || err != nil {
			t.Errorf("who comes later: %d, shared %v, %v", n, shared, err)
		}
		if len(all.all) != 0 {
			t.Errorf("%d queues are left, in which nobody waits", len(all.all))
		}
	})
}

// TestWhoIsGoneFailsNobodyWhoAwaitedAllOfHisLookUp: his error is his own.
func TestWhoIsGoneFailsNobodyWhoAwaitedAllOfHisLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns[int]
		var clients sync.WaitGroup
		come := func(ctx context.Context, want error, look func() (int, error)) {
			clients.Go(func() {
				if _, _, err := all.do(ctx, 1, good, look); !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			})
			synctest.Wait()
		}
		come(t.Context(), errDown, func() (int, error) {
			time.Sleep(time.Second)
			return 0, errDown
		})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		come(ctx, context.DeadlineExceeded, func() (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		come(t.Context(), nil, func() (int, error) { return 7, nil })
		clients.Wait()
	})
}

// good has everything stand.
func good(int) bool { return true }

func TestALookUpThatPanicsFailsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns[int]
		first := make(chan any)
		go func() {
			defer func() { first <- recover() }()
			_, _, _ = all.do(t.Context(), 1, good, func() (int, error) {
				time.Sleep(time.Second)
				panic("a bug")
			})
		}()
		synctest.Wait()
		if n, shared, err := all.do(t.Context(), 1, good, func() (int, error) { return 7, nil }); n != 7 || shared || err != nil {
			t.Errorf("%d, shared %v, %v", n, shared, err)
		}
		if p := <-first; p != "a bug" {
			t.Errorf("who looked finds %v", p)
		}
	})
}

// TestADecisionIsNotSharedWithARequestThatItIsNotGoodFor: what a policy reads is known by its
// answer.
func TestADecisionIsNotSharedWithARequestThatItIsNotGoodFor(t *testing.T) {
	type from struct{}
	for name, look := range looks {
		o := newOrigin()
		o.policyReads = policy.ReadsIP
		request := func(ctx context.Context) peer.Request { return peer.Request{IP: ctx.Value(from{}).(string)} }
		bubble(t, o, Options{Request: request}, func(t *testing.T, c *Cache) {
			let := o.holds()
			var n atomic.Int64
			by := func(_ context.Context, c *Cache) (bool, error) {
				ip := "192.0.2.1"
				if n.Add(1) == 2 {
					ip = "192.0.2.2"
				}
				return look(context.WithValue(t.Context(), from{}, ip), c)
			}
			if allowed, errs := together(t, c, 2, by, let); allowed != 2 || len(errs) != 0 {
				t.Errorf("%s: %d are allowed, errors %v", name, allowed, errs)
			}
			if n := o.count(); n != 2 {
				t.Errorf("%s: the sidecar was asked %d times, want twice", name, n)
			}
		})
	}
}
