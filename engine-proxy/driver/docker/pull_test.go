package docker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
)

func TestMissingImageIsPulledOnce(t *testing.T) {
	registry := newRegistry(t, map[string]string{dockertest.SelfPath: programs.Build(t, fakeengine.Folder)}, dockertest.SelfPath)
	b := newBed(t, func(o *Options) { o.Image, o.Pull = registry.Image, PullMissing })
	var phases []driver.Phase
	s := b.spec(t)
	if _, err := b.Start(t.Context(), s, func(p driver.Phase) { phases = append(phases, p) }); err != nil {
		t.Fatal(err)
	}
	b.listening(t, s)
	if want := []driver.Phase{driver.PhaseCreating, driver.PhasePulling, driver.PhaseCreating}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	registry.Close()
	second := b.spec(t)
	b.start(t, second)
	b.listening(t, second)
}

// TestPullOutlivesTheStartThatBeganIt: pulls may take longer than a start may.
func TestPullOutlivesTheStartThatBeganIt(t *testing.T) {
	registry := newRegistry(t, map[string]string{dockertest.SelfPath: programs.Build(t, fakeengine.Folder)}, dockertest.SelfPath)
	release := registry.hold()
	b := newBed(t, func(o *Options) { o.Image, o.Pull = registry.Image, PullMissing })
	ctx, cancel := context.WithCancel(t.Context())
	s := b.spec(t)
	_, err := b.Start(ctx, s, func(p driver.Phase) {
		if p == driver.PhasePulling {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("start: %v, want it canceled", err)
	}
	release()
	b.start(t, s)
	b.listening(t, s)
	if n := registry.pulled(); n != 1 {
		t.Errorf("the image was pulled %d times", n)
	}
}

func TestImageThatNoRegistryHasIsFatal(t *testing.T) {
	registry := newRegistry(t, map[string]string{dockertest.SelfPath: programs.Build(t, fakeengine.Folder)}, dockertest.SelfPath)
	b := newBed(t, func(o *Options) {
		o.Image, o.Pull = strings.Replace(registry.Image, "/engine:", "/none:", 1), PullMissing
	})
	_, err := b.Start(t.Context(), b.spec(t), nil)
	var reason *driver.ReasonError
	if !errors.Is(err, driver.ErrFatalSpec) || !errors.As(err, &reason) || reason.Reason != reasonNoImage {
		t.Errorf("start: %v, want ErrFatalSpec", err)
	}
}

func TestImageThatCantBePulledNowIsTriedAgain(t *testing.T) {
	// Nothing listens there: the registry may come back.
	b := newBed(t, func(o *Options) { o.Image, o.Pull = "127.0.0.1:1/engine:1", PullMissing })
	_, err := b.Start(t.Context(), b.spec(t), nil)
	if !errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrFatalSpec) {
		t.Errorf("start: %v, want ErrUnavailable", err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Errorf("check: %v, want it left to the start that needs it", err)
	}
}
