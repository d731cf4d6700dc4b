package drivertest

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

func (h Harness) testLogs(t *testing.T) {
	t.Run("ShowTheEnd", func(t *testing.T) {
		d, _, handle := h.running(t, orders.Orders{Log: 1000})
		for _, each := range []driver.Driver{d, h.New(t)} {
			wait.Until(t, "the end of the log is there", func() bool {
				log, err := each.Logs(t.Context(), handle, 200)
				must(t, err)
				if len(log) > 200 {
					t.Fatalf("%d bytes of log, asked for 200", len(log))
				}
				return strings.HasSuffix(string(log), orders.LogEnd+"\n")
			})
		}
	})
	t.Run("AreKeptAfterTheEnd", func(t *testing.T) {
		d, s := h.New(t), h.Spec(t)
		handle := start(t, d, s, orders.Orders{Log: 1000, Exit: new(3)})
		ended(t, d, handle)
		log, err := h.New(t).Logs(t.Context(), handle, 1<<20)
		must(t, err)
		if !strings.Contains(string(log), orders.LogEnd) {
			t.Errorf("log of an ended engine: %q", log)
		}
	})
	t.Run("SayWhyAnEngineDidNotStart", func(t *testing.T) {
		d, s := h.New(t), h.Spec(t)
		handle := start(t, d, s, orders.Orders{Probes: []orders.Probe{{What: "nonsense"}}, Write: -1, Replace: "/nonexistent/program"})
		if exit := ended(t, d, handle); exit == nil || exit.Code != 1 {
			t.Errorf("it %s", exit)
		}
		log, err := d.Logs(t.Context(), handle, 1<<20)
		must(t, err)
		if !strings.Contains(string(log), "fake engine: no such file") && !strings.Contains(string(log), "fake engine: permission denied") {
			t.Errorf("log: %q", log)
		}
	})
	t.Run("AreCut", func(t *testing.T) {
		d, _, handle := h.running(t, orders.Orders{Log: 4 * h.LogLimit})
		wait.Until(t, "the log is cut and its end kept", func() bool {
			log, err := d.Logs(t.Context(), handle, 4*h.LogLimit)
			must(t, err)
			return int64(len(log)) <= h.LogLimit && strings.HasSuffix(string(log), orders.LogEnd+"\n")
		})
	})
	t.Run("OfNothingAreNotFound", func(t *testing.T) {
		d := h.New(t)
		if _, err := d.Logs(t.Context(), driver.Handle{}, 1); !errors.Is(err, driver.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}
