package host

import (
	"cmp"
	"context"
	"os"

	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
)

// Docker holds the options of the driver docker.
type Docker struct {
	// The browser that plays each game before it is delivered, as a path in the
	// image: /usr/lib/chromium/chromium in svc-engine:full. It takes some 300 MB
	// of memory while it does. Default: none.
	Chromium string `json:"chromium,omitempty"`

	// The cores of an engine, for example 0.5. Default: 1.
	CPUs float64 `json:"cpus,omitempty"`

	// The Docker daemon: unix:// and the path of its socket. Default:
	// $DOCKER_HOST, else unix:///var/run/docker.sock.
	Host string `json:"host,omitempty"`

	// The image that engines run from. Default: $SVC_ENGINE_IMAGE, else
	// svc-engine:slim, which "make engine-image" builds.
	Image string `json:"image,omitempty"`

	// The memory of an engine in bytes, its /tmp included. Default: 512 MiB.
	Memory int64 `json:"memory,omitempty"`

	// The most processes and threads of an engine. Default: 256.
	PIDs int64 `json:"pids,omitempty"`

	// When the image is pulled: never, or when it is missing. Default: never.
	Pull string `json:"pull,omitempty"`

	// The container runtime, one that the daemon knows. Default: the daemon's.
	Runtime string `json:"runtime,omitempty"`

	// The size of an engine's /tmp in bytes. Default: 64 MiB.
	Tmp int64 `json:"tmp,omitempty"`

	// The most bytes that a project's volume may hold, which its engine keeps
	// to. Default: the engine's own, 256 MiB.
	Volume int64 `json:"volume,omitempty"`
}

// Caddyfile are the options as the Caddyfile has them. Syntax:
//
//	driver docker {
//	    host     unix://<path>
//	    image    <name>
//	    pull     never|missing
//	    memory   <size>
//	    cpus     <number>
//	    pids     <number>
//	    tmp      <size>
//	    volume   <size>
//	    chromium <path>
//	    runtime  <name>
//	}
func (o *Docker) Caddyfile() block.Options {
	return block.Options{
		{Name: "host", Form: "unix://<path>", Read: block.Text(&o.Host), Default: "`$DOCKER_HOST`, else `unix:///var/run/docker.sock`",
			Meaning: "the daemon's address; it must be on this machine, since engines are reached through a shared folder"},
		{Name: "image", Form: "<name>", Read: block.Text(&o.Image), Default: "`$SVC_ENGINE_IMAGE`, else `svc-engine:slim`",
			Meaning: "the engines' image; name it by digest to pin it"},
		{Name: "pull", Form: "never|missing", Read: block.Text(&o.Pull), Default: "`never`",
			Meaning: "`missing`: pulls a missing image from its registry, when the service starts or an engine needs it"},
		{Name: "memory", Form: "<size>", Read: block.Size(&o.Memory), Default: "`512MiB`",
			Meaning: "memory of an engine, its `/tmp` included; there is no swap"},
		{Name: "cpus", Form: "<number>", Read: block.Cores(&o.CPUs), Default: "`1`", Meaning: "cores of an engine"},
		{Name: "pids", Form: "<number>", Read: block.Count(&o.PIDs), Default: "`256`", Meaning: "processes and threads of an engine"},
		{Name: "tmp", Form: "<size>", Read: block.Size(&o.Tmp), Default: "`64MiB`", Meaning: "size of `/tmp`, which is memory"},
		{Name: "volume", Form: "<size>", Read: block.Size(&o.Volume), Default: "`256MiB`", Meaning: "what a project's volume may hold, as above"},
		{Name: "chromium", Form: "<path>", Read: block.Text(&o.Chromium), Default: "none",
			Meaning: "the browser that plays each game before it is delivered, as a path in the image: the one above in `svc-engine:full`. It needs some 300 MB of memory"},
		{Name: "runtime", Form: "<name>", Read: block.Text(&o.Runtime), Default: "the daemon's",
			Meaning: "a runtime that the daemon knows, `runsc` for instance"},
	}
}

// options are those of the driver. An engine's program, where one is given, is
// a path in the image.
func (o *Docker) options(dataDir, command string, logger *zap.Logger) docker.Options {
	options := docker.Options{
		DataDir: dataDir, Host: o.Host, Image: cmp.Or(o.Image, os.Getenv("SVC_ENGINE_IMAGE")), Pull: docker.PullPolicy(o.Pull),
		Limits:   driver.Limits{Memory: o.Memory, CPU: int64(o.CPUs * 1000), PIDs: o.PIDs, Volume: o.Volume},
		TmpBytes: o.Tmp, Chromium: o.Chromium, Runtime: o.Runtime, Logger: logger,
	}
	if command != "" {
		options.Command = []string{command}
	}
	return options
}

// openDocker returns the driver docker.
func (o Options) openDocker(ctx context.Context) (*docker.Driver, error) {
	d, err := docker.New(o.docker().options(o.DataDir, o.Command, o.Logger))
	if err != nil {
		return nil, err
	}
	return d, o.check(ctx, "Docker", d)
}

func (o Options) docker() *Docker { return cmp.Or(o.Docker, new(Docker)) }
