package activation_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/sidecar/activation"
)

// lagging are two sidecars with one store: both had a signed policy, and the second could not
// follow the first to one that nobody signed.
type lagging struct {
	a, b          fixture
	shipped, next string // revisions: of before, and of what the first decides by
	signed        string
	key           string // private, of what the second trusts
}

func lag(t *testing.T, o activation.Options) lagging {
	t.Helper()
	m := newMemory()
	private, public := keyPair(t)
	o.KeyFile = public
	l := lagging{a: join(t, m, "a", activation.Options{Unsigned: true}), b: join(t, m, "b", o), key: private}
	l.shipped = l.a.Revision()
	info, err := l.a.activate(t, signed(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Signed\n"), private))
	if err != nil {
		t.Fatal(err)
	}
	l.signed = info.Revision
	second()
	same(t, "a signed policy", l.signed, l.a, l.b)
	if info, err = l.a.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	l.next = info.Revision
	second()
	if s := l.b.Status(); l.b.Revision() != l.signed || !s.Degraded || s.Wanted != l.next || s.Problem.Step != activation.StepSignature {
		t.Fatalf("the second follows: %+v", s)
	}
	return l
}

func TestARollbackAtASidecarThatCouldNotFollowIsThatOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lag(t, activation.Options{})
		info, err := l.b.Rollback(t.Context(), "uid:7", "", nil)
		if err != nil || info.Revision != l.signed {
			t.Errorf("rolled back to %+v, %v; want %s", info, err, l.signed)
		}
		second()
		same(t, "after the rollback", l.signed, l.a, l.b)
		if s := l.b.Status(); s.Degraded || s.Wanted != l.signed {
			t.Errorf("status %+v", s)
		}
	})
}

// TestWhatAllDecideByIsComparedWithWhereASidecarCouldNotFollow: the policy differs from its own
// by a comment, and takes from everybody at the others what they may read.
func TestWhatAllDecideByIsComparedWithWhereASidecarCouldNotFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := recording(t, activation.Options{Threshold: 2})
		l := lag(t, o)
		l.b.asReader(t, 3, o)
		s := l.b.Status()
		if s.Base().Revision != l.next || s.Before == nil || s.Before.Revision != l.signed {
			t.Errorf("a change starts from %s, a rollback leads to %+v", s.Base().Revision, s.Before)
		}
		var from activation.Info
		next := signed(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Another\n"), l.key)
		info, err := l.b.Activate(t.Context(), activation.Request{Files: next, Source: "upload", Actor: "uid:7", Confirm: func(_ context.Context, was, _ activation.Info) error {
			from = was
			return nil
		}})
		if err != nil || info.Held == nil || info.Held.Changed != 3 || from.Revision != l.next {
			t.Errorf("compared with %s: %+v, %v", from.Revision, info, err)
		}
		second()
		same(t, "what waits", l.next, l.a)
	})
}

func TestASidecarIsNotDegradedAnyMoreWhenTheOthersAreWhereItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lag(t, activation.Options{})
		if _, err := l.a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "after a rollback", l.signed, l.a, l.b)
		if s := l.b.Status(); s.Degraded || s.Wanted != l.signed || l.b.PolicyProblem() != "" || s.Common != nil {
			t.Errorf("status %+v, problem %+v", s, s.Problem)
		}
	})
}

// TestAProblemOfTheSourceIsNotSettledByWhatOthersDo: it is of this sidecar's own directory.
func TestAProblemOfTheSourceIsNotSettledByWhatOthersDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, m := t.TempDir(), newMemory()
		write(t, dir, files(t))
		a, b := join(t, m, "a", activation.Options{Source: dir, Poll: time.Hour}), join(t, m, "b", activation.Options{Source: dir})
		write(t, dir, edit(t, files(t), "svc/key/key.rego", "package svc.key", "package"))
		for range 3 {
			second()
		}
		waiting, err := a.activate(t, readers(t))
		if err == nil {
			_, err = a.Rollback(t.Context(), "uid:7", "", nil)
		}
		if err != nil {
			t.Fatalf("%+v, %v", waiting, err)
		}
		second()
		if s := b.Status(); !s.Degraded || s.Problem.Step != activation.StepCompile {
			t.Errorf("status %+v", s)
		}
	})
}

// TestWhatASidecarOfTheSameProgramProvedIsNotProvenAgain: its tests and its table take more
// than the second in which all follow. What a former version activated is.
func TestWhatASidecarOfTheSameProgramProvedIsNotProvenAgain(t *testing.T) {
	for unproven, want := range map[bool]int64{false: 0, true: 2} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			m.unproven = unproven
			var proofs atomic.Int64
			o := activation.Options{DataDir: t.TempDir()}
			o.ProveAs(func(context.Context) *activation.Failure {
				proofs.Add(1)
				return nil
			})
			a, b := join(t, m, "a", activation.Options{}), join(t, m, "b", o)
			first := a.Revision()
			next, err := a.activate(t, readers(t))
			if err != nil {
				t.Fatal(err)
			}
			second()
			same(t, "after an activation", next.Revision, a, b)
			if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
				t.Fatal(err)
			}
			second()
			same(t, "after a rollback", first, a, b)
			if _, err := a.Rollback(t.Context(), "uid:7", next.Revision, nil); err != nil {
				t.Fatal(err)
			}
			second()
			same(t, "after the way back", next.Revision, a, b)
			if got := proofs.Load(); got != want {
				t.Errorf("without a word on who proved it (%t) it was proven %d times, want %d", unproven, got, want)
			}
			if _, err := b.activate(t, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n")); err != nil || proofs.Load() != want+1 {
				t.Errorf("what this one activates is proven %d times, want %d: %v", proofs.Load(), want+1, err)
			}
		})
	}
}

func TestAFailureToFollowThatPassesIsOverInASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.unproven = true
		var slow atomic.Bool
		var tries atomic.Int64
		o := activation.Options{}
		o.ProveAs(func(context.Context) *activation.Failure {
			if tries.Add(1); slow.Load() {
				return &activation.Failure{Step: activation.StepWarmUp, Err: errors.New("too slow")}
			}
			return nil
		})
		a, b := join(t, m, "a", activation.Options{}), join(t, m, "b", o)
		slow.Store(true)
		info, err := a.activate(t, readers(t))
		if err != nil {
			t.Fatal(err)
		}
		second()
		if s := b.Status(); !s.Degraded || s.Wanted != info.Revision {
			t.Fatalf("status %+v", s)
		}
		slow.Store(false)
		second()
		second()
		same(t, "after the failure passed", info.Revision, a, b)
		// One that does not pass takes less and less of the machine, and is logged once.
		slow.Store(true)
		tries.Store(0)
		if _, err := a.activate(t, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := tries.Load(); n < 4 || n > 8 {
			t.Errorf("tried %d times in a minute", n)
		}
		if logged := b.logs.FilterMessage("policy not activated; keeping the last good one").Len(); logged != 2 {
			t.Errorf("%d lines in the log, want one for each failure", logged)
		}
	})
}
