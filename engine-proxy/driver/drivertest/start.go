package drivertest

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

func (h Harness) testStart(t *testing.T) {
	t.Run("TheEngineGetsItsArguments", h.startTheEngineGetsItsArguments)
	t.Run("NoSecretIsInItsEnvironmentOrArguments", h.startNoSecretIsInItsEnvironmentOrArguments)
	t.Run("IsIdempotentOnTheInstance", h.startIsIdempotentOnTheInstance)
	t.Run("IsIdempotentAfterARestart", h.startIsIdempotentAfterARestart)
	t.Run("OfOneInstanceAtOnceMakesOneEngine", h.startOfOneInstanceAtOnceMakesOneEngine)
	t.Run("OfEightProjectsAtOnceRunsEight", h.startOfEightProjectsAtOnceRunsEight)
	t.Run("TellsItsPhase", h.startReportsItsPhase)
	t.Run("GoesOnWithTheVolume", h.startGoesOnWithTheVolume)
	t.Run("IsRefusedWhenItsContextIsOver", h.startIsRefusedWhenItsContextIsOver)
	t.Run("WithoutAVolumeLeavesNothing", h.startWithoutAVolumeLeavesNothing)
	t.Run("ItsSocketIsItsAlone", h.startItsSocketIsItsAlone)
	t.Run("AnotherSocketProvesNothing", h.startAnotherSocketProvesNothing)
	for name, broken := range h.Broken {
		t.Run("IsFatalWhen"+name, func(t *testing.T) {
			d, s := broken(t), h.Spec(t)
			if err := d.Check(t.Context()); !errors.Is(err, driver.ErrFatalSpec) {
				t.Errorf("check: %v, want ErrFatalSpec", err)
			}
			handle, err := d.Start(t.Context(), s, nil)
			if err == nil {
				cleanUp(t, d, handle)
			}
			fatal(t, err)
			stopListed(t, h.New(t), s) // which may do what the broken one may not
		})
	}
	for name, broken := range h.Unforeseen {
		t.Run("IsFatalWhenAtLast"+name, func(t *testing.T) {
			d, s := broken(t), h.Spec(t)
			_, err := d.Start(t.Context(), s, nil)
			fatal(t, err)
			stopListed(t, h.New(t), s) // which may do what the broken one may not
		})
	}
	t.Run("ChecksAsPossible", func(t *testing.T) { must(t, h.New(t).Check(t.Context())) })
}

func (h Harness) startTheEngineGetsItsArguments(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	_, r := run(t, d, s, orders.Orders{})
	for _, want := range []string{s.InstanceID, s.ProjectID} {
		if !slices.Contains(r.Args, want) {
			t.Errorf("arguments %q lack %s", r.Args, want)
		}
	}
	if r.Token != tokenOf(s) {
		t.Errorf("the engine read the token %q", r.Token)
	}
}

func (h Harness) startNoSecretIsInItsEnvironmentOrArguments(t *testing.T) {
	const secret = "the-secret-of-the-service"
	for _, name := range []string{"SVC_STORE", "SVC_REDIS_URL", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"} {
		must(t, os.Setenv(name, secret)) // for good: suites run side by side
	}
	d, s := h.New(t), h.Spec(t)
	_, r := run(t, d, s, orders.Orders{})
	for _, text := range append(r.Environ, r.Args...) {
		if strings.Contains(text, secret) || strings.Contains(text, tokenOf(s)) {
			t.Errorf("the engine sees %q", text)
		}
	}
}

func (h Harness) startIsIdempotentOnTheInstance(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	first, _ := run(t, d, s, orders.Orders{})
	second, err := d.Start(t.Context(), s, nil)
	must(t, err)
	if string(first.Data) != string(second.Data) {
		t.Errorf("handles %s and %s differ", first.Data, second.Data)
	}
	if n := len(listed(t, d, s)); n != 1 {
		t.Errorf("%d instances run", n)
	}
}

func (h Harness) startIsIdempotentAfterARestart(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	first, _ := run(t, d, s, orders.Orders{})
	second, err := h.New(t).Start(t.Context(), s, nil)
	must(t, err)
	if string(first.Data) != string(second.Data) {
		t.Errorf("handles %s and %s differ", first.Data, second.Data)
	}
}

func (h Harness) startOfOneInstanceAtOnceMakesOneEngine(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	order(t, s, orders.Orders{})
	handles := together(t, 8, func(int) (driver.Handle, error) { return d.Start(t.Context(), s, nil) })
	cleanUp(t, d, handles[0])
	report(t, d, handles[0], s)
	for _, other := range handles[1:] {
		if string(other.Data) != string(handles[0].Data) {
			t.Errorf("handles %s and %s differ", other.Data, handles[0].Data)
		}
	}
	if n := len(listed(t, d, s)); n != 1 {
		t.Errorf("%d instances run", n)
	}
}

func (h Harness) startOfEightProjectsAtOnceRunsEight(t *testing.T) {
	d := h.New(t)
	specs := make([]driver.Spec, 8)
	for i := range specs {
		specs[i] = h.Spec(t)
		order(t, specs[i], orders.Orders{})
	}
	handles := together(t, len(specs), func(i int) (driver.Handle, error) { return d.Start(t.Context(), specs[i], nil) })
	for i, handle := range handles {
		cleanUp(t, d, handle)
		report(t, d, handle, specs[i])
	}
}

func (h Harness) startReportsItsPhase(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	order(t, s, orders.Orders{})
	var phases []driver.Phase
	handle, err := d.Start(t.Context(), s, func(p driver.Phase) { phases = append(phases, p) })
	must(t, err)
	cleanUp(t, d, handle)
	if !slices.Contains(phases, driver.PhaseCreating) {
		t.Errorf("phases %q, want %q among them", phases, driver.PhaseCreating)
	}
}

func (h Harness) startGoesOnWithTheVolume(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{Probes: []orders.Probe{{What: orders.Write, Arg: "kept"}}})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	must(t, d.Remove(t.Context(), handle))
	renew(t, &s)
	_, r := run(t, d, s, orders.Orders{Probes: []orders.Probe{{What: orders.Read, Arg: "kept"}, {What: orders.Write, Arg: "kept"}}})
	for probe, err := range r.Results {
		if err != "" {
			t.Errorf("the next engine can't %s what the first one wrote: %s", probe.What, err)
		}
	}
}

func (h Harness) startIsRefusedWhenItsContextIsOver(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if handle, err := d.Start(ctx, s, nil); err == nil {
		cleanUp(t, d, handle)
		t.Fatal("it started")
	}
	stopListed(t, d, s)
	stopped(t, s)
}

func (h Harness) startWithoutAVolumeLeavesNothing(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	must(t, os.RemoveAll(s.Volume))
	must(t, os.WriteFile(s.Volume, nil, 0o600))
	handle, err := d.Start(t.Context(), s, nil)
	if err == nil { // it may be noticed later
		cleanUp(t, d, handle)
		if exit := ended(t, d, handle); exit == nil || exit.Code == 0 {
			t.Errorf("without a volume the engine %s", exit)
		}
		return
	}
	stopListed(t, d, s)
}

// fatal checks that a start has failed for good, and says why to the owner.
func fatal(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, driver.ErrFatalSpec) {
		t.Errorf("got %v, want ErrFatalSpec", err)
	}
	var reason *driver.ReasonError
	if !errors.As(err, &reason) || reason.Reason == "" || strings.Contains(reason.Reason, "/") {
		t.Errorf("%v has no reason that its owner may see", err)
	}
}

// together calls f so many times at once.
func together(t *testing.T, n int, f func(int) (driver.Handle, error)) []driver.Handle {
	t.Helper()
	handles, errs := make([]driver.Handle, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { handles[i], errs[i] = f(i) })
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	return handles
}

// stopListed ends what a failed start left, which must be found by List.
func stopListed(t *testing.T, d driver.Driver, s driver.Spec) {
	t.Helper()
	for _, obs := range listed(t, d, s) {
		must(t, d.Stop(t.Context(), obs.Handle, 0))
		must(t, d.Remove(t.Context(), obs.Handle))
	}
}
