package kubernetes

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/wait"
)

// reasons waits for the hint that an instance may have ended.
func reasons(t *testing.T, events <-chan driver.Event, s driver.Spec) {
	t.Helper()
	for {
		if e := wait.For(t, "a hint of the end", events); e.InstanceID == s.InstanceID {
			return
		}
	}
}

func TestEndsThatTheNodeCausedAreExplained(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	node := b.cluster.OfItsOwn(t)
	for reason, end := range map[driver.Reason]func(pod string){
		driver.ReasonOOM: func(pod string) { node.OutOfMemory(t, b.namespace, pod) },
		ReasonEvicted:    func(pod string) { node.Evict(t, b.namespace, pod) },
	} {
		t.Run(string(reason), func(t *testing.T) {
			s := b.spec(t)
			events, err := b.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			h := b.start(t, s)
			end(podName(s.ProjectID))
			reasons(t, events, s)
			if obs := b.ended(t, h); obs.Exit == nil || obs.Exit.Reason != reason {
				t.Errorf("it %s", obs.Exit)
			}
		})
	}
}

// TestAFailedEngineAndADeletedOneAreKeptApart: of the first it is known how it
// ended, the second is provably gone, and both are told.
func TestAFailedEngineAndADeletedOneAreKeptApart(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	events, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := b.spec(t)
	h := b.start(t, s)
	if err := b.cluster.Admin.CoreV1().Pods(b.namespace).Delete(t.Context(), podName(s.ProjectID), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	reasons(t, events, s)
	wait.Until(t, "the pod is gone", func() bool {
		_, err := b.Inspect(t.Context(), h)
		return errors.Is(err, driver.ErrNotFound)
	})
	if err := b.Remove(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	b.empty(t)
}

// TestAnEngineOnALostNodeIsNotGone until an operator says so by force.
func TestAnEngineOnALostNodeIsNotGone(t *testing.T) {
	b := newBed(t)
	node := b.cluster.OfItsOwn(t)
	b.killTimeout = 100 * time.Millisecond
	s := b.spec(t)
	h := b.start(t, s)
	node.Disconnect()
	t.Cleanup(node.Reconnect)
	for range 2 {
		if err := b.Stop(t.Context(), h, 50*time.Millisecond); !errors.Is(err, driver.ErrUnavailable) {
			t.Fatalf("stopping it: %v, want ErrUnavailable", err)
		}
	}
	if obs, err := b.Inspect(t.Context(), h); err != nil || !obs.Running {
		t.Errorf("inspected %+v, %v, want one that may run", obs, err)
	}
	if err := b.Remove(t.Context(), h); err == nil {
		t.Error("it was removed")
	}
	var reason *driver.ReasonError
	if _, err := b.Start(t.Context(), next(s), nil); !errors.Is(err, driver.ErrUnavailable) || !errors.As(err, &reason) || reason.Reason != reasonEarlier {
		t.Errorf("starting another on its volume: %v", err)
	}
	zero := int64(0)
	err := b.cluster.Admin.CoreV1().Pods(b.namespace).Delete(t.Context(), podName(s.ProjectID), metav1.DeleteOptions{GracePeriodSeconds: &zero})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Stop(t.Context(), h, 0); err != nil {
		t.Errorf("stopping what an operator has given up: %v", err)
	}
}
