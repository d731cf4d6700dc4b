// Package attack attacks the walls around engines: an engine that was taken over
// (command hostile) tries all that it can on each kind of machine.
package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/test/attack/hostile"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

// A machine is a kind of machine, by what it offers to shut engines in.
type machine struct {
	name   string
	user   bool // the service runs as an ordinary user
	change func(*process.Options)
}

// without leaves a machine no namespaces.
func without(o *process.Options) {
	offers := confine.Look()
	o.Offers = &offers
}

// machines are the kinds, the best first.
var machines = []machine{
	{"root", false, func(*process.Options) {}},
	{"root without namespaces", false, without},
	{"root without namespaces and users", false, func(o *process.Options) { without(o); o.Users.Off = true }},
	{"user with namespaces", true, func(*process.Options) {}},
	{"user without namespaces", true, without},
}

// targets are what is attacked.
type targets struct {
	file, open     string // of the service: one that is its own, one that is open to all
	stream, packet string // sockets that everyone may connect to
	datagram       string
	abstract       string // one without a file
	address        string
	key            int // of memory that everyone may use
	service        int // processes
	unrelated      int
	neighbour      driver.Spec // another project
	neighbourPID   int
	received       func() bool // a datagram came
}

// attempts are all orders, each on all that it could be tried on.
func (x *targets) attempts() (all []orders.Probe) {
	add := func(args []string, names ...string) {
		for _, name := range names {
			for _, arg := range args {
				all = append(all, orders.Probe{What: name, Arg: arg})
			}
		}
	}
	one := []string{""}
	secret := filepath.Join(x.neighbour.Volume, "secret")
	add([]string{x.file, x.open, secret, x.neighbour.TokenFile},
		"read it", "look at it", "write to it", "empty it", "remove it", "rename it", "link it", "read it by a link", "change its owner",
		"change its access", "change its link's", "change its access at", "remove its access", "read its attributes", "watch it",
		"open it by its handle", "set its flags", "mount over it", "clone its mount", "list its folder")
	add(one, "watch all", "make a device", "make a mount", "change root", "turn root", "count its disk", "rewrite the log")
	add(one, "open an IPv4 socket", "open an IPv6 socket", "open a datagram socket", "open a raw socket", "open a packet socket",
		"open a netlink socket", "open a socket to the host", "open a cipher's socket", "open a Bluetooth socket", "open a key socket",
		"open an XDP socket", "open a Unix datagram socket", "open a pair for datagrams")
	add([]string{x.stream, x.neighbour.Socket}, "connect to a socket")
	add([]string{x.packet}, "connect to one in packets", "send a packet")
	add([]string{x.abstract}, "connect to one without a file")
	add([]string{x.address}, "connect to an address")
	add([]string{x.datagram}, "send a datagram", "send a datagram by a pair")
	add([]string{x.stream, x.abstract}, "read the sockets of others")
	add([]string{"0100007F"}, "read the connections of others") // 127.0.0.1
	add(one, "make shared memory", "make a semaphore", "make a message queue", "list shared memory", "open a POSIX queue",
		"make secret memory", "make a key", "read keys", "request a key", "catch faults", "use a ring", "run from memory",
		"run from shared memory")
	add([]string{strconv.Itoa(x.key)}, "find shared memory")
	for _, pid := range []int{x.service, x.unrelated, x.neighbourPID} {
		add([]string{strconv.Itoa(pid)}, "signal it", "trace it", "read its memory", "read its environment", "read its arguments",
			"open its memory", "list its files", "take a file of it", "enter its namespace", "limit it", "slow it down",
			"bind it to a processor", "compare it", "advise on its memory")
	}
	add(one, "join a namespace", "leave a namespace", "make a user namespace", "make all namespaces", "clone out of sight",
		"become root", "take a capability", "be traced by anyone")
	add([]string{"1"}, "become another")
	add(one, "load a program", "load a module", "load a module file", "remove a module", "load a kernel", "watch the processor",
		"read its log", "count processes", "set the time", "steer the clock", "name the host", "name the domain", "stop the machine",
		"swap", "change personality", "move pages", "prefer a node", "load a filter", "look a cookie up", "use another convention",
		"push back to a terminal")
	add([]string{"500", "4000"}, "use a number of tomorrow")
	add([]string{"/proc/kallsyms", "/proc/cpuinfo", "/proc/sys/kernel/osrelease", "/proc/1/cmdline", "/sys/kernel/notes", "/etc/passwd", "/dev/kmsg"},
		"read a kernel's file")
	add([]string{"/bin/sh", "/usr/bin/env"}, "run a program")
	add(one, "run what it wrote", "run what it wrote to /tmp", "run what it wrote to TMPDIR", "run by a descriptor")
	// They seem to work where the engine's user is shared, and change nothing.
	add([]string{x.file, x.open, secret}, "change its mode", "change its times")
	return all
}

// kit is what a run of the tests has.
type kit struct{ root, engine, shim string }

// envUser is the directory of the programs, in a run as an ordinary user.
const (
	envUser = "SVC_TEST_ATTACK_USER"
	nobody  = 65534
)

func newKit(t *testing.T) kit {
	t.Helper()
	k := kit{root: drivertest.TempDir(t)}
	if built := os.Getenv(envUser); built != "" {
		k.engine, k.shim = filepath.Join(built, "hostile"), filepath.Join(built, "svc-shim")
		return k
	}
	k.engine, k.shim = programs.Build(t, "test/attack/cmd/hostile"), programs.Build(t, "cmd/svc-shim")
	return k
}

func (k kit) driver(t *testing.T, change func(*process.Options)) *process.Driver {
	t.Helper()
	opts := process.Options{StateRoot: filepath.Join(k.root, "engines"), Command: []string{k.engine}, Shim: k.shim}
	change(&opts)
	must(t, os.MkdirAll(opts.StateRoot, 0o700))
	d, err := process.New(opts)
	must(t, err)
	return d
}

func TestMain(m *testing.M) {
	unix.Umask(0o022) // whoever runs the tests: other users are to enter their directories
	dockertest.Main(m)
}

// TestTakenOverEngineGetsNowhere makes each attempt on each kind of machine.
func TestTakenOverEngineGetsNowhere(t *testing.T) {
	user := os.Getenv(envUser) != ""
	k := newKit(t)
	for _, m := range machines {
		if m.user != user && (user || os.Geteuid() == 0) {
			continue
		}
		t.Run(m.name, func(t *testing.T) { attack(t, k, k.driver(t, m.change), through[m.name], "") })
	}
	if !user && os.Geteuid() == 0 {
		t.Run("as a user", func(t *testing.T) { k.rerun(t) })
	}
}

// attack makes all attempts with an engine of a driver. What gets through and why
// that does no harm is said in advance. Of fatal the kernel ends the thread that
// tries it, and so nothing would be received of the engine any more.
func attack(t *testing.T, k kit, d driver.Driver, harmless map[string]string, fatal string) {
	x := aim(t, k, d)
	s := drivertest.NewSpec(t, k.root)
	probes := slices.DeleteFunc(x.attempts(), func(p orders.Probe) bool { return p.What == fatal })
	begin(t, d, s, orders.Orders{Probes: probes})
	r, err := orders.ReadReport(s.Volume)
	must(t, err)
	got := make(map[string]bool)
	refused := 0
	for _, p := range probes {
		said, tried := r.Results[p]
		switch {
		case !tried:
			t.Errorf("the engine did not try to %s (%s)", p.What, p.Arg)
		case said != "":
			refused++
			note(filepath.Base(t.Name()), p.What, said)
		case harmless[p.What] == "":
			t.Errorf("an engine can %s (%s)", p.What, p.Arg)
		}
		if said == "" {
			got[p.What] = true
		}
	}
	for name := range hostile.Orders() {
		if name != fatal && !slices.ContainsFunc(probes, func(p orders.Probe) bool { return p.What == name }) {
			t.Errorf("nobody orders the engine to %s", name)
		}
	}
	for name := range harmless {
		if !got[name] {
			t.Errorf("an engine can't %s any more: the table is out of date", name)
		}
	}
	if x.received() {
		t.Error("a datagram of the engine came")
	}
	x.unharmed(t)
	t.Logf("%d of %d attempts refused", refused, len(probes))
}

// aim makes what is attacked.
func aim(t *testing.T, k kit, d driver.Driver) *targets {
	t.Helper()
	dir := drivertest.TempDir(t)
	must(t, os.Chmod(dir, 0o777|os.ModeSticky))
	x := &targets{
		file: filepath.Join(k.root, "svc.db"), open: filepath.Join(dir, "open"), stream: filepath.Join(dir, "stream"),
		packet: filepath.Join(dir, "packet"), datagram: filepath.Join(dir, "datagram"), service: os.Getpid(),
		neighbour: drivertest.NewSpec(t, k.root),
	}
	must(t, os.WriteFile(x.file, []byte("secret"), 0o600))
	must(t, os.WriteFile(x.open, []byte("open"), 0o666))
	must(t, os.Chmod(x.open, 0o666))
	listen := func(network, address string) net.Listener {
		l, err := net.Listen(network, address)
		must(t, err)
		t.Cleanup(func() { l.Close() })
		return l
	}
	listen("unix", x.stream)
	listen("unixpacket", x.packet)
	x.abstract = "svc-attack-" + filepath.Base(dir)
	listen("unix", "@"+x.abstract)
	x.address = listen("tcp", "127.0.0.1:0").Addr().String()
	datagrams, err := net.ListenPacket("unixgram", x.datagram)
	must(t, err)
	t.Cleanup(func() { datagrams.Close() })
	for _, path := range []string{x.stream, x.packet, x.datagram} {
		must(t, os.Chmod(path, 0o777))
	}
	x.received = func() bool {
		raw, err := datagrams.(syscall.Conn).SyscallConn()
		must(t, err)
		came := false
		must(t, raw.Read(func(fd uintptr) bool {
			n, _, err := unix.Recvfrom(int(fd), make([]byte, 8), unix.MSG_DONTWAIT)
			came = err == nil && n > 0
			return true
		}))
		return came
	}
	x.key = 0x5c000000 + os.Getpid()
	segment, _, e := unix.Syscall(unix.SYS_SHMGET, uintptr(x.key), 4096, 0o1000|0o666)
	if e != 0 {
		t.Fatalf("making shared memory: %v", e)
	}
	t.Cleanup(func() {
		if _, _, e := unix.Syscall(unix.SYS_SHMCTL, segment, 0 /* IPC_RMID */, 0); e != 0 {
			t.Errorf("removing shared memory: %v", e)
		}
	})
	unrelated := exec.Command("sleep", "600")
	must(t, child.Start(unrelated))
	t.Cleanup(func() { _ = unrelated.Process.Kill(); _ = unrelated.Wait() })
	x.unrelated = unrelated.Process.Pid
	h := begin(t, d, x.neighbour, orders.Orders{Probes: []orders.Probe{{What: orders.Write, Arg: "secret"}}})
	obs, err := d.Inspect(t.Context(), h)
	must(t, err)
	x.neighbourPID = obs.PID
	return x
}

// unharmed checks what only seemed not to work, or only seemed to.
func (x *targets) unharmed(t *testing.T) {
	t.Helper()
	for path, mode := range map[string]os.FileMode{x.file: 0o600, x.open: 0o666, filepath.Join(x.neighbour.Volume, "secret"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode || info.ModTime().Unix() == 0 {
			t.Errorf("the engine changed %s: %v, %v", path, info, err)
		}
	}
}

// begin starts an engine and waits until it has tried what it was to.
func begin(t *testing.T, d driver.Driver, s driver.Spec, o orders.Orders) driver.Handle {
	t.Helper()
	must(t, orders.Order(s.Volume, o))
	h, err := d.Start(t.Context(), s, nil)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := wait.Within(context.Background(), wait.Patience)
		defer cancel()
		if err := errors.Join(d.Stop(ctx, h, 0), d.Remove(ctx, h)); err != nil {
			t.Error(err)
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

// rerun runs the tests of this binary as an ordinary user.
func (k kit) rerun(t *testing.T) {
	t.Helper()
	dir := drivertest.TempDir(t)
	self, err := os.Executable()
	must(t, err)
	for name, from := range map[string]string{"tests": self, "hostile": k.engine, "svc-shim": k.shim} {
		// By another program: one that we write ourselves is open in what another
		// test is just starting.
		if out, err := exec.Command("install", "-m", "0755", from, filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("copying %s: %v\n%s", from, err, out)
		}
	}
	home := filepath.Join(dir, "home")
	must(t, errors.Join(os.Mkdir(home, 0o700), os.Chown(home, nobody, nobody)))
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "tests"), "-test.run", "^TestTakenOver", "-test.v")
	cmd.Dir = home
	cmd.Env = []string{envUser + "=" + dir, "HOME=" + home, "TMPDIR=/tmp", "PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := errors.Join(child.Start(cmd), cmd.Wait()); err != nil || !bytes.Contains(out.Bytes(), []byte("--- PASS: Test")) {
		t.Fatalf("as user %d: %v\n%s", nobody, err, &out)
	}
	fmt.Fprintf(t.Output(), "%s", &out)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
