package drivertest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

// short is a grace that is over at once for an engine that is deaf.
const short = 50 * time.Millisecond

func (h Harness) testStop(t *testing.T) {
	t.Run("AsksFirst", h.stopAsksFirst)
	t.Run("KillsWhatIsDeaf", h.stopKillsWhatIsDeaf)
	t.Run("EndsWhatTheEngineStarted", h.stopEndsWhatTheEngineStarted)
	t.Run("ByAnotherDriver", h.stopByAnotherDriver)
	t.Run("OfWhatIsGoneIsDone", h.stopOfWhatIsGoneIsDone)
	t.Run("ByManyAtOnce", h.stopByManyAtOnce)
	t.Run("EndsWithItsContext", h.stopEndsWithItsContext)
	t.Run("RemoveKeepsTheVolume", h.stopRemoveKeepsTheVolume)
	t.Run("RemoveRefusesWhatRuns", h.stopRemoveRefusesWhatRuns)
}

func (h Harness) stopAsksFirst(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	stopped(t, s)
	if !orders.WasAsked(s.Volume) {
		t.Error("the engine was not asked")
	}
	if exit := ended(t, d, handle); exit == nil || exit.Code != 0 || exit.Signal != 0 {
		t.Errorf("an engine that obeyed %s", exit)
	}
}

func (h Harness) stopKillsWhatIsDeaf(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{Deaf: true})
	must(t, d.Stop(t.Context(), handle, short))
	stopped(t, s)
}

func (h Harness) stopEndsWhatTheEngineStarted(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{Child: true})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	stopped(t, s)
}

func (h Harness) stopByAnotherDriver(t *testing.T) {
	_, s, handle := h.running(t, orders.Orders{Deaf: true, Child: true})
	must(t, h.New(t).Stop(t.Context(), handle, short))
	stopped(t, s)
}

func (h Harness) stopOfWhatIsGoneIsDone(t *testing.T) {
	d, _, handle := h.running(t, orders.Orders{})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	must(t, h.New(t).Stop(t.Context(), handle, wait.Patience))
	must(t, d.Remove(t.Context(), handle))
	must(t, d.Stop(t.Context(), handle, wait.Patience))
}

func (h Harness) stopByManyAtOnce(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{Deaf: true})
	together(t, 4, func(int) (driver.Handle, error) { return handle, d.Stop(t.Context(), handle, short) })
	stopped(t, s)
}

func (h Harness) stopEndsWithItsContext(t *testing.T) {
	d, _, handle := h.running(t, orders.Orders{Deaf: true})
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	if err := d.Stop(ctx, handle, wait.Patience); err == nil {
		t.Error("the driver reports a running engine as gone")
	}
	if obs, err := d.Inspect(t.Context(), handle); err != nil || !obs.Running {
		t.Errorf("an engine within its grace: %+v, %v", obs, err)
	}
}

func (h Harness) stopRemoveKeepsTheVolume(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{Probes: []orders.Probe{{What: orders.Write, Arg: "kept"}}})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	for range 2 {
		must(t, d.Remove(t.Context(), handle))
	}
	must(t, h.New(t).Remove(t.Context(), handle))
	if _, err := os.Stat(filepath.Join(s.Volume, "kept")); err != nil {
		t.Error(err)
	}
	if _, err := h.New(t).Inspect(t.Context(), handle); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("inspecting what was removed: %v, want ErrNotFound", err)
	}
}

func (h Harness) stopRemoveRefusesWhatRuns(t *testing.T) {
	d, _, handle := h.running(t, orders.Orders{})
	for _, each := range []driver.Driver{d, h.New(t)} {
		if err := each.Remove(t.Context(), handle); err == nil {
			t.Error("a running instance was removed")
		}
	}
	if obs, err := d.Inspect(t.Context(), handle); err != nil || !obs.Running {
		t.Errorf("after a refused removal: %+v, %v", obs, err)
	}
}
