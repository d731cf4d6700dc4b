package contract

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/contract/killpoint"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// marker is in every brief and context of the suite, and must not be in a log.
const marker = "quokkaberry"

// engine is a project's volume and the engine that runs on it, if one does.
type engine struct {
	t         *testing.T
	target    Target
	dir       string
	volume    string
	socket    string
	projectID string
	stuck     bool    // the engine's work never ends
	egress    *egress // behind which models are found; nil: there are none
	remote    *remote // the engine is reached over TCP; nil: by its socket
	feed      *ledger

	// Of the newest start.
	instanceID string
	token      string
	http       *http.Client
	cmd        *exec.Cmd
	watch      func(killpoint.Point) bool // decides at each write of the next start; nil: unwatched
	ended      chan struct{}              // closed when the process has ended
	err        error                      // of its end
	log        *child.Log
}

// MainIfAsked must be called first in the TestMain of a package that runs the
// suite: the engines that are killed at a write are started through its binary.
func MainIfAsked() { killpoint.MainIfAsked() }

// newEngine makes a project whose engine is not started yet.
func newEngine(t *testing.T, target Target) *engine {
	t.Helper()
	dir := keep.Dir(t)
	e := &engine{
		t: t, target: target, dir: dir, volume: filepath.Join(dir, "volume"), socket: filepath.Join(dir, "run", "e.sock"),
		projectID: mint.NewProjectID(),
	}
	e.feed = &ledger{e: e, seen: map[uint64][]byte{}}
	for _, name := range []string{"volume", "run", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		e.feed.leave()
		if t.Failed() && e.log != nil {
			t.Logf("the engine's log:\n%s", e.log)
		}
		e.kill()
	})
	return e
}

// startEngine makes a project and starts its engine, which is ready then.
func startEngine(t *testing.T, target Target) *engine {
	t.Helper()
	e := newEngine(t, target)
	e.start()
	return e
}

// command returns the engine's command line under a new instance id and token.
func (e *engine) command() *exec.Cmd {
	e.t.Helper()
	e.instanceID = mint.NewInstanceID(time.Now())
	e.token = "token-of-" + e.instanceID
	tokenFile := filepath.Join(e.dir, "token")
	if err := os.WriteFile(tokenFile, []byte(e.token), 0o600); err != nil {
		e.t.Fatal(err)
	}
	args := append(e.target.Command[1:len(e.target.Command):len(e.target.Command)],
		"--volume", e.volume, "--project", e.projectID, "--instance", e.instanceID, "--token-file", tokenFile)
	if e.remote == nil {
		args = append(args, "--socket", e.socket)
	} else {
		args = append(args, e.remote.flags(e)...)
	}
	if e.egress != nil {
		args = append(args, "--egress", e.egress.address)
	}
	cmd := exec.Command(e.target.Command[0], args...)
	cmd.Dir = e.dir
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + filepath.Join(e.dir, "home"), "TMPDIR=" + filepath.Join(e.dir, "tmp"),
	}
	if e.stuck {
		cmd.Env = append(cmd.Env, e.target.Stuck...)
	}
	return cmd
}

// launch starts the engine, which need not be ready when launch returns.
func (e *engine) launch() { e.launchAs(e.command()) }

func (e *engine) launchAs(cmd *exec.Cmd) {
	e.t.Helper()
	log := new(child.Log)
	cmd.Stderr = log
	attach := func() error { return nil }
	if e.watch != nil {
		var err error
		if attach, err = killpoint.Command(cmd, e.volume, e.watch); err != nil {
			e.t.Fatalf("watching the engine: %v", err)
		}
	}
	if err := cmd.Start(); err != nil {
		e.t.Fatalf("starting the engine: %v", err)
	}
	if err := attach(); err != nil {
		e.t.Fatalf("watching the engine: %v", err)
	}
	ended := make(chan struct{})
	e.cmd, e.ended, e.log = cmd, ended, log
	go func() {
		e.err = cmd.Wait()
		close(ended)
	}()
	if e.http != nil {
		e.http.CloseIdleConnections()
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", e.socket)
	}}
	if e.remote != nil {
		transport = e.remote.transport(e, e.remote.proxy)
	}
	e.http = &http.Client{Transport: transport}
}

// start starts the engine and waits until it is ready.
func (e *engine) start() {
	e.t.Helper()
	e.launch()
	if !e.becomesReady() {
		e.t.Fatalf("the engine ended before it was ready: %v", e.err)
	}
}

// becomesReady waits until the engine is ready; false when it ends before.
func (e *engine) becomesReady() (ready bool) {
	e.t.Helper()
	wait.Until(e.t, "the engine is ready or has ended", func() bool {
		select {
		case <-e.ended:
			return true
		default:
		}
		a, err := e.try(call{path: wire.PathReady})
		ready = err == nil && a.status == http.StatusOK
		return ready
	})
	return ready
}

// kill ends the engine as a crash does. Its log must be one.
func (e *engine) kill() {
	if e.cmd == nil {
		return
	}
	_ = e.cmd.Process.Kill() // it may have ended by itself
	e.gone()
}

// gone waits for the end of the process and checks what it logged.
func (e *engine) gone() {
	<-e.ended
	e.cmd = nil
	for line := range strings.Lines(e.log.String()) {
		if strings.Contains(line, marker) {
			e.t.Errorf("the log repeats the brief: %s", line)
		}
		if !json.Valid([]byte(line)) && strings.HasSuffix(line, "\n") {
			e.t.Errorf("this line of the log is not JSON: %s", line)
		}
	}
}

// restart kills the engine and starts another on its volume.
func (e *engine) restart() {
	e.t.Helper()
	e.kill()
	e.start()
}

// terminate asks the engine to stop, and returns how it ended.
func (e *engine) terminate() error {
	e.t.Helper()
	if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		e.t.Fatal(err)
	}
	wait.For(e.t, "the engine's end after SIGTERM", e.ended)
	err := e.err
	e.gone()
	return err
}

// exitCode is how a process ended; -1 for one that a signal did.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}
