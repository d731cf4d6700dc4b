// Package fakeengine is a program that keeps the engine contract and can be told to
// break it, for tests of what stands before an engine, or obeys what package orders
// says, for tests of what it runs in. Open is one within a test.
package fakeengine

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Folder is that of the program, for test/programs.
const Folder = "test/fake/engine/cmd/fakeengine"

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
	taken   taken
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
	e.wake()
	return nil
}

// wake has those who wait for more look again. It is called with mu held.
func (e *Engine) wake() {
	close(e.grown)
	e.grown = make(chan struct{})
}
