package process

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	"github.com/svc-games/svc/engine-proxy/driver/process/vmtest"
	"github.com/svc-games/svc/test/long"
)

// The limits of the suite's engines: a short log, few processes.
const (
	logLimit = 20_000
	pidLimit = 64
	// memoryLimit is for those with control groups. As many processes as may be take
	// half of it.
	memoryLimit = 128 << 20
)

func (k kit) harness(change ...func(*Options)) drivertest.Harness {
	with := func(f func(*Options)) func(*testing.T) driver.Driver {
		return func(t *testing.T) driver.Driver { return k.driver(t, append(change, f)...) }
	}
	command := func(path string) func(*testing.T) driver.Driver {
		return with(func(o *Options) { o.Command = []string{path} })
	}
	file := func(name, content string, mode os.FileMode) func(*testing.T) driver.Driver {
		return func(t *testing.T) driver.Driver {
			plain, path := filepath.Join(t.TempDir(), name), filepath.Join(drivertest.TempDir(t), name)
			must(t, os.WriteFile(plain, []byte(content), 0o600))
			copyFile(t, path, plain, mode)
			return command(path)(t)
		}
	}
	return drivertest.Harness{
		New:  func(t *testing.T) driver.Driver { return k.driver(t, change...) },
		Spec: func(t *testing.T) driver.Spec { return drivertest.NewSpec(t, k.root) },
		Broken: map[string]func(*testing.T) driver.Driver{
			"TheCommandIsMissing":       command("/nonexistent/engine"),
			"TheCommandIsADirectory":    command(os.TempDir()),
			"TheCommandIsNotExecutable": file("plain", "#!/bin/sh\n", 0o600),
			"TheCommandIsNoProgram":     file("text", "no program", 0o755),
			"TheCommandIsEmpty":         file("empty", "", 0o755),
			"TheShimIsMissing":          with(func(o *Options) { o.Shim = "/nonexistent/shim" }),
		},
		Recycled: func(t *testing.T, h driver.Handle) driver.Handle {
			id := identity(t, h)
			id.StartTicks--
			return handleOf(t, id)
		},
		LogLimit: logLimit, PIDs: pidLimit, OwnSockets: true,
	}
}

func identity(t *testing.T, h driver.Handle) shim.Identity {
	t.Helper()
	var id shim.Identity
	must(t, json.Unmarshal(h.Data, &id))
	return id
}

func handleOf(t *testing.T, id shim.Identity) driver.Handle {
	t.Helper()
	return newHandle(id)
}

// TestSuite passes with all that this machine offers, a root and namespaces of
// an engine's own among it, and so do the ways below, each of which is what some
// other machine has.
func TestSuite(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	full := driver.Capabilities{Users: isRoot(t), Files: true, Processes: true, Network: true, Privileges: true, PIDs: isRoot(t)}
	if got := k.driver(t).Capabilities(); got != full {
		t.Errorf("this machine offers %+v, and the suite is to prove %+v", got, full)
	}
	drivertest.Run(t, k.harness())
}

// isRoot reports whether the tests run as root, which CI's must.
func isRoot(t *testing.T) bool {
	t.Helper()
	root := os.Geteuid() == 0
	if !root && os.Getenv("CI") == "true" && os.Getenv(envUnprivileged) == "" {
		t.Fatal("the tests of isolation must run as root")
	}
	return root
}

func TestSuiteWithUsersAlone(t *testing.T) {
	t.Parallel()
	if !isRoot(t) {
		t.Skip("only root can run programs as other users")
	}
	k := newKit(t)
	users := func(o *Options) { o.Offers = &confine.Available{Users: true, Seccomp: true} }
	if c := k.driver(t, users).Capabilities(); !c.Separates() || c.Files {
		t.Errorf("users without Landlock: %+v", c)
	}
	drivertest.Run(t, k.harness(users))
}

func TestSuiteWithLandlockAlone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	landlock := func(o *Options) { o.Users.Off, o.Offers = true, here(confine.NoRight) }
	if c := k.driver(t, landlock).Capabilities(); !c.Separates() || c.Users {
		t.Errorf("Landlock without users: %+v", c)
	}
	drivertest.Run(t, k.harness(landlock))
}

// here is what this machine offers, but for namespaces.
func here(right confine.Right) *confine.Available {
	offers := confine.Look()
	offers.Namespaces = right
	return &offers
}

func TestSuiteWithoutNamespaces(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	drivertest.Run(t, k.harness(func(o *Options) { o.Offers = here(confine.NoRight) }))
}

func TestSuiteWithNothing(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	nothing := func(o *Options) { o.Users.Off, o.Offers = true, &confine.Available{} }
	if c := k.driver(t, nothing).Capabilities(); c != (driver.Capabilities{}) {
		t.Errorf("a machine that offers nothing: %+v", c)
	}
	drivertest.Run(t, k.harness(nothing))
}

// TestSuiteWithControlGroups runs on a kernel that delegates a group, and proves
// on it that an engine which takes too much memory ends, and is known to have
// ended by that. It is part of the long run; what is written to groups, and that
// one ends with all that is in it, package cgroup proves on this machine's.
func TestSuiteWithControlGroups(t *testing.T) {
	k := newKit(t)
	if vmtest.Inside() == "" {
		long.Only(t)
		vmtest.Run(t, "^TestSuiteWithControlGroups$/^(Stop|Ends|Confinement)$", k.engine, k.shim)
		return
	}
	h := k.harness(func(o *Options) { o.Cgroup, o.Limits.Memory, o.Users.Off = vmtest.Group, memoryLimit, true })
	h.Memory = memoryLimit
	if c := h.New(t).Capabilities(); !c.Memory || !c.PIDs {
		t.Errorf("with a control group: %+v", c)
	}
	drivertest.Run(t, h)
}

// The whole suite, and the tests of shims, as a user without privileges, who has
// no users to give to engines: this is TestSuiteWithLandlockAlone as well.
func TestAllOfThisWithoutRoot(t *testing.T) {
	t.Parallel()
	if !isRoot(t) {
		t.Skip("the other tests run without root")
	}
	tests := "TestSuite|TestShim.*"
	if long.Asked() {
		tests += "|TestSuiteWithNothing"
	}
	newKit(t).rerun(t, nobody, "^("+tests+")$")
}
