package fleet

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// TestEngineThatStopsDoesNotStartAgainForASubmissionDuringClose: a submission
// that waits for the engine's end is refused, and no engine is left.
func TestEngineThatStopsDoesNotStartAgainForASubmissionDuringClose(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		s.switches(project, fakeengine.Switches{IgnoreTerm: true})
		s.submit(project, "owner")
		go func() { _ = s.Stop(t.Context(), project, true) }()
		synctest.Wait()
		s.want(project, engineproxy.StateStopping)
		submitted := make(chan error, 1)
		go func() {
			_, err := s.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, time.Hour)
			submitted <- err
		}()
		synctest.Wait()
		if err := s.Proxy.Close(t.Context(), StopAll); err != nil {
			t.Fatal(err)
		}
		s.Proxy = nil
		if err := <-submitted; !errors.Is(err, engineproxy.ErrUnreachable) {
			t.Errorf("the submission got %v, want ErrUnreachable", err)
		}
		if n := s.driver.Starts()[project]; n != 1 || len(s.driver.Running()) > 0 {
			t.Errorf("%d starts, %d engines run", n, len(s.driver.Running()))
		}
		e, err := state.ReadEntry(state.Layout{Root: s.dir}.State(project))
		if err != nil || e.Generation != 1 || e.InstanceID != "" {
			t.Errorf("the journal says %+v, %v", e, err)
		}
	})
}

// A program that another goroutine is just starting has all our files until it
// has become what it is to be.
func TestDataDirectoryIsFreeOnceItsProxyHasClosed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	held, err := unix.Dup(int(r.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	r.close(KeepEngines)
	r.open()
}
