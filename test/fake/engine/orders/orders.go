// Package orders is what the fake engine does behind any driver: a file in its volume
// orders it to try what walls forbid, to take memory, to write, to end, and what it
// finds about itself it writes beside it. It keeps no contract then but the command
// line.
package orders

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Files of a volume.
const (
	ordersFile  = "orders.json"
	reportFile  = "report.json"
	engineLock  = "engine.lock" // locked while the engine runs
	childLock   = "child.lock"  // locked while its child runs
	stoppedFile = "stopped"     // written when the engine was asked to end
	eatFile     = "eat"         // there once the engine may take its memory
)

// LogEnd is what stands last in the log of an engine that was ordered to fill
// it.
const LogEnd = "the end of the log"

// Orders are what an engine does, in the order of the fields.
type Orders struct {
	Probes  []Probe
	Child   bool   // start a child of another session that ignores SIGTERM
	Forks   int    // try to start so many processes
	Log     int64  // write so many bytes to the log
	Memory  int64  // take so many bytes once Eat is called
	Write   int64  // write so many bytes to one file
	Exit    *int   // end with this code
	Signal  int    // end by this signal
	Deaf    bool   // ignore SIGTERM
	Replace string // run this program in its own place
}

// Probe is something that an engine tries.
type Probe struct {
	What string // see probes in probe.go
	Arg  string
}

// Report is what an engine found.
type Report struct {
	InstanceID string
	Args       []string
	Environ    []string
	Dir        string
	UID, GID   int
	Groups     []int
	Status     map[string]string // of /proc/self/status
	Blocked    uint64            // signals that all its threads block, one bit each
	Token      string
	Files      uint64 // open files that it may have
	Core       uint64 // bytes that a core dump of it may have
	Results    map[Probe]string
	Forked     int
}

// result is one entry of Report.Results on disk.
type result struct {
	Probe
	Err string
}

// report is Report on disk.
type report struct {
	Report
	Results []result
}

// ReadOrders returns the orders of the engines that start on volume; fs.ErrNotExist
// when there are none.
func ReadOrders(volume string) (o Orders, err error) {
	err = read(filepath.Join(volume, ordersFile), &o)
	return o, err
}

// Order sets the orders of the engines that start on volume, and forgets what
// the last one reported.
func Order(volume string, o Orders) error {
	for _, name := range []string{reportFile, stoppedFile, eatFile} {
		if err := os.Remove(filepath.Join(volume, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing old report: %w", err)
		}
	}
	return write(filepath.Join(volume, ordersFile), o)
}

// Eat has the engine on volume take the memory that it was ordered to take. What
// starts an engine may learn only of memory that is taken after the start: the
// containerd shim begins to watch for it when the program runs already.
func Eat(volume string) error { return write(filepath.Join(volume, eatFile), nil) }

func eating(volume string) bool {
	_, err := os.Stat(filepath.Join(volume, eatFile))
	return err == nil
}

// ReadReport returns what the engine reported; fs.ErrNotExist before it did.
func ReadReport(volume string) (Report, error) {
	var r report
	if err := read(filepath.Join(volume, reportFile), &r); err != nil {
		return Report{}, err
	}
	r.Report.Results = make(map[Probe]string, len(r.Results))
	for _, res := range r.Results {
		r.Report.Results[res.Probe] = res.Err
	}
	return r.Report, nil
}

// WasAsked reports whether the last engine was asked to end, and did.
func WasAsked(volume string) bool {
	_, err := os.Stat(filepath.Join(volume, stoppedFile))
	return err == nil
}

func read(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// write puts a file in place at once, readable by whoever gets at it: the
// directory is what guards it.
func write(path string, what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", raw, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
