// Package fakeengine is a program that keeps the engine contract and can be
// told to break it, for tests of what stands before an engine. Open is one within a
// test.
package fakeengine

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Folder is that of the program, for test/programs.
const Folder = "test/fake/engine/cmd/fakeengine"

// stuckVariable makes the work of submitted jobs last until their time is up,
// which is so much later.
const stuckVariable = "SVC_FAKE_ENGINE_STUCK"

// Starts returns how many engines have started on volume.
func Starts(volume string) int {
	raw, _ := os.ReadFile(filepath.Join(volume, "starts"))
	return len(raw)
}

// state is what the volume keeps.
type state struct {
	FeedID  string
	Feed    []contract.FeedRecord
	Acked   uint64
	Stopped []contract.Stop
	Jobs    []contract.JobRecord
	Fenced  map[string]bool
	Events  map[string]string // lines, by job
	Files   map[string][]byte // ZIP, by job
	Game    []byte            // ZIP of the game as it is; nil: this engine has no snapshots
	Works   map[string]*work  // of the jobs that were submitted, by job

	// What submitted jobs changed for good. Nothing reads it.
	Instructions string
	Skills       map[string]api.Skill // by key
}

// Config is what an engine is told when it starts.
type Config struct {
	ProjectID, InstanceID, Token, Volume string
	Egress                               string         // socket or https URL behind which models are found
	Secrets                              Secrets        // for the latter
	Exit                                 func(code int) // ends the engine at once
	Stuck                                time.Duration  // how long a job works before its time is up; 0: no time
}

// Engine keeps the contract, as far as its switches let it.
type Engine struct {
	cfg      Config
	switches Switches
	began    time.Time
	handler  http.Handler

	mu      sync.Mutex // guards the following fields
	state   state
	grown   chan struct{}
	drained bool
	undrain int
	streams int // open event streams
}

// Main runs the fake engine and ends the process.
func Main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fake engine:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run() error {
	cfg := Config{Exit: os.Exit}
	flags := flag.NewFlagSet("fakeengine", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	socket := flags.String("socket", "", "")
	tokenFile := flags.String("token-file", "", "")
	listen := flags.String("listen", "", "")
	certFile, keyFile, caFile := flags.String("tls-cert", "", ""), flags.String("tls-key", "", ""), flags.String("tls-ca", "", "")
	flags.StringVar(&cfg.Egress, "egress", "", "")
	flags.StringVar(&cfg.ProjectID, "project", "", "")
	flags.StringVar(&cfg.InstanceID, "instance", "", "")
	flags.StringVar(&cfg.Volume, "volume", "", "")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	token, err := os.ReadFile(*tokenFile)
	if err != nil {
		return err
	}
	if cfg.Token = string(token); cfg.Token == "" || cfg.ProjectID == "" {
		return errors.New("a token and a project are needed")
	}
	if text := os.Getenv(stuckVariable); text != "" {
		if cfg.Stuck, err = time.ParseDuration(text); err != nil {
			return err
		}
	}
	if *listen != "" {
		if cfg.Secrets, err = ReadSecrets(*certFile, *keyFile, *caFile); err != nil {
			return err
		}
	}
	lock, err := hold(cfg.Volume)
	if err != nil {
		return err
	}
	defer lock.Close()
	e, err := Open(cfg)
	if err != nil {
		return err
	}
	l, err := open(*socket, *listen, cfg.Secrets)
	if err != nil {
		return err
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		for range term {
			if e.Terminates() {
				l.Close()
				os.Exit(0)
			}
		}
	}()
	server := &http.Server{Handler: e, ErrorLog: log.New(io.Discard, "", 0)} // of clients that are not let in
	err = server.Serve(l)
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// open listens at a socket, or at a port with TLS.
func open(socket, port string, secrets Secrets) (net.Listener, error) {
	if port != "" {
		config, err := secrets.Server()
		if err != nil {
			return nil, err
		}
		return tls.Listen("tcp", port, config)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	return l, os.Chmod(socket, 0o660)
}

// hold keeps a volume from a second engine until the process ends.
func hold(volume string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(volume, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(errors.New("another engine has the volume"), f.Close())
	}
	return f, nil
}

// Open starts an engine on its volume.
func Open(cfg Config) (*Engine, error) {
	e := &Engine{cfg: cfg, began: time.Now(), grown: make(chan struct{})}
	switches, err := readSwitches(cfg.Volume)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	e.switches = switches
	if err := e.load(); err != nil {
		return nil, err
	}
	e.handler = others(e.routes())
	if n := e.switches.FillDisk; n > 0 {
		if err := os.WriteFile(filepath.Join(cfg.Volume, "ballast"), make([]byte, n), 0o600); err != nil {
			return nil, err
		}
	}
	if e.switches.ExitAtStart != 0 {
		cfg.Exit(e.switches.ExitAtStart)
	}
	if after := e.switches.CrashAfter; after > 0 {
		time.AfterFunc(after, func() { cfg.Exit(7) })
	}
	return e, nil
}

// Terminates reports whether the engine ends when it is asked to.
func (e *Engine) Terminates() bool { return !e.switched().IgnoreTerm }

func (e *Engine) load() error {
	starts, err := os.OpenFile(filepath.Join(e.cfg.Volume, "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = starts.WriteString("x")
	if err = errors.Join(err, starts.Close()); err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(e.cfg.Volume, "state.json"))
	if errors.Is(err, os.ErrNotExist) {
		e.state = state{
			FeedID: "feed-" + e.cfg.InstanceID, Fenced: map[string]bool{},
			Events: map[string]string{}, Files: map[string][]byte{}, Works: map[string]*work{},
		}
		return e.save()
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &e.state); err != nil {
		return err
	}
	if e.state.Works == nil {
		e.state.Works = map[string]*work{}
	}
	e.resume()
	if !e.switches.Recover {
		return e.save()
	}
	for i := range e.state.Jobs {
		if j := &e.state.Jobs[i]; !j.Status.Terminal() && e.state.Works[j.JobID] == nil {
			j.Failure = restarted()
			e.end(j, api.JobFailed, nil)
		}
	}
	return e.save()
}

// save is called with mu held, or before anyone else knows the engine.
func (e *Engine) save() error {
	raw, err := json.Marshal(e.state)
	if err != nil {
		return err
	}
	temp := filepath.Join(e.cfg.Volume, "state.new")
	if err := os.WriteFile(temp, raw, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(e.cfg.Volume, "state.json")); err != nil {
		return err
	}
	close(e.grown)
	e.grown = make(chan struct{})
	return nil
}
