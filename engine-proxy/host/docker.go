package host

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
)

// Docker holds the options of the driver docker.
type Docker struct {
	// The Docker daemon: unix:// and the path of its socket. Default:
	// $DOCKER_HOST, else unix:///var/run/docker.sock.
	Host string `json:"host,omitempty"`

	// The image that engines run from. Default: $SVC_ENGINE_IMAGE, else
	// svc-engine:slim, which "make engine-image" builds.
	Image string `json:"image,omitempty"`

	// When the image is pulled: never, or when it is missing. Default: never.
	Pull string `json:"pull,omitempty"`

	// The browser that plays each game before it is delivered, as a path in the
	// image: /usr/lib/chromium/chromium in svc-engine:full. It takes some 300 MB
	// of memory while it does. Default: none.
	Chromium string `json:"chromium,omitempty"`

	// The memory of an engine in bytes, its /tmp included. Default: 512 MiB.
	Memory int64 `json:"memory,omitempty"`

	// The cores of an engine, for example 0.5. Default: 1.
	CPUs float64 `json:"cpus,omitempty"`

	// The most processes and threads of an engine. Default: 256.
	PIDs int64 `json:"pids,omitempty"`

	// The most bytes that a project's volume may hold, which its engine keeps
	// to. Default: the engine's own, 256 MiB.
	Volume int64 `json:"volume,omitempty"`

	// The size of an engine's /tmp in bytes. Default: 64 MiB.
	Tmp int64 `json:"tmp,omitempty"`

	// The container runtime, one that the daemon knows. Default: the daemon's.
	Runtime string `json:"runtime,omitempty"`
}

// options are those of the driver. An engine's program, where one is given, is
// a path in the image.
func (o *Docker) options(dataDir, command string, logger *zap.Logger) docker.Options {
	options := docker.Options{
		DataDir: dataDir, Host: o.Host, Image: o.Image, Pull: docker.PullPolicy(o.Pull),
		Limits:   driver.Limits{Memory: o.Memory, CPU: int64(o.CPUs * 1000), PIDs: o.PIDs, Volume: o.Volume},
		TmpBytes: o.Tmp, Chromium: o.Chromium, Runtime: o.Runtime, Logger: logger,
	}
	if options.Image == "" {
		options.Image = os.Getenv("SVC_ENGINE_IMAGE")
	}
	if command != "" {
		options.Command = []string{command}
	}
	return options
}

// openDocker returns the driver docker. A daemon that can't be asked may come
// back; one that can't run engines as configured is refused.
func (o Options) openDocker(ctx context.Context) (*docker.Driver, error) {
	d, err := docker.New(o.docker().options(o.DataDir, o.Command, o.Logger))
	if err != nil {
		return nil, err
	}
	err = d.Check(ctx)
	if errors.Is(err, driver.ErrFatalSpec) {
		return nil, errors.Join(fmt.Errorf("checking Docker: %w", err), d.Close())
	}
	if err != nil {
		o.Logger.Error("no engine can be started before Docker answers", zap.Error(err))
	}
	return d, nil
}

func (o Options) docker() *Docker {
	if o.Docker == nil {
		return new(Docker)
	}
	return o.Docker
}
