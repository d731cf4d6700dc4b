package drivertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/fake/engine/orders"
)

// testConfinement proves from inside what Capabilities claims.
func (h Harness) testConfinement(t *testing.T) {
	t.Run("LeavesAnEngineItsOwn", h.confinedLeavesAnEngineItsOwn)
	t.Run("KeepsProjectsApart", h.confinedKeepsProjectsApart)
	t.Run("KeepsAllOtherFilesAway", h.confinedKeepsAllOtherFilesAway)
	t.Run("KeepsSharedFoldersAway", h.confinedKeepsSharedFoldersAway)
	t.Run("KeepsProcessesApart", h.confinedKeepsProcessesApart)
	t.Run("GivesNoNetwork", h.confinedGivesNoNetwork)
	t.Run("GivesNoPrivileges", h.confinedGivesNoPrivileges)
	t.Run("BoundsProcesses", h.confinedBoundsProcesses)
}

func (h Harness) confinedLeavesAnEngineItsOwn(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	probes := []orders.Probe{
		{What: orders.Write, Arg: "file"}, {What: orders.Read, Arg: "file"}, {What: orders.List, Arg: "."},
		{What: orders.Link, Arg: "file"}, {What: orders.Rename, Arg: "file"}, {What: orders.Write, Arg: "/dev/null"},
		{What: orders.Read, Arg: "/proc/self/status"},
	}
	_, r := run(t, d, s, orders.Orders{Probes: probes})
	for probe, err := range r.Results {
		if err != "" {
			t.Errorf("an engine can't %s %s: %s", probe.What, probe.Arg, err)
		}
	}
	if r.Core != 0 && !h.NodeLimits {
		t.Errorf("an engine may dump %d bytes of core", r.Core)
	}
}

func (h Harness) confinedKeepsProjectsApart(t *testing.T) {
	d := h.New(t)
	claimed(t, d.Capabilities().Separates())
	other, s := h.Spec(t), h.Spec(t)
	run(t, d, other, orders.Orders{Probes: []orders.Probe{{What: orders.Write, Arg: "secret"}}})
	tries := []orders.Probe{
		{What: orders.List, Arg: other.Volume}, {What: orders.Read, Arg: filepath.Join(other.Volume, "secret")},
		{What: orders.List, Arg: s.StateDir}, {What: orders.List, Arg: other.StateDir},
		{What: orders.Truncate, Arg: filepath.Join(other.Volume, "secret")},
		{What: orders.Write, Arg: filepath.Join(s.StateDir, "file")},
		{What: orders.Write, Arg: filepath.Join(filepath.Dir(s.Volume), "file")},
		{What: orders.List, Arg: filepath.Dir(s.Volume)},
		{What: orders.Write, Arg: "/file"}, {What: orders.Read, Arg: "/etc/shadow"},
	}
	if s.Remote == nil {
		tries = append(tries, orders.Probe{What: orders.Read, Arg: other.TokenFile}, orders.Probe{What: orders.Dial, Arg: other.Socket},
			orders.Probe{What: orders.List, Arg: filepath.Dir(s.RuntimeDir)})
	}
	refused(t, d, s, tries)
	// It may seem to work.
	modes := []string{other.Volume, filepath.Join(other.Volume, "secret"), other.StateDir, filepath.Dir(s.Volume)}
	before, probes := make(map[string]os.FileMode), []orders.Probe{}
	for _, path := range modes {
		info, err := os.Stat(path)
		must(t, err)
		before[path] = info.Mode()
		probes = append(probes, orders.Probe{What: orders.Chmod, Arg: path})
	}
	run(t, d, h.Spec(t), orders.Orders{Probes: probes})
	for path, mode := range before {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("an engine changed %s: %v, %v", path, info, err)
		}
	}
}

func (h Harness) confinedKeepsAllOtherFilesAway(t *testing.T) {
	d := h.New(t)
	claimed(t, d.Capabilities().Files)
	outside := TempDir(t)
	must(t, os.WriteFile(filepath.Join(outside, "open"), []byte("x"), 0o666))
	must(t, os.Chmod(filepath.Join(outside, "open"), 0o666))
	must(t, os.Chmod(outside, 0o777))
	probes := []orders.Probe{
		{What: orders.Write, Arg: filepath.Join(outside, "file")}, {What: orders.Read, Arg: filepath.Join(outside, "open")},
		{What: orders.Truncate, Arg: filepath.Join(outside, "open")}, {What: orders.Link, Arg: filepath.Join(outside, "open")},
		{What: orders.List, Arg: "/home"}, {What: orders.List, Arg: "/var"},
	}
	if !h.SharedNetwork {
		probes = append(probes, orders.Probe{What: orders.Abstract, Arg: listenAbstract(t)})
	}
	refused(t, d, h.Spec(t), probes)
}

func (h Harness) confinedKeepsSharedFoldersAway(t *testing.T) {
	d := h.New(t)
	claimed(t, d.Capabilities().Files)
	name := "file-of-" + filepath.Base(TempDir(t))
	written := []string{filepath.Join("/tmp", name), filepath.Join("/dev/shm", name)}
	probes := []orders.Probe{
		{What: orders.Write, Arg: written[0]}, {What: orders.Write, Arg: written[1]}, {What: orders.Read, Arg: "/etc/hostname"},
	}
	if !h.OwnRoot {
		refused(t, d, h.Spec(t), probes)
		return
	}
	run(t, d, h.Spec(t), orders.Orders{Probes: probes})
	for _, path := range written {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("what an engine wrote to its %s is on this machine", path)
		}
	}
}

func (h Harness) confinedKeepsProcessesApart(t *testing.T) {
	d := h.New(t)
	claimed(t, d.Capabilities().Processes)
	// A stranger of the engine's own user would be the hardest case; the
	// suite's user is as near as it can get without knowing that one.
	unrelated := exec.Command("sleep", "600")
	unrelated.Env = []string{"SECRET=x"}
	must(t, child.Start(unrelated))
	defer func() { _ = unrelated.Process.Kill(); _ = unrelated.Wait() }()
	pids := []int{os.Getpid(), os.Getppid(), unrelated.Process.Pid}
	other := h.Spec(t)
	handle, _ := run(t, d, other, orders.Orders{})
	if obs, err := d.Inspect(t.Context(), handle); err == nil && obs.PID != 0 {
		pids = append(pids, obs.PID)
	}
	var probes []orders.Probe
	for _, pid := range pids {
		name := strconv.Itoa(pid)
		probes = append(probes,
			orders.Probe{What: orders.Signal, Arg: name}, orders.Probe{What: orders.Trace, Arg: name},
			orders.Probe{What: orders.Limit, Arg: name},
			orders.Probe{What: orders.Read, Arg: "/proc/" + name + "/environ"},
			orders.Probe{What: orders.Read, Arg: "/proc/" + name + "/maps"},
			orders.Probe{What: orders.List, Arg: "/proc/" + name + "/fd"},
		)
	}
	refused(t, d, h.Spec(t), probes)
}

func (h Harness) confinedGivesNoNetwork(t *testing.T) {
	d := h.New(t)
	claimed(t, d.Capabilities().Network)
	tcp, udp, came := listen(t)
	refused(t, d, h.Spec(t), []orders.Probe{
		{What: orders.TCP, Arg: tcp},
		{What: orders.TCP, Arg: "169.254.169.254:80"}, {What: orders.UDP, Arg: "192.0.2.1:53"}, {What: orders.Raw},
	})
	// An engine with a loopback of its own may send to it: what counts is
	// what comes here.
	run(t, d, h.Spec(t), orders.Orders{Probes: []orders.Probe{{What: orders.UDP, Arg: udp}}})
	if came() {
		t.Error("an engine's datagram reached this machine")
	}
}

func (h Harness) confinedGivesNoPrivileges(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	claimed(t, d.Capabilities().Privileges)
	must(t, os.WriteFile(filepath.Join(s.Volume, "file"), nil, 0o666))
	r := refused(t, d, s, []orders.Probe{{What: orders.Mount}, {What: orders.Unshare}})
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
		if v := strings.Trim(r.Status[set], "0"); v != "" {
			t.Errorf("%s is %s", set, v)
		}
	}
	if r.Status["NoNewPrivs"] != "1" {
		t.Errorf("NoNewPrivs is %q", r.Status["NoNewPrivs"])
	}
}

func (h Harness) confinedBoundsProcesses(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	claimed(t, d.Capabilities().PIDs)
	_, r := run(t, d, s, orders.Orders{Forks: int(2 * h.PIDs)})
	if int64(r.Forked) >= h.PIDs {
		t.Errorf("an engine that may have %d processes started %d", h.PIDs, r.Forked)
	}
	// Others don't notice.
	run(t, d, h.Spec(t), orders.Orders{Child: true})
}

// refused runs an engine that tries what it must not be able to do, and
// returns its report.
func refused(t *testing.T, d driver.Driver, s driver.Spec, probes []orders.Probe) orders.Report {
	t.Helper()
	_, r := run(t, d, s, orders.Orders{Probes: probes})
	for _, probe := range probes {
		switch err, tried := r.Results[probe]; {
		case !tried:
			t.Errorf("the engine did not try to %s %s", probe.What, probe.Arg)
		case err == "":
			t.Errorf("an engine can %s %s", probe.What, probe.Arg)
		}
	}
	return r
}
