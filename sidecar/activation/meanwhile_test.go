package activation_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// TestOthersGoOnWhileTheTablesAreTried rolls back meanwhile: what was weighed against the
// policy of before is weighed anew.
func TestOthersGoOnWhileTheTablesAreTried(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	o := activation.Options{Source: dir, Poll: 5 * time.Millisecond}
	tried, goOn := make(chan string), make(chan bool)
	o.TryTablesAs(func(ctx context.Context, from, _ fs.FS) (int, bool, error) {
		key, err := fs.ReadFile(from, "svc/key/key.rego")
		if err != nil {
			return 0, false, err
		}
		select {
		case tried <- strings.TrimSpace(strings.SplitN(string(key), "\n", 3)[1]):
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
		<-goOn
		return 0, true, nil
	})
	f := open(t, o)
	shipped := f.Revision()
	uploaded, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, readers(t))
	if title := <-tried; title != "# title: Keys" {
		t.Errorf("compared with %q", title)
	}
	if s := f.Status(); s.Active.Revision != uploaded.Revision {
		t.Errorf("status %+v", s)
	}
	if back, err := f.Rollback(t.Context(), "uid:7", "", nil); err != nil || back.Revision != shipped {
		t.Errorf("rolled back to %+v, %v", back, err)
	}
	goOn <- true
	if title := <-tried; title != "# title: Key" || f.Revision() != shipped {
		t.Errorf("compared with %q, active is %s", title, f.Revision())
	}
	goOn <- true
	wait.Until(t, "the directory is active", func() bool { return f.mayRead(t) })
	if s := f.Status(); s.Degraded {
		t.Errorf("status %+v", s)
	}
}

// TestWhatAnotherSidecarHoldsMeanwhileIsNotActivated has one source for two sidecars: the
// log of one says that its policy must wait, while the other, on which less was asked, still
// weighs it.
func TestWhatAnotherSidecarHoldsMeanwhileIsNotActivated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, m := t.TempDir(), newMemory()
		write(t, dir, files(t))
		busy := recording(t, activation.Options{Source: dir, Threshold: 2})
		a := join(t, m, "a", busy)
		quiet, goOn := activation.Options{Source: dir}, make(chan bool)
		quiet.TryTablesAs(func(ctx context.Context, _, _ fs.FS) (int, bool, error) {
			select {
			case whole := <-goOn:
				return 0, whole, nil
			case <-ctx.Done():
				return 0, false, ctx.Err()
			}
		})
		b := join(t, m, "b", quiet)
		shipped := a.Revision()
		a.asReader(t, 3, busy)
		write(t, dir, readers(t))
		for range 3 {
			second()
		}
		waiting := b.Status().Waiting
		if waiting == nil || a.Status().Waiting == nil || waiting.Digest != a.Status().Waiting.Digest {
			t.Fatalf("what waits: %+v, at the first %+v", waiting, a.Status())
		}
		goOn <- true
		for range 3 {
			second()
		}
		same(t, "what waits", shipped, a, b)
		if now := b.Status().Waiting; now == nil || now.Number != waiting.Number {
			t.Errorf("what waits is %+v, was %+v", now, waiting)
		}
	})
}

// TestAPolicyWhoseProofAStopCutsIsProvenAtTheNextStart: it is not taken for one that failed.
func TestAPolicyWhoseProofAStopCutsIsProvenAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	began := make(chan bool)
	var stops atomic.Bool
	o := activation.Options{Source: dir, Poll: 5 * time.Millisecond, DataDir: t.TempDir()}
	o.ProveAs(func(ctx context.Context) *activation.Failure {
		if !stops.Load() {
			return nil
		}
		began <- true
		<-ctx.Done()
		return &activation.Failure{Step: activation.StepTests, Err: errors.New("a test was not run")}
	})
	f := open(t, o)
	shipped := f.Revision()
	stops.Store(true)
	write(t, dir, readers(t))
	<-began
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	stops.Store(false)
	if f = open(t, o); f.Revision() == shipped || f.Status().Degraded {
		t.Errorf("status %+v", f.Status())
	}
}
