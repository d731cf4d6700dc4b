package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/wait"
)

// probeVariable makes this test binary look around in its container instead
// of being an engine.
const probeVariable = "SVC_TEST_PROBE"

// report is what a container finds out about itself. It is written to its log.
type report struct {
	UID    int
	Status map[string]string // lines of /proc/self/status
	Limits map[string]string // lines of /proc/self/limits: the hard ones
	Writes map[string]string // by path: the error of writing there, "" when it worked
	Dials  map[string]string // by address: the error
	Mounts map[string]string // by mount point: file system and options
	Dirs   map[string][]string
	Init   string // command line of process 1
	OOM    string // oom_score_adj
	Env    []string
}

func probeIfAsked() {
	switch os.Getenv(probeVariable) {
	case "":
		return
	case "look":
		look()
	case "fork":
		fork()
	case "egress":
		callEgress()
	case "sleep":
		time.Sleep(time.Hour)
	}
	os.Exit(0)
}

// targets are what a probe tries to write and to reach.
var (
	forbidden = []string{
		"/x", "/etc/x", "/usr/local/bin/x", "/run/secrets/token", "/run/x", "/dev/x", "/sys/x",
		"/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
	}
	allowed   = []string{"/volume/x", "/run/svc/x", "/tmp/x"}
	addresses = []string{"169.254.169.254:80", "10.0.0.1:80", "172.17.0.1:80", "192.0.2.1:53", "[2001:db8::1]:80"}
)

func look() {
	r := report{
		UID: os.Getuid(), Env: os.Environ(), Status: colons("/proc/self/status"), Limits: map[string]string{},
		Writes: map[string]string{}, Dials: map[string]string{}, Mounts: map[string]string{}, Dirs: map[string][]string{},
	}
	for _, line := range lines("/proc/self/limits")[1:] {
		fields := strings.Fields(line[26:]) // the names have a width of 26
		r.Limits[strings.TrimSpace(line[:26])] = fields[1]
	}
	for _, path := range append(forbidden, allowed...) {
		r.Writes[path] = said(os.WriteFile(path, []byte("x"), 0o600))
	}
	for _, address := range addresses {
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err == nil {
			conn.Close()
		}
		r.Dials[address] = said(err)
	}
	for _, line := range lines("/proc/self/mounts") {
		fields := strings.Fields(line)
		r.Mounts[fields[1]] = fields[2] + " " + fields[3]
	}
	for _, dir := range []string{"/", "/volume", "/run/svc", "/home", "/var"} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			r.Dirs[dir] = append(r.Dirs[dir], e.Name())
		}
	}
	r.OOM = lines("/proc/self/oom_score_adj")[0]
	r.Init = strings.ReplaceAll(lines("/proc/1/cmdline")[0], "\x00", " ")
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func lines(path string) []string {
	raw, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
}

func colons(path string) map[string]string {
	m := map[string]string{}
	for _, line := range lines(path) {
		name, value, _ := strings.Cut(line, ":")
		m[name] = strings.TrimSpace(value)
	}
	return m
}

// callEgress dials the socket that the command line names until the second
// one that stands there has answered.
func callEgress() {
	at := slices.Index(os.Args, "--egress")
	err := wait.Poll(context.Background(), wait.Patience, func() bool {
		conn, err := net.Dial("unix", os.Args[at+1])
		if err != nil {
			return false
		}
		defer conn.Close()
		answer, _ := io.ReadAll(conn)
		return string(answer) == "second"
	})
	if err != nil {
		fmt.Println("reached nothing:", err)
		return
	}
	fmt.Println("reached both")
}

// fork starts processes until it may not, and tells how many there are.
func fork() {
	n := 0
	for range 2000 {
		_, err := os.StartProcess("/proc/self/exe", []string{"x"}, &os.ProcAttr{Env: []string{probeVariable + "=sleep"}})
		if err != nil {
			break
		}
		n++
	}
	fmt.Println(n)
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// probing makes the containers of a driver probes.
func probing(what string) func(*Options) {
	return func(o *Options) {
		o.Image, o.Env = probeImage, []string{probeVariable + "=" + what, "GORACE=atexit_sleep_ms=0"}
	}
}

// output runs a probe to its end and returns what it wrote.
func (b *bed) output(t *testing.T, s driver.Spec) (string, driver.Observed) {
	t.Helper()
	h := b.start(t, s)
	obs := b.ended(t, h)
	log, err := b.Logs(t.Context(), h, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(log), obs
}

func (b *bed) look(t *testing.T, s driver.Spec) report {
	t.Helper()
	out, obs := b.output(t, s)
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("report of a container that %s: %v\n%s", obs.Exit, err, out)
	}
	return r
}
