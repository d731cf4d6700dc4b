package activation_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar/activation"
)

// join opens an engine that shares its policies.
func join(t *testing.T, m *memory, name string, o activation.Options) fixture {
	t.Helper()
	f := open(t, o)
	stop, err := f.Share(t.Context(), m, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// second is the time in which all follow, when nothing else takes any.
func second() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func same(t *testing.T, when, revision string, all ...fixture) {
	t.Helper()
	for i, f := range all {
		if got := f.Revision(); got != revision {
			t.Errorf("%s: sidecar %d decides by %s, want %s", when, i, got, revision)
		}
	}
}

func TestAnActivationAndARollbackAreOneActForAllSidecars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		a, b := join(t, m, "a", activation.Options{}), join(t, m, "b", activation.Options{})
		first := a.Revision()
		same(t, "at first", first, a, b)
		second()
		next, err := a.activate(t, readers(t))
		if err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "after an activation", next.Revision, a, b)
		if !b.mayRead(t) {
			t.Error("the other sidecar decides as before")
		}
		if got := b.Status().Active; got.Number != next.Number || got.ActivatedBy != "uid:7" {
			t.Errorf("the other sidecar has %+v, want %+v", got, next)
		}
		// One that joins later, and has nothing, decides likewise; so does one that was away.
		c := join(t, m, "c", activation.Options{})
		same(t, "one that joins", next.Revision, c)
		if _, err := b.Rollback(t.Context(), "uid:8", "", nil); err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "after a rollback", first, a, b, c)
		if _, err := c.Rollback(t.Context(), "uid:8", next.Revision, nil); err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "after a rollback to what the third never had", next.Revision, a, b, c)
		if kept := a.Status().Generations; len(kept) != 2 || kept[1].Revision != next.Revision {
			t.Errorf("kept: %+v", kept)
		}
	})
}

func TestASidecarThatDecidesByAnotherPolicyIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		metrics := activation.NewMetrics()
		a := join(t, m, "a", activation.Options{Metrics: metrics})
		_, public := keyPair(t)
		b := join(t, m, "b", activation.Options{KeyFile: public}) // it takes only what is signed
		if _, err := a.activate(t, readers(t)); err != nil {
			t.Fatal(err)
		}
		second()
		if s := b.Status(); !s.Degraded || s.Problem.Step != activation.StepSignature || s.Wanted != a.Revision() || b.mayRead(t) {
			t.Errorf("the other sidecar: %+v", s)
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		seen := map[string]string{}
		for _, one := range a.Status().Sidecars {
			seen[one.Name] = one.Revision
		}
		if seen["a"] != a.Revision() || seen["b"] != b.Revision() || seen["a"] == seen["b"] {
			t.Errorf("seen are %v", seen)
		}
		if got := differing(t, metrics); got != 1 {
			t.Errorf("%g sidecars differ, want 1", got)
		}
		if got := a.PolicyProblem(); got != "sidecars with this store decide by another policy" {
			t.Errorf("the status says %q", got)
		}
		if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		same(t, "after a rollback", b.Revision(), a)
		if got := differing(t, metrics); got != 0 {
			t.Errorf("%g sidecars differ after a rollback, want 0", got)
		}
		if got := a.PolicyProblem(); got != "" {
			t.Errorf("the status says %q after a rollback", got)
		}
	})
}

// differing is what the gauge says of the sidecars that decide by another policy.
func differing(t *testing.T, m *activation.Metrics) float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	for _, c := range m.Collectors() {
		registry.MustRegister(c)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "svc_policy_differing_sidecars" {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatal("there is no such gauge")
	return 0
}

func TestASourceThatReachesSidecarsOneAfterTheOtherIsActivatedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		dir := t.TempDir()
		write(t, dir, files(t))
		a := join(t, m, "a", activation.Options{Source: dir})
		late := join(t, m, "b", activation.Options{Source: dir, Poll: time.Minute})
		first := a.Revision()
		soon, later := 3*activation.DefaultPoll, 3*time.Minute
		wait := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		write(t, dir, readers(t))
		wait(soon)
		next := a.Revision()
		same(t, "after the directory changed", next, a, late)
		if next == first {
			t.Fatal("nothing was activated")
		}
		if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		wait(later) // the other one looks at the directory
		same(t, "after a rollback", first, a, late)
		again := join(t, m, "c", activation.Options{Source: dir})
		same(t, "after a start of one that has no memory", first, a, late, again)
		write(t, dir, files(t))
		wait(soon)
		write(t, dir, readers(t))
		wait(soon)
		same(t, "after the directory went back and forth", next, a, late)
		wait(later)
		same(t, "some minutes later", next, a, late)
	})
}

func TestAFloorHoldsForAllSidecars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		a, b := join(t, m, "a", activation.Options{}), join(t, m, "b", activation.Options{})
		numbered := func(s bundle.Snapshot, sequence int64) bundle.Snapshot {
			archive(t, s, sequence, "")
			return s
		}
		if _, err := a.activate(t, numbered(readers(t), 9)); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		var failure *activation.Failure
		if _, err := b.activate(t, numbered(files(t), 8)); !errors.As(err, &failure) || failure.Step != activation.StepSequence {
			t.Errorf("an older bundle at the other sidecar: %v", err)
		}
	})
}

func TestWhileTheStoreIsDownTheLastGoodPolicyDecidesAndNoneIsActivated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		a, b := join(t, m, "a", activation.Options{}), join(t, m, "b", activation.Options{})
		first := a.Revision()
		m.fail(errors.New("no connection"))
		second()
		if _, err := a.activate(t, readers(t)); err == nil {
			t.Error("a policy was activated for one sidecar alone")
		}
		same(t, "while the store is down", first, a, b)
		m.fail(nil)
		next, err := a.activate(t, readers(t))
		if err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "afterwards", next.Revision, a, b)
	})
}

// A disk that is full, or a folder that somebody removed, must not leave one sidecar
// behind for good: the others have what it activated.
func TestASidecarThatCannotWriteDecidesAsTheOthersDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		dir := t.TempDir()
		a, b := join(t, m, "a", activation.Options{DataDir: dir}), join(t, m, "b", activation.Options{})
		first := a.Revision()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		next, err := a.activate(t, readers(t))
		if err != nil {
			t.Errorf("activating: %v", err)
		}
		second()
		same(t, "after an activation", next.Revision, a, b)
		if _, err := a.Rollback(t.Context(), "uid:7", first, nil); err != nil {
			t.Errorf("rolling back: %v", err)
		}
		second()
		same(t, "after a rollback", first, a, b)
		again := join(t, m, "a", activation.Options{})
		same(t, "after a start with an empty folder", first, a, b, again)
	})
}

// raced is a store in which another sidecar changes something before each of the next
// saves.
type raced struct {
	*memory
	before []func()
}

func (r *raced) Save(ctx context.Context, version int64, state []byte, archives map[string][]byte, keep []string) error {
	if len(r.before) > 0 {
		meanwhile := r.before[0]
		r.before = r.before[1:]
		meanwhile()
	}
	return r.memory.Save(ctx, version, state, archives, keep)
}

func TestSidecarsThatAreStartedAtOnceWithAnotherSourceAllStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		dir := t.TempDir()
		write(t, dir, files(t))
		old := join(t, m, "old", activation.Options{Source: dir, Poll: time.Hour})
		write(t, dir, readers(t))
		late := open(t, activation.Options{Source: dir})
		var early fixture
		r := &raced{memory: m, before: []func(){
			func() { // of another policy, for which the late one begins again
				if _, err := old.activate(t, edit(t, readers(t), "svc/key/key_test.rego", "package", "# Another one.\npackage")); err != nil {
					t.Error(err)
				}
			},
			func() { early = join(t, m, "early", activation.Options{Source: dir}) },
		}}
		stop, err := late.Share(t.Context(), r, "late")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
		second()
		same(t, "after both have started", early.Revision(), old, late, early)
		if len(r.before) > 0 || !late.mayRead(t) {
			t.Errorf("%d changes are left; a reader may read: %t", len(r.before), late.mayRead(t))
		}
	})
}
