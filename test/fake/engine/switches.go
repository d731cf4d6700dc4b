package fakeengine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

const switchesFile = "switches.json"

// Switches are read from a volume's switches.json at each start.
type Switches struct {
	ReadyAfter    time.Duration // until then readyz answers 503
	NeverReady    bool
	ExitAtStart   int           // exit code, unless 0
	CrashAfter    time.Duration // since the start it ends, unless 0
	SilentAfter   time.Duration // since the start it answers nothing, unless 0
	WrongInstance bool
	IgnoreTerm    bool
	Recover       bool // what ran when the last engine ended fails, as the contract demands
	DrainTakes    time.Duration
	BusyFor       time.Duration // since the start, whatever jobs there are
	HoldReady     bool          // until the switches are written anew, readyz answers 503
	HoldDrain     bool          // likewise, a drain waits
	HoldZIP       bool          // likewise, a ZIP waits after its first half
	FillDisk      int64         // bytes it writes into its volume at the start
	BrokenFeed    bool          // a record that is none
	Chatter       time.Duration // a job goes on for ever and tells the time so often, unless 0
	AcceptOnly    bool          // jobs are taken, as many as come, one synced line each, and never worked on
}

// WriteSwitches sets the switches of the engines that start on volume, and lets
// one that runs there go on with what they no longer hold.
func WriteSwitches(volume string, s Switches) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(volume, 0o700); err != nil {
		return err
	}
	path := filepath.Join(volume, switchesFile)
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	if err := os.Chmod(path+".new", 0o644); err != nil { // the engine may be another user, and the umask narrow
		return err
	}
	return os.Rename(path+".new", path)
}

func readSwitches(volume string) (s Switches, err error) {
	raw, err := os.ReadFile(filepath.Join(volume, switchesFile))
	if err != nil {
		return Switches{}, err
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}

// Change replaces the switches of a running engine. Those about its start come
// too late.
func (e *Engine) Change(s Switches) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.switches = s
}

func (e *Engine) switched() Switches {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.switches
}

// held reports whether what the engine holds is still to be held. A time to
// hold it for would be over unseen on a machine that stands still.
func (e *Engine) held(hold func(Switches) bool) bool {
	if !hold(e.switched()) {
		return false
	}
	now, err := readSwitches(e.cfg.Volume)
	return err == nil && hold(now)
}

// letGo waits until something is no longer held, or nobody waits for it.
func (e *Engine) letGo(ctx context.Context, hold func(Switches) bool) {
	for ctx.Err() == nil && e.held(hold) {
		time.Sleep(time.Millisecond) // nothing else tells that a file changed
	}
}
