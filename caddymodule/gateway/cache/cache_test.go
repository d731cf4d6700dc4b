package cache

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func TestACachedKeyCostsNoLookUp(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		for range 100 {
			wantAllowed(t, c, true)
			if _, err := c.Decide(t.Context(), "k", "p", policy.ActionStatus); err != nil {
				t.Fatal(err)
			}
			c.entries.Wait()
		}
		if n := o.count(); n != 2 {
			t.Errorf("the sidecar was asked %d times, want once for the key and once for the decision", n)
		}
	})
}

func TestARevocationIsSeenAtOnceByPush(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		wantAllowed(t, c, true)
		o.revoke()
		synctest.Wait()
		wantAllowed(t, c, false)
	})
}

func TestWithThePushCutARevocationIsSeenWithinHalfASecond(t *testing.T) {
	o := newOrigin()
	o.deaf = true
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		wantAllowed(t, c, true)
		o.revoke()
		time.Sleep(DefaultLease)
		synctest.Wait()
		wantAllowed(t, c, false)
	})
}

func TestWithoutContactTheCacheIsNotUsedAfterTheLease(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		wantAllowed(t, c, true)
		o.set(func(o *origin) { o.down = true })
		if !c.Fresh() {
			t.Fatal("the lease lapsed at once")
		}
		wantAllowed(t, c, true)
		time.Sleep(DefaultLease)
		if _, err := check(t, c); !errors.Is(err, errDown) {
			t.Errorf("after the lease: %v, want the sidecar's error", err)
		}
		fresh := make(chan error, 1)
		go func() { fresh <- c.AwaitFresh(t.Context()) }()
		synctest.Wait()
		if len(fresh) != 0 {
			t.Error("AwaitFresh returned without contact")
		}
		o.set(func(o *origin) { o.down = false })
		if err := <-fresh; err != nil {
			t.Error(err)
		}
		wantAllowed(t, c, true)
	})
}

func TestALateFillCannotResurrectARevokedKey(t *testing.T) {
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			o := newOrigin()
			hold := make(chan struct{})
			bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
				hold = make(chan struct{})
				o.set(func(o *origin) { o.hold, o.held = hold, make(chan struct{}) })
				type result struct {
					allowed bool
					err     error
				}
				filled := make(chan result, 1)
				go func() {
					allowed, err := look(t.Context(), c)
					filled <- result{allowed, err}
				}()
				synctest.Wait() // the look-up has read "active" and is held back
				o.revoke()
				synctest.Wait()
				close(hold)
				if r := <-filled; r.allowed || r.err != nil {
					t.Errorf("the look-up that was overtaken says %+v", r)
				}
				if allowed, err := look(t.Context(), c); allowed || err != nil {
					t.Errorf("afterwards: %v, %v", allowed, err)
				}
			})
		})
	}
}

func TestAStaleAnswerIsNotUsedWhenNoOneCanSayWhatChanged(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		hold := make(chan struct{})
		o.set(func(o *origin) { o.hold, o.held, o.deaf = hold, make(chan struct{}), true })
		done := make(chan error, 1)
		go func() {
			_, err := check(t, c)
			done <- err
		}()
		synctest.Wait()
		o.set(func(o *origin) { o.down = true })
		time.Sleep(2 * DefaultLease) // the lease is gone, the answer is old
		close(hold)
		if err := <-done; !errors.Is(err, errDown) {
			t.Errorf("got %v, want the second look-up's error", err)
		}
	})
}

// TestEachRefusalOfAKeyIsADecision: one from memory would be in no log.
func TestEachRefusalOfAKeyIsADecision(t *testing.T) {
	for name, refuse := range map[string]func(*origin){
		"of a key that no one has": func(o *origin) { o.unknown = true },
		"of a key that is revoked": func(o *origin) { o.state = policy.KeyRevoked },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrigin()
			refuse(o)
			bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
				for range 10 {
					if allowed, err := check(t, c); allowed || err != nil && !errors.Is(err, sidecar.ErrUnknownKey) {
						t.Fatalf("allowed %v, %v", allowed, err)
					}
				}
				if n := o.count(); n != 10 {
					t.Errorf("ten requests made %d decisions", n)
				}
				// Nothing of it stays in the way of a key that is there, or is again.
				o.set(func(o *origin) { o.unknown, o.state = false, policy.KeyActive })
				wantAllowed(t, c, true)
			})
		})
	}
}

// TestASlowFillCannotBringBackAKeyThatALaterOneFoundRevoked: no one said that anything
// changed, or not yet.
func TestASlowFillCannotBringBackAKeyThatALaterOneFoundRevoked(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		hold := make(chan struct{})
		o.set(func(o *origin) { o.hold, o.held = hold, make(chan struct{}) })
		slow := make(chan bool, 1)
		go func() {
			allowed, _ := check(t, c)
			slow <- allowed
		}()
		synctest.Wait() // it has read "active" and is held back
		time.Sleep(time.Millisecond)
		o.set(func(o *origin) { o.state = policy.KeyRevoked })
		// by a request for which the slow look-up is not good
		if found, err := c.lookUpKey(t.Context(), mint.KeyHash{1}); err != nil || found.identity.Decision.Allow {
			t.Errorf("the later look-up: %+v, %v", found, err)
		}
		c.entries.Wait()
		close(hold)
		if <-slow {
			t.Error("the slow look-up allows what a later one refused")
		}
		wantAllowed(t, c, false)
	})
}

func TestEntriesHaveABoundedLife(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		wantAllowed(t, c, true)
		time.Sleep(DefaultLife)
		synctest.Wait()
		wantAllowed(t, c, true)
		if n := o.count(); n != 2 {
			t.Errorf("the sidecar was asked %d times", n)
		}
	})
}

func TestRefusalsAndSubmissionsAreNeverKept(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		for range 3 {
			if _, err := c.Decide(t.Context(), "k", "p", policy.ActionGenerate); err != nil {
				t.Fatal(err)
			}
		}
		o.set(func(o *origin) { o.state = policy.KeyDisabled })
		for range 3 {
			if _, err := c.Decide(t.Context(), "k", "p", policy.ActionStatus); err != nil {
				t.Fatal(err)
			}
			c.entries.Wait()
		}
		if n := o.count(); n != 6 {
			t.Errorf("the sidecar was asked %d times, want 6", n)
		}
	})
}

// TestADeletedProjectIsForgottenAtOnce: else it is 404 for its owner's keys until
// the decisions are old, and 403 afterwards.
func TestADeletedProjectIsForgottenAtOnce(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		decide := func(project string) bool {
			t.Helper()
			d, err := c.Decide(t.Context(), "k", project, policy.ActionStatus)
			if err != nil {
				t.Fatal(err)
			}
			c.entries.Wait()
			return d.Allow
		}
		// A look-up that began before the deletion ends after it.
		hold := make(chan struct{})
		o.set(func(o *origin) { o.hold, o.held = hold, make(chan struct{}) })
		late := make(chan bool, 1)
		go func() { late <- decide("p") }()
		synctest.Wait()
		if err := c.DeleteProject(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
		close(hold)
		<-late
		if decide("p") {
			t.Error("the project that is deleted is allowed by an answer from before")
		}
		o.set(func(o *origin) { o.gone = false })
		if !decide("q") {
			t.Fatal("another project is refused")
		}
		reads := o.count()
		if err := c.DeleteProject(t.Context(), "q"); err != nil {
			t.Fatal(err)
		}
		if decide("q") || o.count() != reads+1 {
			t.Error("after its deletion the decision is as before")
		}
	})
}

func TestDecisionsOfOneKeyAreNotThoseOfAnother(t *testing.T) {
	o := newOrigin()
	bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
		looks := []struct {
			key, project string
			action       policy.Action
		}{
			{"k", "p", policy.ActionStatus}, {"k", "p", policy.ActionFiles}, {"k", "q", policy.ActionStatus},
			{"l", "p", policy.ActionStatus}, {"p", "k", policy.ActionStatus},
		}
		for _, l := range looks {
			if _, err := c.Decide(t.Context(), l.key, l.project, l.action); err != nil {
				t.Fatal(err)
			}
			c.entries.Wait()
		}
		if n := o.count(); n != len(looks) {
			t.Errorf("the sidecar was asked %d times, want %d", n, len(looks))
		}
	})
}

func TestOnChangeNamesTheKeysAfterTheirEntriesFell(t *testing.T) {
	o := newOrigin()
	var c *Cache
	notified := make(chan bool, 1)
	opts := Options{OnChange: func(ids []string) {
		allowed, _ := looks["key"](context.Background(), c)
		notified <- allowed || len(ids) != 1 || ids[0] != "k"
	}}
	bubble(t, o, opts, func(t *testing.T, made *Cache) {
		c = made
		wantAllowed(t, c, true)
		o.revoke()
		if wrong := <-notified; wrong {
			t.Error("the key was still allowed, or another was named")
		}
	})
}

func BenchmarkKeyHit(b *testing.B) {
	c, err := New(newOrigin(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	hash := mint.KeyHash{1}
	if err := c.AwaitFresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Authenticate(b.Context(), hash); err != nil {
		b.Fatal(err)
	}
	c.entries.Wait()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Authenticate(b.Context(), hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecisionHit(b *testing.B) {
	c, err := New(newOrigin(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := c.AwaitFresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	decide := func() {
		if _, err := c.Decide(b.Context(), "key_01JD0000000000000000000000", "0123456789abcdef01234567", policy.ActionStatus); err != nil {
			b.Fatal(err)
		}
	}
	decide()
	c.entries.Wait()
	b.ReportAllocs()
	for b.Loop() {
		decide()
	}
}

func TestAChangedPolicyVoidsEveryCachedAnswer(t *testing.T) {
	for name, deaf := range map[string]bool{"by push": false, "with the push cut": true} {
		t.Run(name, func(t *testing.T) {
			o := newOrigin()
			notified := 0
			bubble(t, o, Options{OnBasis: func() { notified++ }}, func(t *testing.T, c *Cache) {
				decide := func() policy.Decision {
					t.Helper()
					d, err := c.Decide(t.Context(), "k", "p", policy.ActionStatus)
					if err != nil {
						t.Fatal(err)
					}
					c.entries.Wait()
					return d
				}
				wantAllowed(t, c, true)
				decide()
				// The new policy refuses the key; its state, and so the log, is as before.
				o.set(func(o *origin) { o.state, o.basis = policy.KeyDisabled, "next" })
				if deaf {
					time.Sleep(DefaultLease)
				} else {
					o.hints <- struct{}{}
				}
				synctest.Wait()
				if decide().Allow {
					t.Error("the decision of the policy before still stands")
				}
				if notified != 1 {
					t.Errorf("notified %d times that the rules changed", notified)
				}
				wantAllowed(t, c, false)
			})
		})
	}
}
