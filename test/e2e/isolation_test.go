package e2e

import (
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/need"
)

// nobody is a user without any right.
const nobody = 65534

// A spy is an engine of a running service that tries what no engine may: the
// service is real, its engine the test's.
func TestAnEngineGetsAtNothingButItsOwn(t *testing.T) {
	f := onlyEmbedded(t)
	if os.Geteuid() != 0 {
		need.Missing(t, "isolation must be tested as root")
	}
	t.Run("OfAServiceOfRoot", func(t *testing.T) { newSpies(t, f, 0).check() })
	t.Run("OfAServiceWithoutRoot", func(t *testing.T) { newSpies(t, f, nobody).check() })
}

// spies are a service whose engines are fake engines.
type spies struct {
	*service
	uid  int
	home string // where its programs are
}

const envSecret = "a-secret-in-the-environment-of-the-service"

func newSpies(t *testing.T, f form, uid int) *spies {
	t.Helper()
	s := &spies{service: newService(t, f), uid: uid, home: drivertest.TempDir(t)}
	for to, from := range map[string]string{
		"caddy": bin(t, "caddy"), "svc-shim": bin(t, "svc-shim"), "fakeengine": drivertest.BuildEngine(t),
	} {
		s.copy(to, from)
	}
	if err := os.MkdirAll(filepath.Join(s.home, "frameworks/phaser"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.put("frameworks/phaser/phaser.min.js", "")
	const before = `engines "{$SVC_ENGINES:embedded}"`
	shipped := s.service.read(filepath.Join(root(t), "Caddyfile"))
	if strings.Count(shipped, before) != 1 {
		t.Fatalf("the Caddyfile does not say once how engines run:\n%s", shipped)
	}
	s.put("Caddyfile", strings.Replace(shipped, before, "engines embedded {\n\tcommand "+filepath.Join(s.home, "fakeengine")+"\n}", 1))
	if err := os.Chown(s.dir, uid, uid); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(s.home, "caddy"), "run", "--config", "Caddyfile")
	cmd.Dir = s.home
	cmd.Env = []string{
		"SVC_ADDRESS=http://" + s.addr, "SVC_DATA_DIR=" + s.dir, "SVC_ENGINE_CHROMIUM=off", "SVC_STOP_ENGINES=all", "SVC_LOG_FORMAT=json",
		"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "SVC_SECRET=" + envSecret, "SVC_GRACE=1s",
	}
	cmd.Env = append(cmd.Env, s.formEnv()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	s.run(cmd)
	s.awaitAnswer()
	return s
}

func (s *spies) put(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.home, name), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *spies) copy(to, from string) {
	s.t.Helper()
	in, err := os.Open(from)
	if err != nil {
		s.t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(filepath.Join(s.home, to), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		s.t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// send starts the engine of a project with orders and returns its report.
func (s *spies) send(key apiKey, project string, probes []orders.Probe) orders.Report {
	s.t.Helper()
	volume := filepath.Join(s.dir, "projects", project)
	if err := os.MkdirAll(volume, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := orders.Order(volume, orders.Orders{Probes: probes}); err != nil {
		s.t.Fatal(err)
	}
	if err := filepath.WalkDir(volume, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, s.uid, s.uid)
	}); err != nil {
		s.t.Fatal(err)
	}
	// It does not become ready, but it works.
	a := s.call(key, http.MethodPost, "/v1/generate", map[string]string{"projectId": project, "prompt": brief})
	if a.status != http.StatusServiceUnavailable {
		s.t.Fatalf("submitting to a spy: %d %s", a.status, a.body)
	}
	var report orders.Report
	s.eventually("the spy reports", func() bool {
		var err error
		report, err = orders.ReadReport(volume)
		return err == nil
	})
	return report
}

// check lets one engine try all that must fail, beside another owner's.
func (s *spies) check() {
	t := s.t
	t.Helper()
	victim := s.newKey("ann")
	other := s.newProject(victim)
	seen := s.send(victim, other, []orders.Probe{{What: orders.Write, Arg: "secret"}})
	key := s.newKey("bob")
	mine := s.newProject(key)

	probes := s.everything(mine)
	record, err := shim.ReadRecord(filepath.Join(s.dir, "engines", other))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{s.cmd.Process.Pid, os.Getpid(), record.PID, record.Engine} {
		if n < 2 {
			t.Fatalf("a process id is %d", n)
		}
		pid := strconv.Itoa(n)
		for _, file := range []string{"environ", "cmdline", "maps", "mem"} {
			probes = append(probes, orders.Probe{What: orders.Read, Arg: "/proc/" + pid + "/" + file})
		}
		probes = append(probes, orders.Probe{What: orders.Signal, Arg: pid}, orders.Probe{What: orders.Trace, Arg: pid})
	}
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	probes = append(probes,
		orders.Probe{What: orders.TCP, Arg: "127.0.0.1:" + port}, orders.Probe{What: orders.UDP, Arg: "127.0.0.1:" + port},
		orders.Probe{What: orders.Listen, Arg: "127.0.0.1:0"}, orders.Probe{What: orders.Raw},
		orders.Probe{What: orders.Root}, orders.Probe{What: orders.Mount}, orders.Probe{What: orders.Unshare},
		orders.Probe{What: orders.Exec, Arg: "/bin/sh"}, orders.Probe{What: orders.Exec, Arg: filepath.Join(s.home, "caddy")},
		orders.Probe{What: orders.Write, Arg: filepath.Join(s.home, "fakeengine")},
		orders.Probe{What: orders.Write, Arg: "/tmp/of-a-spy"}, orders.Probe{What: orders.Write, Arg: "/dev/shm/of-a-spy"},
	)
	got := s.send(key, mine, probes)
	for _, p := range probes {
		switch err, tried := got.Results[p]; {
		case !tried:
			t.Errorf("the spy did not try to %s %s", p.What, p.Arg)
		case err == "" && p.What == orders.Root && got.UID == 0:
			t.Error("the spy is root")
		case err == "":
			t.Errorf("the spy can %s %s", p.What, p.Arg)
		}
	}
	if root := s.uid == 0; root != (got.UID != s.uid) || root && got.UID == seen.UID {
		t.Errorf("the service is user %d, the engines are users %d and %d", s.uid, seen.UID, got.UID)
	}
	for _, pair := range got.Environ {
		if strings.HasPrefix(pair, "SVC_") || strings.Contains(pair, envSecret) {
			t.Errorf("the spy's environment has %s", pair)
		}
	}
	t.Logf("the spy, user %d, tried %d things in vain", got.UID, len(probes))
}

// everything lists an attempt at each thing in the data directory that is not the
// project's own.
func (s *spies) everything(project string) []orders.Probe {
	s.t.Helper()
	var probes []orders.Probe
	found := make(map[string]bool)
	if err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		found[strings.TrimPrefix(path, s.dir+"/")] = true
		switch {
		case d.Name() == project:
			return fs.SkipDir
		case d.Type() == fs.ModeSocket:
			if c, err := net.Dial("unix", path); err == nil {
				c.Close() // there is someone whom it could reach
				probes = append(probes, orders.Probe{What: orders.Dial, Arg: path})
			}
		case d.IsDir():
			probes = append(probes, orders.Probe{What: orders.List, Arg: path},
				orders.Probe{What: orders.Write, Arg: filepath.Join(path, "of-a-spy")})
		default:
			probes = append(probes, orders.Probe{What: orders.Read, Arg: path}, orders.Probe{What: orders.Truncate, Arg: path},
				orders.Probe{What: orders.Rename, Arg: path}, orders.Probe{What: orders.Link, Arg: path})
		}
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"svc.db", "admin.sock", "run/caddy.sock", "run/engines.sock", "archive"} {
		if !found[name] {
			s.t.Errorf("%s is not there: the test proves nothing about it", name)
		}
	}
	return probes
}
