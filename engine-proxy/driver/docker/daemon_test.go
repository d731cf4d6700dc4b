package docker

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/test/wait"
)

// resynced waits for the hint that hints may have been lost.
func resynced(t *testing.T, events <-chan driver.Event) {
	t.Helper()
	for wait.For(t, "a resync", events) != (driver.Event{}) {
	}
}

// frozen checks that nothing is concluded from a daemon's silence.
func frozen(t *testing.T, b *bed, h driver.Handle) {
	t.Helper()
	_, inspect := b.Inspect(t.Context(), h)
	_, list := b.List(t.Context())
	_, start := b.Start(t.Context(), b.spec(t), nil)
	for what, err := range map[string]error{
		"inspect": inspect, "list": list, "start": start,
		"stop": b.Stop(t.Context(), h, 0), "remove": b.Remove(t.Context(), h), "check": b.Check(t.Context()),
	} {
		if !errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrNotFound) {
			t.Errorf("%s without a daemon: %v, want ErrUnavailable", what, err)
		}
	}
}

// TestDaemonThatIsStoppedFreezesAndItsExitsAreKnownAfterwards is a restart of
// dockerd, which stops all containers.
func TestDaemonThatIsStoppedFreezesAndItsExitsAreKnownAfterwards(t *testing.T) {
	t.Parallel()
	daemon := dockertest.Start(t)
	b := newBedOn(t, daemon)
	s := b.spec(t)
	events, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := b.start(t, s)
	b.listening(t, s)
	if err := daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	frozen(t, b, h)
	drain(events)
	if err := daemon.Run(); err != nil {
		t.Fatal(err)
	}
	resynced(t, events)
	obs, err := b.Inspect(t.Context(), h)
	if err != nil || obs.Running || obs.Exit == nil {
		t.Fatalf("after the restart: %+v, %v, want an exit", obs, err)
	}
	if _, err := b.Adopt(t.Context(), h); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("adopting what has ended: %v, want ErrNotFound", err)
	}
	s.InstanceID = anotherInstance()
	b.start(t, s)
	b.listening(t, s)
}

// TestEnginesOutliveAKilledDaemonThatRestoresThem is what live-restore is for.
func TestEnginesOutliveAKilledDaemonThatRestoresThem(t *testing.T) {
	t.Parallel()
	daemon := dockertest.Start(t, "--live-restore")
	b := newBedOn(t, daemon)
	s := b.spec(t)
	h := b.start(t, s)
	b.listening(t, s)
	before, err := b.Inspect(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	events, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resynced(t, events)
	if err := daemon.Kill(); err != nil {
		t.Fatal(err)
	}
	frozen(t, b, h)
	b.listening(t, s)
	drain(events)
	if err := daemon.Run(); err != nil {
		t.Fatal(err)
	}
	resynced(t, events)
	after, err := b.another(t).Adopt(t.Context(), h)
	if err != nil || after.PID != before.PID || !after.Running {
		t.Fatalf("adopted %+v, %v, want process %d", after, err, before.PID)
	}
	if err := b.Stop(t.Context(), h, time.Minute); err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e.InstanceID == s.InstanceID {
			return
		}
	}
}

func TestWatchWaitsForADaemonThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	daemon := dockertest.Start(t)
	b := newBedOn(t, daemon)
	if err := daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	events, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Run(); err != nil {
		t.Fatal(err)
	}
	resynced(t, events)
}

// drain takes the hints that are there already.
func drain(events <-chan driver.Event) {
	for {
		select {
		case <-events:
		default:
			return
		}
	}
}
