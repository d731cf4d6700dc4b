package docker

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/client"
	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// PullPolicy says what happens when the image is not on this machine.
type PullPolicy string

// The pull policies.
const (
	PullNever   PullPolicy = "never"   // the start fails, and says how to get the image
	PullMissing PullPolicy = "missing" // it is pulled from its registry first
)

// minMemory is the least that the Docker daemon accepts.
const minMemory = 6 << 20

// DefaultImage is the one that "make engine-image" builds without a browser.
const DefaultImage = "svc-engine:slim"

// Options of New. DataDir is required; other zero fields get their defaults.
type Options struct {
	// DataDir is the data directory whose engines these are. Containers of
	// another one are left alone.
	DataDir string
	// Host is the address of the daemon, unix:// and a path: engines are
	// reached through a folder that daemon and engine proxy share. Default:
	// $DOCKER_HOST, else unix:///var/run/docker.sock.
	Host string
	// Image to run; default DefaultImage. Name it by digest to be sure of what runs.
	Image string
	// Pull is when the image is pulled; default PullNever.
	Pull PullPolicy
	// Command replaces the image's entry point; default: the image's. It is
	// an absolute path with its first arguments.
	Command []string
	// Chromium is the path, in the image, of the browser that plays games,
	// handed on as --chromium unless it is "".
	Chromium string
	// Env is added to the engines' environment. It is seen by everyone who may
	// ask the daemon, so no secret belongs there.
	Env []string
	// UID and GID that engines get whose volume belongs to root; default
	// 65532. Any other volume's engine runs as the volume's owner.
	UID, GID int
	// Limits of a container. Defaults: 512 MiB of memory, /tmp included and
	// without swap, one core, 256 processes and threads, 4096 open files.
	Limits driver.Limits
	// LogBytes is what is kept of what an engine writes to its standard output
	// and error; default 10 MiB.
	LogBytes int64
	// TmpBytes is the size of /tmp, which is memory; default 64 MiB.
	TmpBytes int64
	// Runtime is one the daemon knows, runsc for instance; default: the
	// daemon's own.
	Runtime string
	Logger  *zap.Logger
}

// Validate checks the options without asking the daemon.
func (o Options) Validate() error { return o.complete() }

func (o *Options) complete() error {
	if o.DataDir == "" {
		return errors.New("docker: the data directory is required")
	}
	abs, err := filepath.Abs(o.DataDir)
	if err != nil {
		return fmt.Errorf("docker: finding the data directory: %w", err)
	}
	o.DataDir = abs
	o.Host = cmp.Or(o.Host, os.Getenv("DOCKER_HOST"), client.DefaultDockerHost)
	if !strings.HasPrefix(o.Host, "unix://") {
		return fmt.Errorf("docker: the daemon must be one of this machine, unix:// and a path, is %q", o.Host)
	}
	o.Image = cmp.Or(o.Image, DefaultImage)
	o.Pull = cmp.Or(o.Pull, PullNever)
	if o.Pull != PullNever && o.Pull != PullMissing {
		return fmt.Errorf("docker: pull must be %s or %s, is %q", PullNever, PullMissing, o.Pull)
	}
	if len(o.Command) > 0 && !filepath.IsAbs(o.Command[0]) {
		return fmt.Errorf("docker: the command must be an absolute path, is %q", o.Command[0])
	}
	l := &o.Limits
	if min(l.Memory, l.CPU, l.PIDs, l.Files, o.LogBytes, o.TmpBytes) < 0 || min(o.UID, o.GID) < 0 {
		return errors.New("docker: limits and user ids must not be negative")
	}
	if l.Memory != 0 && l.Memory < minMemory {
		return fmt.Errorf("docker: the memory of an engine must be at least %d bytes, is %d", minMemory, l.Memory)
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	o.UID = cmp.Or(o.UID, 65532)
	o.GID = cmp.Or(o.GID, o.UID)
	l.Memory = cmp.Or(l.Memory, 512<<20)
	l.CPU = cmp.Or(l.CPU, 1000)
	l.PIDs = cmp.Or(l.PIDs, 256)
	l.Files = cmp.Or(l.Files, 4096)
	o.LogBytes = cmp.Or(o.LogBytes, 10<<20)
	o.TmpBytes = cmp.Or(o.TmpBytes, 64<<20)
	return nil
}
