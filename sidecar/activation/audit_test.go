package activation_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// acts is what an audit log has.
type acts struct {
	mu   sync.Mutex
	all  [][2]activation.Info
	down error
}

func (a *acts) record(_ context.Context, from, next activation.Info) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.down != nil {
		return a.down
	}
	a.all = append(a.all, [2]activation.Info{from, next})
	return nil
}

func (a *acts) last() (from, next activation.Info, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n = len(a.all); n > 0 {
		from, next = a.all[n-1][0], a.all[n-1][1]
	}
	return from, next, n
}

// TestWhatTheServiceActivatesByItselfIsRecordedWithWhatItChanges: below the threshold, above
// it, and while the service was down.
func TestWhatTheServiceActivatesByItselfIsRecordedWithWhatItChanges(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	o := recording(t, activation.Options{Source: dir, Poll: 5 * time.Millisecond, Threshold: 3})
	f := open(t, o)
	log := &acts{}
	if err := f.AuditWith(t.Context(), log.record); err != nil {
		t.Fatal(err)
	}
	shipped := f.Revision()
	f.asReader(t, 2, o)
	write(t, dir, readers(t))
	wait.Until(t, "the readers' policy is active", func() bool { return f.Revision() != shipped })
	from, next, n := log.last()
	if n != 1 || from.Revision != shipped || next.Revision != f.Revision() || next.Changes == nil || next.Changes.Changed != 2 || next.Changes.Decisions != 2 {
		t.Errorf("%d are recorded, the last from %s to %+v", n, from.Revision, next)
	}
	if s := f.Status(); s.Active.Changes == nil || s.Active.Changes.Changed != 2 {
		t.Errorf("status %+v", s.Active)
	}
	logged := f.logs.FilterMessage("policy activated").All()
	if got := logged[len(logged)-1].ContextMap(); got["changed"] != int64(2) || got["decisions"] != int64(2) || got["rows"] != int64(0) {
		t.Errorf("the log says %v", got)
	}
	for range 4 {
		if !f.mayRead(t) {
			t.Fatal("a reader may not read")
		}
	}
	wait.Until(t, "the decisions are recorded", func() bool { return lines(t, o) == 6 })
	write(t, dir, files(t))
	wait.Until(t, "the directory waits", func() bool { return f.Status().Waiting != nil })
	if _, next, n := log.last(); n != 2 || next.Held == nil || next.Held.Changed != 6 {
		t.Errorf("%d are recorded, the last %+v", n, next)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	// What came while the service was down is recorded as soon as it can be.
	o.Log = nil
	former := f.Revision()
	write(t, dir, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"))
	f = open(t, o)
	if err := f.AuditWith(t.Context(), log.record); err != nil {
		t.Fatal(err)
	}
	if from, next, n := log.last(); n != 3 || from.Revision != former || next.Revision != f.Revision() || from.Revision == next.Revision {
		t.Errorf("%d are recorded, the last from %s to %+v", n, from.Revision, next)
	}
	// What can't be recorded is not activated.
	log.mu.Lock()
	log.down = errors.New("no audit log")
	log.mu.Unlock()
	before := f.Revision()
	write(t, dir, readers(t))
	f.until(t, "it is not recorded", failedAt(activation.StepConfirm))
	if f.Revision() != before {
		t.Error("what is not recorded is active")
	}
}

// TestAStartWithWhatWasActiveIsNoChange: neither is the first one.
func TestAStartWithWhatWasActiveIsNoChange(t *testing.T) {
	o, log := activation.Options{DataDir: t.TempDir()}, &acts{}
	for range 2 {
		f := open(t, o)
		if err := f.AuditWith(t.Context(), log.record); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if from, next, n := log.last(); n != 0 {
		t.Errorf("%d are recorded, the last from %+v to %+v", n, from, next)
	}
}
