package host

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/state"
)

// Process holds the options of the driver process.
type Process struct {
	// A control group of version 2, as a folder, that was delegated to the
	// service and holds no process: engines get groups of their own in it.
	// Default: none.
	Cgroup string `json:"cgroup,omitempty"`

	// The browser that plays each game before it is delivered, such as
	// /usr/lib/chromium/chromium: the program itself, not a script that
	// starts it; "off" for none, and games are checked by simulation only.
	// Default: $SVC_ENGINE_CHROMIUM, else the one that is installed, where the
	// machine has Landlock.
	Chromium string `json:"chromium,omitempty"`

	// The cores of an engine, for example 0.5. It needs cgroup. Default: no
	// limit.
	CPUs float64 `json:"cpus,omitempty"`

	// The most files that an engine may have open. Default: 4096.
	Files int64 `json:"files,omitempty"`

	// The size in bytes of the largest file an engine may write. Default:
	// 256 MiB.
	Largest int64 `json:"largest,omitempty"`

	// The size in bytes at which an engine's log is cut. Default: 5 MiB.
	Log int64 `json:"log,omitempty"`

	// The memory of an engine in bytes. It needs cgroup. Default: no limit.
	Memory int64 `json:"memory,omitempty"`

	// The most processes and threads of an engine, where it has a user or a
	// control group of its own. Default: 256.
	PIDs int64 `json:"pids,omitempty"`

	// A further file or folder that engines may read and run programs from.
	Readable string `json:"readable,omitempty"`

	// The user ids that engines run as, one for each project, as a range like
	// 200000-265535, or "off". A range needs root, and is refused without.
	// Default: 65,536 ids above 1879048192, which ones goes by the data directory's
	// path, when the service is root and other users can get at that and the
	// engine's program, else off.
	Users string `json:"users,omitempty"`

	// The most bytes that a project's volume may hold, which its engine keeps
	// to. Default: the engine's own, 256 MiB.
	Volume int64 `json:"volume,omitempty"`
}

// Caddyfile are the options as the Caddyfile has them. Syntax:
//
//	driver process {
//	    users    <first>-<last>|off
//	    readable <path>
//	    chromium <path>|off
//	    files    <number>
//	    pids     <number>
//	    largest  <size>
//	    volume   <size>
//	    log      <size>
//	    cgroup   <path>
//	    memory   <size>
//	    cpus     <number>
//	}
func (p *Process) Caddyfile() block.Options {
	return block.Options{
		{Name: "users", Form: "<first>-<last>|off", Read: block.Text(&p.Users),
			Default: "65,536 ids above 1879048192, by the data directory's path, when the service is root and other users can get at the data directory and the engine's program, else `off`",
			Meaning: "the user ids that engines run as, one for each project and never another's. A range that is given and can't be used is refused"},
		{Name: "readable", Form: "<path>", Read: block.Text(&p.Readable), Default: "none",
			Meaning: "another file or folder that engines may read and execute"},
		{Name: "chromium", Form: "<path>|off", Read: block.Text(&p.Chromium),
			Default: "`$SVC_ENGINE_CHROMIUM`, else the Chromium of Debian or Ubuntu where it is installed and the machine has Landlock",
			Meaning: "the browser that plays each game before it is delivered, with some 300 MB of memory while it does: the program itself, not a script that starts it; `off` for none. " +
				"One that is named and can't be used keeps the service from starting. Engines may then also read `/usr/lib`, `/usr/share` and `/etc/fonts`, and run what is there; " +
				"`/usr/bin` stays closed. Without it games are checked by simulation, and each job carries the warning `no_browser`"},
		{Name: "files", Form: "<number>", Read: block.Count(&p.Files), Default: "`4096`", Meaning: "how many files an engine may have open"},
		{Name: "pids", Form: "<number>", Read: block.Count(&p.PIDs), Default: "`256`",
			Meaning: "how many processes and threads an engine may have; it needs `users` or `cgroup`"},
		{Name: "largest", Form: "<size>", Read: block.Size(&p.Largest), Default: "`256MiB`", Meaning: "the largest file an engine may write"},
		{Name: "volume", Form: "<size>", Read: block.Size(&p.Volume), Default: "`256MiB`",
			Meaning: "what a project's volume may hold. Its engine keeps to it: the ZIPs of published jobs, which the archive has, make room, the oldest first; " +
				"a job for which there is none fails as `generation_failed` and says so, and the old game stays"},
		{Name: "log", Form: "<size>", Read: block.Size(&p.Log), Default: "`5MiB`", Meaning: "size at which an engine's log is rotated; one rotated part is kept"},
		{Name: "cgroup", Form: "<path>", Read: block.Text(&p.Cgroup), Default: "none",
			Meaning: "a control group of version 2 that was delegated to the service and holds no process; engines get groups of their own in it"},
		{Name: "memory", Form: "<size>", Read: block.Size(&p.Memory), Default: "none", Meaning: "the memory that an engine may use; it needs `cgroup`"},
		{Name: "cpus", Form: "<number>", Read: block.Cores(&p.CPUs), Default: "none", Meaning: "the cores that an engine may use; it needs `cgroup`"},
	}
}

// validate says which options have no meaning.
func (p *Process) validate() error {
	if p.Cgroup == "" && (p.Memory != 0 || p.CPUs != 0) {
		return errors.New("driver process: memory and cpus need cgroup")
	}
	_, err := p.options(".", nil)
	return err
}

// options are those of the driver.
func (p *Process) options(dataDir string, logger *zap.Logger) (process.Options, error) {
	options := process.Options{
		StateRoot: filepath.Join(dataDir, state.StatesDir), LogBytes: p.Log, FileBytes: p.Largest, Cgroup: p.Cgroup,
		Limits: driver.Limits{Memory: p.Memory, CPU: int64(p.CPUs * 1000), PIDs: p.PIDs, Files: p.Files, Volume: p.Volume}, Logger: logger,
	}
	options.Chromium = p.chromium()
	if p.Readable != "" {
		options.Readable = []string{p.Readable}
	}
	if p.Users != "" {
		var err error
		if options.Users, err = process.ParseUsers(p.Users); err != nil {
			return options, fmt.Errorf("driver process: users: %w", err)
		}
	}
	return options, nil
}

// openProcess returns the driver process.
func (o Options) openProcess() (*process.Driver, error) {
	options, err := o.process().options(o.DataDir, o.Logger)
	if err != nil {
		return nil, err
	}
	if err := checkBrowser(options.Chromium); err != nil {
		return nil, err
	}
	if options.Frameworks, err = FindFrameworks(o.Frameworks); err != nil {
		return nil, err
	}
	if o.Command != "" {
		options.Command = []string{o.Command}
	}
	return process.New(options)
}

func (o Options) process() *Process { return cmp.Or(o.Process, new(Process)) }
