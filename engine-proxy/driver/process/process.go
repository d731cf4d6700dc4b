// Package process runs engines as processes of this machine. Each has a shim
// between it and the engine proxy, which outlives that one, and is known by
// process id, start time and boot id, so that the next engine proxy finds it
// again. An engine gets a user of its own where we are root, and is confined
// by Landlock and seccomp where the kernel has them.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/cgroup"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// Name is the driver's name in handles.
const Name = "process"

// Options of New. StateRoot is required.
type Options struct {
	// StateRoot is the directory in which every Spec's StateDir is, under the
	// project's id.
	StateRoot string
	// Command and its first arguments; default: svc-engine beside the running
	// executable.
	Command []string
	// Shim is the program of package shim; default: svc-shim beside the
	// running executable.
	Shim string
	// Frameworks is the directory with the bundled game frameworks, handed on
	// as --frameworks unless it is "".
	Frameworks string
	// Chromium is the browser that plays games, handed on as --chromium unless
	// it is "": the program itself, not a script that starts it. Engines may
	// then also read libraries, what programs share, and the configuration of
	// fonts.
	Chromium string
	// Readable are further files and directories that engines may read and
	// run programs from.
	Readable []string
	// Env is added to the engines' environment, which is otherwise PATH, HOME,
	// TMPDIR, LANG and SVC_ENGINE_START_DELAY; never the environment of this process.
	Env []string
	// LogBytes is where an engine's log is cut, default 5 MiB. The part that
	// was cut last, of the same size, is kept.
	LogBytes int64
	// Limits of one engine. Files is 4096 by default. PIDs, 256 by default,
	// holds for engines with a user of their own and with Cgroup; Memory and
	// CPU hold with Cgroup.
	Limits driver.Limits
	// FileBytes is the size of the largest file an engine may write, default
	// 256 MiB.
	FileBytes int64
	// Users are the user ids that engines run as, one for each project, when we
	// are root. The zero value takes a range that goes by StateRoot if other users
	// can get at the data directory and the engine's program, and else goes
	// without; a range that is given must be usable.
	Users Users
	// Cgroup is the directory of a control group of version 2 that was
	// delegated to us and holds no process; "" for none.
	Cgroup string
	// Offers is what the machine offers to confine engines; default: what
	// confine.Look finds.
	Offers *confine.Available
	Logger *zap.Logger // default: none
}

// Defaults of Options.
const (
	defaultLogBytes  = 5 << 20
	defaultFileBytes = 256 << 20
	defaultFiles     = 4096
	defaultPIDs      = 256

	// trialLimit bounds a look at what the machine offers.
	trialLimit = 10 * time.Second
)

// Driver starts, finds and stops engine processes.
type Driver struct {
	opts   Options
	bootID string
	users  *userTable   // nil: engines run as we do
	groups *cgroup.Tree // nil: none

	events driverkit.Events

	mu       sync.Mutex           // guards the following fields
	attended map[string]*instance // by instance id: those whose end is awaited
	starting map[string]chan struct{}

	unlisted unlisted

	opening sync.Mutex
	opened  map[string]bool // guarded by opening: directories that others can pass
}

// New returns a driver. It fails when this machine has no /proc, or does not
// have what the options insist on.
func New(opts Options) (*Driver, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	opts.look()
	boot, err := procfs.BootID()
	if err != nil {
		return nil, err
	}
	d := &Driver{
		opts: opts, bootID: boot,
		attended: make(map[string]*instance), starting: make(map[string]chan struct{}),
		opened: make(map[string]bool),
	}
	if err := d.chooseUsers(); err != nil {
		return nil, err
	}
	if opts.Cgroup != "" {
		if d.groups, err = cgroup.Open(opts.Cgroup); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (o *Options) complete() error {
	if o.StateRoot == "" {
		return errors.New("process driver: the state root is required")
	}
	var err error
	if o.StateRoot, err = filepath.Abs(o.StateRoot); err != nil {
		return fmt.Errorf("finding state root: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding svc-engine: %w", err)
	}
	beside := filepath.Dir(self)
	if len(o.Command) == 0 {
		o.Command = []string{filepath.Join(beside, "svc-engine")}
	}
	o.Shim = cmp.Or(o.Shim, filepath.Join(beside, "svc-shim"))
	paths := []*string{&o.Frameworks}
	for i := range o.Readable {
		paths = append(paths, &o.Readable[i])
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return fmt.Errorf("finding what engines may read: %w", err)
		}
	}
	if o.Chromium != "" {
		o.Readable = append(o.Readable, present(browserNeeds)...)
	}
	o.LogBytes = cmp.Or(max(o.LogBytes, 0), defaultLogBytes)
	o.FileBytes = cmp.Or(max(o.FileBytes, 0), defaultFileBytes)
	o.Limits.Files = cmp.Or(max(o.Limits.Files, 0), defaultFiles)
	o.Limits.PIDs = cmp.Or(max(o.Limits.PIDs, 0), defaultPIDs)
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	return nil
}

// look finds out what the machine offers. Where engines could have a root of
// their own but for something in the way, that is worth a word.
func (o *Options) look() {
	if o.Offers != nil {
		return
	}
	offers := confine.Look()
	offers.Namespaces = o.namespaces()
	o.Offers = &offers
}

// trials are what came of trying to make namespaces, by the shim that tried.
var trials sync.Map // string: func() (confine.Right, error)

func (o *Options) namespaces() confine.Right {
	trial, _ := trials.LoadOrStore(o.Shim, sync.OnceValues(func() (confine.Right, error) {
		ctx, cancel := context.WithTimeout(context.Background(), trialLimit)
		defer cancel()
		return shim.Try(ctx, o.Shim, os.TempDir())
	}))
	right, err := trial.(func() (confine.Right, error))()
	if err != nil {
		o.Logger.Warn("engines get no root and no namespaces of their own", zap.Error(err))
	}
	return right
}

// Name implements driver.Driver.
func (d *Driver) Name() string { return Name }

// Capabilities implements driver.Driver.
func (d *Driver) Capabilities() driver.Capabilities {
	o := d.opts.Offers
	return driver.Capabilities{
		Users:      d.users != nil,
		Files:      d.ownRoot() || o.Landlock >= confine.LandlockWhole,
		Processes:  d.ownRoot() || d.users != nil || o.Landlock >= confine.LandlockWhole,
		Network:    o.Seccomp,
		Privileges: o.Seccomp,
		Memory:     d.groups != nil && d.opts.Limits.Memory > 0,
		PIDs:       d.groups != nil || d.users != nil,
	}
}

// Check implements driver.Driver.
func (d *Driver) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := d.programs()
	return err
}

// stateDir is where a project's records and log are.
func (d *Driver) stateDir(projectID string) string { return filepath.Join(d.opts.StateRoot, projectID) }

// rlimits of an engine.
func (d *Driver) rlimits() []shim.Rlimit {
	limits := []shim.Rlimit{
		{Resource: unix.RLIMIT_CORE, Value: 0},
		{Resource: unix.RLIMIT_NOFILE, Value: uint64(d.opts.Limits.Files)},
		{Resource: unix.RLIMIT_FSIZE, Value: uint64(d.opts.FileBytes)},
	}
	if d.users != nil {
		// It counts all processes of a user: without one of its own, an engine
		// would be short of what others have.
		limits = append(limits, shim.Rlimit{Resource: unix.RLIMIT_NPROC, Value: uint64(d.opts.Limits.PIDs)})
	}
	return limits
}

var _ driver.Driver = (*Driver)(nil)
