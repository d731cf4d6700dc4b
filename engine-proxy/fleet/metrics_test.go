package fleet

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
)

// measure is what one counter, gauge or histogram holds.
type measure struct {
	value float64
	count uint64  // of a histogram
	sum   float64 // likewise
}

// gathered returns what a set has measured, by name and the values of labels in
// the order of their names. Zeros are left out.
func gathered(t *testing.T, m *Metrics) map[string]measure {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.Collectors()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]measure)
	for _, f := range families {
		for _, one := range f.GetMetric() {
			name := []string{strings.TrimPrefix(f.GetName(), "svc_")}
			for _, l := range one.GetLabel() {
				name = append(name, l.GetValue())
			}
			h := one.GetHistogram()
			found := measure{one.GetCounter().GetValue() + one.GetGauge().GetValue(), h.GetSampleCount(), h.GetSampleSum()}
			if found != (measure{}) {
				out[strings.Join(name, " ")] = found
			}
		}
	}
	return out
}

func TestStartsAreMeasuredByPhaseFailuresByReasonAndEnginesByState(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	simulate(t, func(o *Options) { o.Metrics, o.MaxStarts = m, 1 }, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = 3 * time.Second })
		for _, owner := range []string{"ann", "bob"} { // bob's waits for ann's turn
			_, _ = s.Submit(t.Context(), engineproxy.Project{ID: mint.NewProjectID(), OwnerID: owner}, 0)
		}
		s.pass(10 * time.Second)
		s.driver.Set(func(f *fakedriver.Faults) {
			f.Refuse = func(driver.Spec) error { return fmt.Errorf("%w: no image", driver.ErrFatalSpec) }
		})
		if _, err := s.Submit(t.Context(), engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "cid"}, time.Minute); err == nil {
			t.Fatal("a driver that refuses started an engine")
		}
		s.pass(time.Second)
		got := gathered(t, m)
		for name, want := range map[string]float64{
			"engines ready": 2, "engines failed": 1, "engine_failures_total program": 1, "engine_stops_total start_failed": 1, "engine_driver_up": 1,
		} {
			if v := got[name].value; v != want {
				t.Errorf("%s is %v, want %v", name, v, want)
			}
		}
		for name, want := range map[string]struct {
			count   uint64
			seconds float64
		}{
			"fake ready queued": {2, 3}, "fake ready creating": {2, 6}, "fake ready booting": {2, 0}, "fake ready total": {2, 9},
			"fake failed creating": {1, 3}, "fake failed total": {1, 3},
		} {
			h := got["engine_start_seconds "+name]
			if h.count != want.count || h.sum < want.seconds-0.1 || h.sum > want.seconds+0.1 {
				t.Errorf("starts %s: %d took %v s, want %d and %v s", name, h.count, h.sum, want.count, want.seconds)
			}
		}
		if t.Failed() {
			t.Log(slices.Sorted(maps.Keys(got)))
		}
	})
}

func TestRoomOnTheDiskIsMeasuredWhileAnEngineProxyIsThere(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	said := func() bool { return gathered(t, m)["engine_disk_free_bytes"].value > 0 }
	if said() {
		t.Error("it is said of no disk")
	}
	simulate(t, func(o *Options) { o.Metrics = m }, func(t *testing.T, s *sim) {
		s.pass(time.Second)
		if !said() {
			t.Error("it is not said")
		}
	})
}

func TestEveryReasonOfAFailureIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "| `svc_engine_failures_total` |")
	row, _, _ := strings.Cut(rest, "\n")
	if !found {
		t.Fatal("the metric is not described")
	}
	for _, code := range failureCodes {
		if !strings.Contains(row, "`"+code+"`") {
			t.Errorf("the reason %s is not described", code)
		}
	}
}
