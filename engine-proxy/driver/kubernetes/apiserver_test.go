package kubernetes

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// frozen checks that nothing is concluded from the API server's silence. The
// other project has not started yet.
func frozen(t *testing.T, b *bed, h driver.Handle, other driver.Spec) {
	t.Helper()
	_, inspect := b.Inspect(t.Context(), h)
	_, adopt := b.Adopt(t.Context(), h)
	_, list := b.List(t.Context())
	_, logs := b.Logs(t.Context(), h, 1)
	_, start := b.Start(t.Context(), other, nil)
	for what, err := range map[string]error{
		"inspect": inspect, "adopt": adopt, "list": list, "logs": logs, "start": start,
		"stop": b.Stop(t.Context(), h, 0), "remove": b.Remove(t.Context(), h), "check": b.Check(t.Context()),
		"delete volume": b.DeleteVolume(t.Context(), other.ProjectID),
	} {
		if !errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrNotFound) {
			t.Errorf("%s without an API server: %v, want ErrUnavailable", what, err)
		}
	}
}

// resynced waits for the hint that hints may have been lost.
func resynced(t *testing.T, events <-chan driver.Event) {
	t.Helper()
	for wait.For(t, "a resync", events) != (driver.Event{}) {
	}
}

// runs reports whether the engine's process is there, whatever anybody says.
func runs(t *testing.T, s driver.Spec) bool {
	t.Helper()
	runs, err := orders.EngineRuns(s.Volume)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// newKillableBed returns a bed on a cluster whose API server the test may end.
func newKillableBed(t *testing.T) (*bed, *kubetest.Cluster) {
	t.Helper()
	return newBed(t), kubetest.Killable(t)
}

func TestEnginesOutliveTheAPIServerAndNothingIsConcluded(t *testing.T) {
	for how, end := range map[string]func(*kubetest.Cluster) error{
		"stopped": func(c *kubetest.Cluster) error { return c.StopAPI() },
		"killed":  func(c *kubetest.Cluster) error { return c.KillAPI() },
	} {
		t.Run(how, func(t *testing.T) {
			if how == "stopped" { // which takes it long, and leaves what a kill does
				long.Only(t)
			}
			b, cluster := newKillableBed(t)
			events, err := b.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s, brief, other := b.spec(t), b.spec(t), b.spec(t)
			h, gone := b.start(t, s), b.start(t, brief)
			wait.Until(t, "both run", func() bool { return runs(t, s) && runs(t, brief) })
			if err := end(cluster); err != nil {
				t.Fatal(err)
			}
			frozen(t, b, h, other)
			cluster.Node.OutOfMemory(t, b.namespace, podName(brief.ProjectID))
			wait.Until(t, "one engine ended meanwhile", func() bool { return !runs(t, brief) })
			for len(events) > 0 {
				<-events
			}
			if err := cluster.StartAPI(); err != nil {
				t.Fatal(err)
			}
			resynced(t, events)
			if obs, err := b.another(t).Adopt(t.Context(), h); err != nil || !obs.Running || !runs(t, s) {
				t.Errorf("adopted %+v, %v", obs, err)
			}
			if obs := b.ended(t, gone); obs.Exit == nil || obs.Exit.Reason != driver.ReasonOOM {
				t.Errorf("the one that ended meanwhile %s", obs.Exit)
			}
		})
	}
}

// TestAnAPIServerThatIsKilledDuringAStartLeavesOneEngine: what the start left
// is found, and the same instance is not made twice.
func TestAnAPIServerThatIsKilledDuringAStartLeavesOneEngine(t *testing.T) {
	b, cluster := newKillableBed(t)
	s := b.spec(t)
	cluster.Node.Disconnect() // so that the start waits
	failed := make(chan error, 1)
	go func() {
		_, err := b.Start(t.Context(), s, nil)
		failed <- err
	}()
	wait.Until(t, "the pod is made", func() bool { return len(b.all(t)) == 1 })
	if err := cluster.KillAPI(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("start: %v, want ErrUnavailable", err)
	}
	if err := cluster.StartAPI(); err != nil {
		t.Fatal(err)
	}
	cluster.Node.Reconnect()
	list, err := b.another(t).List(t.Context())
	if err != nil || len(list) != 1 || list[0].InstanceID != s.InstanceID {
		t.Fatalf("listed %+v, %v, want what the start has left", list, err)
	}
	h := b.start(t, s)
	wait.Until(t, "it runs", func() bool { return runs(t, s) })
	if string(h.Data) != string(list[0].Handle.Data) || len(b.all(t)) != 1 {
		t.Errorf("handle %s after %s, %d pods", h.Data, list[0].Handle.Data, len(b.all(t)))
	}
}

func TestAnAPIServerThatIsKilledDuringAStopIsAskedAgain(t *testing.T) {
	b, cluster := newKillableBed(t)
	s := b.spec(t)
	if err := orders.Order(s.Volume, orders.Orders{Deaf: true}); err != nil {
		t.Fatal(err)
	}
	h := b.start(t, s)
	wait.Until(t, "it runs", func() bool { return runs(t, s) })
	stopped := make(chan error, 1)
	go func() { stopped <- b.Stop(t.Context(), h, time.Minute) }()
	wait.Until(t, "the engine is asked to end", func() bool { return b.all(t)[0].Spec.ActiveDeadlineSeconds != nil })
	if err := cluster.KillAPI(); err != nil {
		t.Fatal(err)
	}
	if err := <-stopped; !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("stop: %v, want ErrUnavailable", err)
	}
	if err := cluster.StartAPI(); err != nil {
		t.Fatal(err)
	}
	if obs, err := b.Inspect(t.Context(), h); err != nil || !obs.Running {
		t.Fatalf("within its grace: %+v, %v", obs, err)
	}
	if err := b.Stop(t.Context(), h, 0); err != nil {
		t.Fatal(err)
	}
	if runs(t, s) {
		t.Error("the engine runs on")
	}
	if err := b.Remove(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	b.empty(t)
}
