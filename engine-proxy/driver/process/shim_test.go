package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

// begin starts an engine with orders and waits until it has read them.
func begin(t *testing.T, d *Driver, s driver.Spec, o orders.Orders) driver.Handle {
	t.Helper()
	must(t, orders.Order(s.Volume, o))
	h, err := d.Start(t.Context(), s, nil)
	must(t, err)
	t.Cleanup(func() {
		id := identity(t, h)
		if st, err := procfs.ReadStat(id.PID); err == nil {
			procfs.Kill(id.PID, st.StartTicks)
		}
	})
	wait.Until(t, "the engine reports", func() bool {
		if _, err := orders.ReadReport(s.Volume); err == nil {
			return true
		}
		if obs, err := d.Inspect(t.Context(), h); err != nil || !obs.Running {
			log, _ := d.Logs(t.Context(), h, 2000)
			t.Fatalf("the engine %s, %v: %s", obs.Exit, err, log)
		}
		return false
	})
	return h
}

func TestShimThatIsKilledTakesItsEngineAlong(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	h := begin(t, d, s, orders.Orders{Deaf: true, Child: true})
	events, err := d.Watch(t.Context())
	must(t, err)
	must(t, syscall.Kill(identity(t, h).PID, syscall.SIGKILL))
	if e := <-events; e.InstanceID != s.InstanceID {
		t.Fatalf("end of %+v", e)
	}
	// By the kernel: nobody has looked yet.
	wait.Until(t, "the engine ends", func() bool {
		runs, err := orders.EngineRuns(s.Volume)
		return err == nil && !runs
	})
	for _, each := range []*Driver{d, k.driver(t)} {
		obs, err := each.Inspect(t.Context(), h)
		if err != nil || obs.Running || obs.Exit == nil || obs.Exit.Reason != driver.ReasonUnknown {
			t.Fatalf("an engine whose shim was killed: %+v, %v", obs, err)
		}
	}
	if runs, err := orders.EngineRuns(s.Volume); err != nil || runs {
		t.Errorf("the engine runs on: %t, %v", runs, err)
	}
	// Without a namespace, a child that left the session is known by its user alone.
	if d.users == nil && !d.ownRoot() {
		endChildren(t, s.Volume)
	} else {
		if runs, err := orders.ChildRuns(s.Volume); err != nil || runs {
			t.Errorf("the engine's child runs on: %t, %v", runs, err)
		}
	}
}

// endChildren ends the children of a test's engine, which nobody else finds.
func endChildren(t *testing.T, volume string) {
	t.Helper()
	pids, err := procfs.Processes()
	must(t, err)
	for _, pid := range pids {
		args, err := procfs.Arguments(pid)
		if err != nil || len(args) != 2 || filepath.Dir(args[1]) != volume {
			continue
		}
		if st, err := procfs.ReadStat(pid); err == nil {
			procfs.Kill(pid, st.StartTicks)
		}
	}
}

func TestShimAloneIsListed(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	h := begin(t, d, s, orders.Orders{})
	// Who says to be one is not.
	liar := exec.Command("sh", append([]string{"-c", "exec sleep 600"},
		shim.Config{Record: shim.Record{Identity: shim.Identity{ProjectID: s.ProjectID, InstanceID: "another"}}, StateDir: s.StateDir}.Arguments()...)...)
	liar.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	liar.Args[0] = "svc-shim"
	must(t, child.Start(liar))
	defer func() { _ = liar.Process.Kill(); _ = liar.Wait() }()
	list, err := d.List(t.Context())
	must(t, err)
	if len(list) != 1 || string(list[0].Handle.Data) != string(h.Data) {
		t.Errorf("listed %+v", list)
	}
	other := newKit(t)
	if list, err := other.driver(t).List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("another installation lists %+v, %v", list, err)
	}
}

func TestShimOfAnotherBootIsGone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	id := identity(t, begin(t, d, s, orders.Orders{}))
	id.BootID = "another"
	if _, err := d.Adopt(t.Context(), handleOf(t, id)); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, err := d.Inspect(t.Context(), handleOf(t, id)); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestShimOfAnotherProcessIsNeverSignalled(t *testing.T) {
	t.Parallel()
	unrelated := exec.Command("sleep", "600")
	unrelated.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(t, child.Start(unrelated))
	defer func() { _ = unrelated.Process.Kill(); _ = unrelated.Wait() }()
	k := newKit(t)
	d := k.driver(t)
	st, err := procfs.ReadStat(unrelated.Process.Pid)
	must(t, err)
	right := shim.Identity{PID: unrelated.Process.Pid, StartTicks: st.StartTicks, BootID: d.bootID, ProjectID: "p", InstanceID: "i"}
	for name, c := range map[string]struct {
		alter func(*shim.Identity)
		want  error
	}{
		"not a shim":              {func(*shim.Identity) {}, driver.ErrIdentity},
		"started at another time": {func(id *shim.Identity) { id.StartTicks++ }, driver.ErrIdentity},
		"of another boot":         {func(id *shim.Identity) { id.BootID = "x" }, driver.ErrNotFound},
		"no process":              {func(id *shim.Identity) { id.PID = 1 << 30 }, driver.ErrNotFound},
		"no process id":           {func(id *shim.Identity) { id.PID = -1 }, driver.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			id := right
			c.alter(&id)
			h := handleOf(t, id)
			if _, err := d.Adopt(t.Context(), h); !errors.Is(err, c.want) {
				t.Errorf("adopting: %v, want %v", err, c.want)
			}
			must(t, d.Stop(t.Context(), h, 0))
			must(t, d.Remove(t.Context(), h))
			if st, err := procfs.ReadStat(unrelated.Process.Pid); err != nil || st.Dead() {
				t.Fatal("the stranger was signalled")
			}
		})
	}
}

func TestShimKeepsTheLogShortOnDisk(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	h := begin(t, d, s, orders.Orders{Log: 10 * logLimit})
	wait.Until(t, "the log is cut and its end kept", func() bool {
		log, err := d.Logs(t.Context(), h, logLimit)
		must(t, err)
		if !strings.HasSuffix(string(log), orders.LogEnd+"\n") {
			return false
		}
		var size int64
		entries, err := os.ReadDir(s.StateDir)
		must(t, err)
		for _, e := range entries {
			if strings.Contains(e.Name(), ".log") {
				info, err := e.Info()
				must(t, err)
				size += info.Size()
			}
		}
		return size > 0 && size <= 2*logLimit
	})
}

func TestShimLeavesTheEngineNoDescriptor(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	obs, err := d.Inspect(t.Context(), begin(t, d, s, orders.Orders{}))
	must(t, err)
	report, err := orders.ReadReport(s.Volume)
	must(t, err)
	if report.Dir != s.Volume {
		t.Errorf("the engine works in %s", report.Dir)
	}
	if report.Files != uint64(min(defaultFiles, mostFiles(t))) {
		t.Errorf("the engine may have %d files open", report.Files)
	}
	if os.Geteuid() != 0 && d.opts.Offers.Landlock > 0 {
		return // nobody else may look at a confined process's descriptors
	}
	dir := filepath.Join("/proc", strconv.Itoa(obs.PID), "fd")
	entries, err := os.ReadDir(dir)
	must(t, err)
	sockets := 0
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join(dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		must(t, err)
		switch {
		case strings.HasPrefix(to, "socket:"):
			sockets++
		case to == os.DevNull, strings.HasPrefix(to, "pipe:"), strings.HasPrefix(to, s.Volume):
		case strings.HasPrefix(to, "anon_inode:"), strings.HasPrefix(to, "/sys/fs/cgroup/"): // the Go runtime's
		default:
			t.Errorf("descriptor %s is %s", e.Name(), to)
		}
	}
	if sockets > 1 { // it listens on one
		t.Errorf("the engine has %d sockets", sockets)
	}
}

func TestShimIsNotStartedTwiceForALateStatus(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	h := begin(t, d, s, orders.Orders{})
	// The engine proxy died between Start and its journal: the next one starts
	// the same instance again and gets the one that runs.
	again, err := k.driver(t).Start(t.Context(), s, nil)
	must(t, err)
	if string(again.Data) != string(h.Data) {
		t.Errorf("handles %s and %s differ", h.Data, again.Data)
	}
	must(t, d.Stop(t.Context(), h, time.Minute))
}

func TestEngineThatHasNothingToDoDoesNotCompute(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	h := begin(t, d, s, orders.Orders{Child: true})
	wait.Until(t, "it does not want the processor", func() bool {
		computes, err := d.Computes(t.Context(), h)
		must(t, err)
		return !computes
	})
	must(t, d.Stop(t.Context(), h, time.Minute))
	if _, err := d.Computes(t.Context(), h); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("after its end: %v", err)
	}
}
