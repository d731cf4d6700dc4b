// Package shim is the small program between the engine proxy and an engine
// process. It outlives the engine proxy, keeps hold of everything that the
// engine starts, cuts its log and writes down how it ended.
//
// Its second face, Enter, is what the engine process is before it becomes the
// engine: it confines itself and runs the engine's program.
package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
)

// Names of a state directory.
const (
	recordFile = "instance.json" // Record, from before the engine is started
	exitFile   = "exit.json"     // Ended, once all of it is gone
	LogFile    = "engine.log"    // what the engine writes
	CutFile    = "engine.log.1"  // the part of it that was cut last
)

// Identity names a shim, and so its engine, for good. All of it must agree
// before a process is taken for that shim.
type Identity struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
	BootID     string `json:"bootId"`
	ProjectID  string `json:"projectId"`
	InstanceID string `json:"instanceId"`
}

// Record is what a shim notes of itself.
type Record struct {
	Identity
	Volume string `json:"volume"`
	// Generation is that of the engine's start, 0 in a record of an older shim.
	Generation uint64 `json:"generation,omitempty"`
	Socket     string `json:"socket"`
	UID        int    `json:"uid"` // of the engine, when it is not ours
	// Engine is the process id of the engine, 0 before it was started;
	// EngineTicks its start time.
	Engine      int    `json:"engine"`
	EngineTicks uint64 `json:"engineTicks"`
	Cgroup      string `json:"cgroup,omitempty"`
	// Unlisted are the numbers of the system calls that it tried and may not use,
	// in the order in which it first did, at most maxUnlisted.
	Unlisted []int `json:"unlisted,omitempty"`
}

// Ended is what a shim leaves behind.
type Ended struct {
	Record
	Exit driver.Exit `json:"exit"`
}

// self returns the identity of this process.
func self(projectID, instanceID string) (Identity, error) {
	// The engine proxy's number for us: ours may be that of a namespace.
	pid, err := procfs.Self()
	if err != nil {
		return Identity{}, err
	}
	st, err := procfs.ReadStat(pid)
	if err != nil {
		return Identity{}, err
	}
	boot, err := procfs.BootID()
	if err != nil {
		return Identity{}, err
	}
	return Identity{
		PID: pid, StartTicks: st.StartTicks, BootID: boot, ProjectID: projectID, InstanceID: instanceID,
	}, nil
}

// ReadRecord returns the record of the last shim that had the state directory;
// fs.ErrNotExist when there was none.
func ReadRecord(stateDir string) (Record, error) {
	var r Record
	return r, read(filepath.Join(stateDir, recordFile), &r)
}

// ReadEnded returns what the last shim that had the state directory left;
// fs.ErrNotExist when it has not ended.
func ReadEnded(stateDir string) (Ended, error) {
	var e Ended
	return e, read(filepath.Join(stateDir, exitFile), &e)
}

// Forget removes the records of a state directory.
func Forget(stateDir string) error {
	for _, name := range []string{recordFile, exitFile} {
		if err := os.Remove(filepath.Join(stateDir, name)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("removing record: %w", err)
		}
	}
	return nil
}

func read(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("decoding %s: %w", filepath.Base(path), err)
	}
	return nil
}

// write replaces a record in one step. It is of no use after the machine has
// stopped, and so need not be on disk.
func write(path string, what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	return nil
}
