package e2e

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// form is how the service is cut into processes.
type form string

const (
	formEmbedded form = "embedded" // caddy alone
	formSplit    form = "split"    // with svc-sidecar and svc-engine-proxy beside it
	formHosts    form = "hosts"    // the same, the engine proxy reached as if it were on another host
)

// askedFor is the one form in which all tests are to run, "" where each runs in
// those that it is about.
func askedFor() form {
	switch f := form(os.Getenv("SVC_FORM")); f {
	case "", formEmbedded, formSplit, formHosts:
		return f
	default:
		panic(fmt.Sprintf("SVC_FORM is %q; it can be embedded, split or hosts", f))
	}
}

// inEveryForm runs a test in both forms, side by side: it asks something of the
// wire between the parts.
func inEveryForm(t *testing.T, test func(t *testing.T, f form)) {
	t.Helper()
	t.Parallel()
	forms := []form{formEmbedded, formSplit}
	if f := askedFor(); f != "" {
		forms = []form{f}
	}
	for _, f := range forms {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			test(t, f)
		})
	}
}

// inOneForm is the form of a test that would prove the same in each.
func inOneForm(t *testing.T) form {
	t.Helper()
	t.Parallel()
	return cmp.Or(askedFor(), formEmbedded)
}

// onlyEmbedded is the form of a test that is about one process.
func onlyEmbedded(t *testing.T) form {
	t.Helper()
	t.Parallel()
	if askedFor().split() {
		t.Skip("this is about the embedded form")
	}
	return formEmbedded
}

// onlySplit is the form of a test that is about the parts on their own.
func onlySplit(t *testing.T) form {
	t.Helper()
	t.Parallel()
	if askedFor() == formEmbedded {
		t.Skip("this is about the split form")
	}
	return cmp.Or(askedFor(), formSplit)
}

// split reports whether the parts are processes of their own.
func (f form) split() bool { return f == formSplit || f == formHosts }

// part is a process of the service beside caddy.
type part struct {
	cmd  *exec.Cmd
	done chan error
}

// startPart runs a program of ours in the service's data directory.
func (s *service) startPart(name string, args ...string) *part {
	s.t.Helper()
	cmd := exec.Command(bin(s.t, name), args...)
	cmd.Dir = root(s.t)
	cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+s.dir, "SVC_ENGINE_CHROMIUM=off", "SVC_LOG_LEVEL=debug", "SVC_LOG_FORMAT=json")
	cmd.Env = append(append(cmd.Env, s.formEnv()...), s.env...)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := child.Start(cmd); err != nil {
		s.t.Fatal(err)
	}
	p := &part{cmd: cmd, done: make(chan error, 1)}
	go func() { p.done <- cmd.Wait() }()
	return p
}

// stop signals the process and returns what Wait returned.
func (p *part) stop(sig os.Signal) error {
	if p == nil || p.cmd == nil {
		return nil
	}
	_ = p.cmd.Process.Signal(sig)
	return p.ended()
}

// ended waits for the end of the process.
func (p *part) ended() error {
	defer func() { p.cmd = nil }()
	return ended(p.cmd, p.done)
}

// ended waits for the end of a process, and kills one that does not end.
func ended(cmd *exec.Cmd, done <-chan error) error {
	ctx, cancel := wait.Within(context.Background(), wait.Patience) // at the test's end as well
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		return fmt.Errorf("did not stop: %w: %w", context.Cause(ctx), <-done)
	}
}

// formEnv tells the parts where the others are. A loaded machine may take its
// time for a decision.
func (s *service) formEnv() []string {
	env := []string{"SVC_DECISION_TIMEOUT=10s"}
	if !s.form.split() {
		return env
	}
	env = append(env, "SVC_SIDECAR="+s.sidecarSocket(), "SVC_STOP_ENGINES=idle")
	if s.form == formSplit {
		env = append(env, "SVC_ENGINES="+s.enginesSocket())
	}
	return env
}

func (s *service) enginesSocket() string { return filepath.Join(s.dir, "run", "engines.sock") }

func (s *service) sidecarSocket() string { return filepath.Join(s.dir, "run", "sidecar.sock") }

// startParts starts what runs beside caddy in the split form, unless it does.
func (s *service) startParts() {
	s.t.Helper()
	if s.form.split() && (s.sidecar == nil || s.sidecar.cmd == nil) {
		s.startSidecar()
	}
	if s.form.split() && (s.engineProxy == nil || s.engineProxy.cmd == nil) {
		s.startEngines()
	}
}

// startEngines starts svc-engine-proxy and waits until it listens.
func (s *service) startEngines(args ...string) {
	s.t.Helper()
	if s.form == formHosts {
		args = append(args, s.hostsArgs()...)
	}
	s.engineProxy = s.startListening("svc-engine-proxy", s.enginesSocket(), args...)
}

// startListening starts a part and waits until it, and not one before it,
// listens on a socket.
func (s *service) startListening(name, socket string, args ...string) *part {
	s.t.Helper()
	was, err := os.Stat(socket)
	p := s.startPart(name, args...)
	s.eventually(name+" listens", func() bool {
		if now, errNow := os.Stat(socket); errNow != nil || err == nil && os.SameFile(was, now) {
			return false // not its socket
		}
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return p
}

// hostsArgs has the engine proxy listen on TCP, and writes the gateway's
// Caddyfile that leads there.
func (s *service) hostsArgs() []string {
	s.t.Helper()
	if s.authority == nil {
		s.authority = peertest.NewAuthority(s.t)
		s.enginesAddr = "localhost:" + freeport.Port(s.t)
		s.writeCaddyfile(s.authority.Issue("gateway"))
	}
	at := s.authority.Issue("engines")
	return []string{
		"--listen", s.enginesAddr, "--tls-cert", at.Cert, "--tls-key", at.Key, "--tls-ca", at.CA, "--tls-names", "gateway",
	}
}

// writeCaddyfile is the shipped configuration with engines behind TLS.
func (s *service) writeCaddyfile(tls peer.TLS) {
	s.t.Helper()
	s.editCaddyfile(`engines "{$SVC_ENGINES:embedded}"`,
		fmt.Sprintf("engines %s {\n\t\t\ttls %s %s %s engines\n\t\t}", s.enginesAddr, tls.Cert, tls.Key, tls.CA))
}

// editCaddyfile replaces a part of the configuration, before the start.
func (s *service) editCaddyfile(old, by string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(root(s.t), s.caddyfile()))
	if s.config != "" {
		text, err = os.ReadFile(s.config)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		s.t.Fatalf("the Caddyfile has no %q", old)
	}
	s.config = filepath.Join(s.t.TempDir(), "Caddyfile")
	if err := os.WriteFile(s.config, []byte(strings.Replace(string(text), old, by, 1)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// startSidecar starts svc-sidecar and waits until it listens.
func (s *service) startSidecar(args ...string) {
	s.t.Helper()
	s.sidecar = s.startListening("svc-sidecar", s.sidecarSocket(), args...)
}
