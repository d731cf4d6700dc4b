package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
)

// Config is what a shim is to run. It reaches the shim by a pipe and holds no
// secret.
type Config struct {
	Record
	StateDir string
	Command  []string // with all arguments; the first is a path
	Env      []string
	LogBytes int64
	Rlimits  []Rlimit
	Confine  confine.Options
	// Namespaces is what the shim was given a namespace of processes by; with
	// NoRight it has none. The engine gets its own of the others.
	Namespaces confine.Right
	// Egress is the socket that the engine may connect to, "" for none.
	Egress string
}

// Rlimit is one of setrlimit's, soft and hard.
type Rlimit struct {
	Resource int
	Value    uint64
}

// Flags that name a shim on its command line, for those who look for it.
const (
	flagProject  = "--project"
	flagInstance = "--instance"
	flagState    = "--state"
)

// Arguments returns the shim's arguments, after its program.
func (c Config) Arguments() []string {
	return []string{commandRun, flagProject, c.ProjectID, flagInstance, c.InstanceID, flagState, c.StateDir}
}

// Argued is what a process says on its command line to be.
type Argued struct{ ProjectID, InstanceID, StateDir string }

// Parse reads a shim's command line, and reports whether it is one.
func Parse(args []string) (Argued, bool) {
	at := slices.Index(args, commandRun)
	if at < 0 || len(args) != at+7 {
		return Argued{}, false
	}
	args = args[at+1:]
	if args[0] != flagProject || args[2] != flagInstance || args[4] != flagState {
		return Argued{}, false
	}
	return Argued{ProjectID: args[1], InstanceID: args[3], StateDir: args[5]}, true
}

// The shim's faces, its first argument.
const (
	commandRun   = "shim"
	commandEnter = "enter"
	commandTry   = "try" // see Try
)

// Descriptors of the shim and of its second face, beside the standard ones.
const (
	// statusFD is where the caller learns how the start went: one line of JSON,
	// or nothing when the engine's program runs.
	statusFD = 3
	// configFD is where the second face reads its configuration.
	configFD = 4
	// guardFD is where it hands over what the kernel asks about it.
	guardFD = 5
)

// Status is what a shim tells its caller, once.
type Status struct {
	Identity
	// Refused says why the engine's program was not run; "" when it was.
	Refused string
	// Fatal: it never will be, as things are configured.
	Fatal bool
	// Full: there was no room on the disk.
	Full bool
}

// refusal is the status of a start that failed.
func refusal(err error) Status {
	return Status{Refused: err.Error(), Fatal: fatal(err), Full: errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)}
}

// Main runs the shim and ends the process.
func Main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == commandEnter:
		err = enter()
	case len(os.Args) == 3 && os.Args[1] == commandTry:
		err = try(os.Args[2])
	case len(os.Args) > 1 && os.Args[1] == commandRun:
		err = supervise()
	default:
		err = errors.New("it is started by the engine proxy, and does nothing by itself")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "svc-shim:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// MainIfAsked is Main when the arguments are a shim's. It is to be called first
// in a TestMain whose test binary is used as shim.
func MainIfAsked() {
	if len(os.Args) > 1 && (os.Args[1] == commandRun || os.Args[1] == commandEnter || os.Args[1] == commandTry) {
		Main()
	}
}

// maxConfig is what a pipe takes at once.
const maxConfig = 64 << 10

func readConfig(from io.Reader) (Config, error) {
	var c Config
	if err := json.NewDecoder(io.LimitReader(from, maxConfig)).Decode(&c); err != nil {
		return c, fmt.Errorf("reading configuration: %w", err)
	}
	return c, nil
}

// Pipe returns the reading end of a pipe that holds the configuration.
func (c Config) Pipe() (*os.File, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encoding configuration: %w", err)
	}
	if len(raw) > maxConfig {
		return nil, fmt.Errorf("the configuration of the engine has %d bytes and may have %d", len(raw), maxConfig)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making pipe: %w", err)
	}
	_, err = w.Write(raw)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("writing configuration: %w", err), r.Close())
	}
	return r, nil
}
