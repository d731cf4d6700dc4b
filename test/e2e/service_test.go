// Package e2e runs the service as its users do: bin/caddy as a process, HTTP
// from outside, the downloaded game in a browser.
package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// service is a running bin/caddy with a data directory of its own.
type service struct {
	t    *testing.T
	form form
	dir  string // data directory
	addr string // host:port
	env  []string
	log  *child.Log
	cmd  *exec.Cmd
	done chan error

	sidecar     *part // nil in the embedded form, and while it does not run
	engineProxy *part // likewise svc-engine-proxy

	// Of the form in which the engine proxy is on another host.
	authority   *peertest.Authority
	enginesAddr string
	config      string // Caddyfile in place of the shipped one; "" for that one

	secrets []string // of every key; none may be in the log
}

// bin returns the path of a built program.
func bin(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SVC_BIN")
	if dir == "" {
		dir = filepath.Join(root(t), "bin")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing: run make build", path)
	}
	return path
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// newService prepares a service with an empty data directory on a free port.
func newService(t *testing.T, f form, env ...string) *service {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, form: f, dir: dir, addr: "localhost:" + freeport.Port(t), env: env, log: new(child.Log)}
	t.Cleanup(func() {
		s.stop(os.Interrupt)
		s.stopEngines()
		for _, secret := range s.secrets {
			if strings.Contains(s.log.String(), secret) {
				t.Error("the log holds the secret of a key")
			}
		}
		keep.Text(t, filepath.Base(dir)+".log", s.log.String())
		keep.Folder(t, filepath.Base(dir), dir)
		if t.Failed() {
			t.Logf("log of the service:\n%s", s.log)
		}
		os.RemoveAll(dir)
	})
	return s
}

// start runs newService's process and waits until it answers.
func start(t *testing.T, f form, env ...string) *service {
	t.Helper()
	s := newService(t, f, env...)
	s.start()
	return s
}

func (s *service) command(args ...string) *exec.Cmd {
	cmd := exec.Command(bin(s.t, "caddy"), args...)
	cmd.Dir = root(s.t)
	cmd.Env = append(os.Environ(),
		"SVC_ADDRESS=http://"+s.addr, "SVC_DATA_DIR="+s.dir, "SVC_ENGINE_CHROMIUM=off", "SVC_GRACE=2s", "SVC_LOG_LEVEL=DEBUG", "SVC_LOG_FORMAT=json")
	cmd.Env = append(cmd.Env, s.formEnv()...)
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

func (s *service) start(args ...string) {
	s.t.Helper()
	s.startParts()
	s.run(s.command(append([]string{"run", "--config", s.caddyfile()}, args...)...))
	s.awaitAnswer()
}

// caddyfile is the configuration that the form needs.
func (s *service) caddyfile() string { return cmp.Or(s.config, "Caddyfile") }

// awaitAnswer waits until the service works.
func (s *service) awaitAnswer() {
	s.t.Helper()
	// A key that no one has is looked up: the answer comes from the store.
	s.eventually("the service answers", func() bool {
		req, err := http.NewRequest(http.MethodGet, "http://"+s.addr+"/v1/projects", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("X-API-Key", mint.NewKey())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusUnauthorized
	})
}

// run starts a command as the service's process.
func (s *service) run(cmd *exec.Cmd) {
	s.t.Helper()
	s.cmd = cmd
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := child.Start(s.cmd); err != nil {
		s.t.Fatal(err)
	}
	s.done = make(chan error, 1)
	go func(cmd *exec.Cmd, done chan error) { done <- cmd.Wait() }(s.cmd, s.done)
}

// stop signals the process, and then the other parts of the service, and
// returns what Wait returned.
func (s *service) stop(sig os.Signal) error {
	err := s.stopGateway(sig)
	return errors.Join(err, s.engineProxy.stop(sig), s.sidecar.stop(sig))
}

func (s *service) stopGateway(sig os.Signal) error {
	if s.cmd == nil {
		return nil
	}
	_ = s.cmd.Process.Signal(sig)
	err := ended(s.cmd, s.done)
	s.cmd = nil
	return err
}

// stopEngines ends what outlives the service on purpose.
func (s *service) stopEngines() {
	for _, pid := range s.enginePIDs() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// enginePIDs finds this service's engines by their command line.
func (s *service) enginePIDs() []int { return s.pids("svc-engine") }

// pids finds this service's processes of a program.
func (s *service) pids(program string) []int {
	var pids []int
	procs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range procs {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte(program)) || !bytes.Contains(line, []byte(s.dir+"/")) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually waits for another process to make ok true.
func (s *service) eventually(what string, ok func() bool) {
	s.t.Helper()
	s.within(wait.Patience, what, ok)
}

// within is eventually for what takes its time.
func (s *service) within(limit time.Duration, what string, ok func() bool) {
	s.t.Helper()
	ctx, cancel := wait.Within(s.t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case err := <-s.done:
			s.done <- err
			s.t.Fatalf("waiting until %s: the service ended: %v", what, err)
		case <-ctx.Done():
			s.t.Fatalf("waited in vain until %s: %v", what, context.Cause(ctx))
		}
	}
}

// svc runs the command line tool against the service.
func (s *service) svc(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(bin(s.t, "svc"), args...)
	cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+s.dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("svc %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// apiKey is a key made through the admin socket.
type apiKey struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// newKey makes a user, unless it is there, and a key with the given limits.
func (s *service) newKey(user string, limits ...string) apiKey {
	s.t.Helper()
	if err := exec.Command(bin(s.t, "svc"), "admin", "user", "show", user, "--data-dir", s.dir).Run(); err != nil {
		s.svc("admin", "user", "create", user, "--tik", "1000")
	}
	var key apiKey
	s.decode([]byte(s.svc(append([]string{"admin", "key", "create", "--user", user, "--name", "test", "--json"}, limits...)...)), &key)
	if key.ID == "" || key.Secret == "" {
		s.t.Fatalf("the new key is %q", key.ID)
	}
	s.secrets = append(s.secrets, key.Secret)
	return key
}

// answer is a response read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call sends one request with a key; body is nil, a string or a value for JSON.
// An answer that api/openapi.yaml does not describe fails the test.
func (s *service) call(key apiKey, method, path string, body any, headers ...string) answer {
	s.t.Helper()
	ctx, cancel := wait.Context(s.t)
	defer cancel()
	req, got, err := rig.Send(ctx, http.DefaultClient, key.Secret, method, "http://"+s.addr+path, body, headers...)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	a := answer{got.Status, got.Header, got.Body}
	s.documented(req, a)
	return a
}

func (s *service) read(path string) string {
	s.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

// glob finds at least one file of the data directory.
func (s *service) glob(pattern string) []string {
	s.t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.dir, pattern))
	if err != nil || len(paths) == 0 {
		s.t.Fatalf("no file is %s: %v", pattern, err)
	}
	return paths
}

func (s *service) decode(raw []byte, dst any) {
	s.t.Helper()
	if err := json.Unmarshal(raw, dst); err != nil {
		s.t.Fatalf("decoding %q: %v", raw, err)
	}
}

// members returns the names of a JSON object's members, sorted.
func (s *service) members(raw []byte) string {
	s.t.Helper()
	var object map[string]json.RawMessage
	s.decode(raw, &object)
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	return strings.Join(sorted(names), " ")
}
