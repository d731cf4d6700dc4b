// Package drivertest is the suite that every driver passes. Its engines are
// processes that obey package orders, which the driver under test is to be made to
// run.
package drivertest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

// Harness makes what a driver's suite needs.
type Harness struct {
	// New returns a driver whose engines are fake engines. Each call returns
	// one as a restarted engine proxy has it: on the same backend, without any
	// memory.
	New func(t *testing.T) driver.Driver

	// Spec returns what to run for a new project, its directories made. See
	// NewSpec.
	Spec func(t *testing.T) driver.Spec

	// Broken returns drivers whose program can't be run, by what is wrong with
	// it: a Start must fail with ErrFatalSpec, and so must a Check.
	Broken map[string]func(t *testing.T) driver.Driver

	// Unforeseen returns drivers that only a Start finds out about, in the same
	// way: a Check may succeed.
	Unforeseen map[string]func(t *testing.T) driver.Driver

	// Unavailable returns a driver whose backend does not answer; nil for one
	// that is its own backend.
	Unavailable func(t *testing.T) driver.Driver

	// Recycled changes the handle of a running instance into one whose name
	// went to that instance from an earlier one: ErrIdentity. Nil when names
	// are never used again.
	Recycled func(t *testing.T, h driver.Handle) driver.Handle

	// LogLimit is what the driver was told to keep of a log at most, in bytes.
	LogLimit int64

	// OwnRoot says that engines have a file system of their own, in which
	// /tmp, for one, is not this machine's.
	OwnRoot bool

	// SharedNetwork says that the engines of this harness are on this machine's
	// network, though those of the driver are not on it: what has no name but
	// there is not kept from them.
	SharedNetwork bool

	// NodeLimits says that the driver has no say in the limits of processes,
	// which are set where engines run.
	NodeLimits bool

	// SideBySide says that the parts of the suite may run at once, and so several
	// drivers on one backend.
	SideBySide bool

	// Memory and PIDs are the limits that New's drivers have, for those who
	// claim to keep them.
	Memory, PIDs int64
}

// Run runs the suite. Secrets must not be in an
// engine's environment: it sets some in that of the test.
func Run(t *testing.T, h Harness) {
	for name, part := range map[string]func(*testing.T){
		"Start": h.testStart, "Find": h.testFind, "Stop": h.testStop,
		"Ends": h.testEnds, "Logs": h.testLogs, "Confinement": h.testConfinement,
	} {
		t.Run(name, func(t *testing.T) {
			if h.SideBySide {
				t.Parallel()
			}
			part(t)
		})
	}
}

// NewSpec makes the directories of a new project below root, as the engine
// proxy lays them out, and returns what to run. Its engine has orders: none.
func NewSpec(t testing.TB, root string) driver.Spec {
	t.Helper()
	id := mint.NewProjectID()
	s := driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: id, Generation: 1, InstanceID: mint.NewInstanceID(time.Now())},
		OwnerID:     "owner",
		Volume:      filepath.Join(root, "projects", id),
		RuntimeDir:  filepath.Join(root, "run", id),
		StateDir:    filepath.Join(root, "engines", id),
	}
	s.Socket, s.TokenFile = filepath.Join(s.RuntimeDir, "e.sock"), filepath.Join(s.RuntimeDir, "token")
	for _, dir := range []string{s.Volume, s.RuntimeDir, s.StateDir} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	must(t, orders.Order(s.Volume, orders.Orders{}))
	renew(t, &s)
	return s
}

// NewRemoteSpec is NewSpec for a driver.Remote. The harness must make the
// folder that Spec.Volume names the project's volume.
func NewRemoteSpec(t testing.TB, root string) driver.Spec {
	t.Helper()
	s := NewSpec(t, root)
	s.RuntimeDir, s.Socket, s.TokenFile, s.Remote = "", "", "", new(driver.RemoteSpec)
	renew(t, &s)
	return s
}

// renew makes s the next incarnation of the same project.
func renew(t testing.TB, s *driver.Spec) {
	t.Helper()
	s.InstanceID = mint.NewInstanceID(time.Now())
	s.Generation++
	if s.Remote != nil {
		s.Remote = &driver.RemoteSpec{Token: tokenOf(*s), Cert: []byte("certificate"), Key: []byte("key"), CA: []byte("authority")}
		return
	}
	if err := os.Remove(s.TokenFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	must(t, os.WriteFile(s.TokenFile, []byte(tokenOf(*s)), 0o600))
}

func tokenOf(s driver.Spec) string { return "token-of-" + s.InstanceID }

// BuildEngine builds the fake engine as a program that needs no other file,
// and returns its path.
func BuildEngine(t testing.TB) string {
	return programs.Build(t, fakeengine.Folder)
}

// TempDir returns a directory with a short path that every user may pass
// through, as one of a service may be, and removes it with what is in it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir := keep.Dir(t)
	must(t, os.Chmod(dir, 0o755))
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// order sets what the engine of s will do.
func order(t *testing.T, s driver.Spec, o orders.Orders) {
	t.Helper()
	must(t, orders.Order(s.Volume, o))
}

// start starts an engine with orders and sees to it that it is gone after the test.
func start(t *testing.T, d driver.Driver, s driver.Spec, o orders.Orders) driver.Handle {
	t.Helper()
	order(t, s, o)
	h, err := d.Start(t.Context(), s, nil)
	must(t, err)
	cleanUp(t, d, h)
	return h
}

func cleanUp(t *testing.T, d driver.Driver, h driver.Handle) {
	t.Cleanup(func() {
		ctx, cancel := wait.Within(context.WithoutCancel(t.Context()), wait.Patience)
		defer cancel()
		if err := errors.Join(d.Stop(ctx, h, 0), d.Remove(ctx, h)); err != nil {
			t.Error("cleaning up:", err)
		}
	})
}

// run starts an engine with orders and returns what it reports.
func run(t *testing.T, d driver.Driver, s driver.Spec, o orders.Orders) (driver.Handle, orders.Report) {
	t.Helper()
	h := start(t, d, s, o)
	return h, report(t, d, h, s)
}

// running returns a driver whose engine runs and obeys orders.
func (h Harness) running(t *testing.T, o orders.Orders) (driver.Driver, driver.Spec, driver.Handle) {
	t.Helper()
	d, s := h.New(t), h.Spec(t)
	handle, _ := run(t, d, s, o)
	return d, s, handle
}

// claimed skips a test of what the driver does not claim here.
func claimed(t *testing.T, capability bool) {
	t.Helper()
	if !capability {
		t.Skip("this driver does not claim it here")
	}
}

// report waits for the engine's report.
func report(t *testing.T, d driver.Driver, h driver.Handle, s driver.Spec) orders.Report {
	t.Helper()
	var r orders.Report
	wait.Until(t, "the engine reports", func() bool {
		var err error
		r, err = orders.ReadReport(s.Volume)
		if err == nil && r.InstanceID == s.InstanceID {
			return true
		}
		if obs, inspectErr := d.Inspect(t.Context(), h); inspectErr == nil && !obs.Running {
			log, _ := d.Logs(t.Context(), h, 2000)
			t.Fatalf("the engine %s before it reported: %s%s", obs.Exit, detail(obs.Exit), log)
		}
		return false
	})
	return r
}

func detail(e *driver.Exit) string {
	if e == nil || e.Detail == "" {
		return ""
	}
	return e.Detail + "\n"
}

// ended waits until the driver knows that an instance has ended.
func ended(t *testing.T, d driver.Driver, h driver.Handle) *driver.Exit {
	t.Helper()
	var exit *driver.Exit
	wait.Until(t, "the instance has ended", func() bool {
		obs, err := d.Inspect(t.Context(), h)
		must(t, err)
		exit = obs.Exit
		return !obs.Running
	})
	return exit
}

// stopped checks that nothing of an engine runs any more.
func stopped(t *testing.T, s driver.Spec) {
	t.Helper()
	runs, err := orders.EngineRuns(s.Volume)
	must(t, err)
	if runs {
		t.Error("the engine runs on")
	}
	if runs, err = orders.ChildRuns(s.Volume); err != nil || runs {
		t.Errorf("the engine's child runs on: %t, %v", runs, err)
	}
}

// listed returns what a driver lists of an instance.
func listed(t *testing.T, d driver.Driver, s driver.Spec) []driver.Observed {
	t.Helper()
	all, err := d.List(t.Context())
	must(t, err)
	var out []driver.Observed
	for _, obs := range all {
		if obs.ProjectID == s.ProjectID {
			out = append(out, obs)
		}
	}
	return out
}
