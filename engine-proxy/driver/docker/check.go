package docker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Check implements driver.Driver. It refuses a daemon that runs containers
// without a filter of system calls, an image that is not there and may not be
// pulled, and one without the command.
func (d *Driver) Check(ctx context.Context) error {
	info, err := d.api.Info(ctx, client.InfoOptions{})
	if err != nil {
		return fmt.Errorf("asking the Docker daemon: %w", driverkit.Unavailable(err))
	}
	filtered := slices.ContainsFunc(info.Info.SecurityOptions, func(option string) bool {
		return strings.HasPrefix(option, "name=seccomp") && !strings.Contains(option, "profile=unconfined")
	})
	if !filtered {
		return driverkit.Refused("The engine's container can't be confined.", errors.New("the Docker daemon runs containers without a seccomp profile"))
	}
	d.warn.Do(func() {
		for resource, limited := range map[string]bool{
			"memory": info.Info.MemoryLimit, "swap": info.Info.SwapLimit,
			"pids": info.Info.PidsLimit, "cpu": info.Info.CPUCfsQuota,
		} {
			if !limited {
				d.opts.Logger.Warn("the Docker daemon can't limit a resource", zap.String("resource", resource))
			}
		}
	})
	return d.checkImage(ctx)
}

// checkImage looks for the image and its command. One that may be pulled is
// pulled meanwhile.
func (d *Driver) checkImage(ctx context.Context) error {
	image, err := d.api.ImageInspect(ctx, d.opts.Image)
	switch {
	case cerrdefs.IsNotFound(err) && d.opts.Pull == PullMissing:
		d.pull() // so that the first start finds it
		return nil
	case cerrdefs.IsNotFound(err):
		return d.noImage()
	case err != nil:
		return fmt.Errorf("looking at the image: %w", driverkit.Unavailable(err))
	}
	if d.checked.Load() == image.ID {
		return nil
	}
	return d.checkByContainer(ctx)
}

// checkByContainer looks at the image through a container that is never
// started: the daemon has no other way to look into an image.
func (d *Driver) checkByContainer(ctx context.Context) error {
	name := "svc-engine-check-" + d.installation()
	if err := driverkit.IgnoreGone(d.removeContainer(ctx, name)); err != nil { // of a check that was interrupted
		return err
	}
	made, err := d.api.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name:       name,
		Config:     &container.Config{Image: d.opts.Image, Entrypoint: d.opts.Command, Cmd: []string{"--help"}},
		HostConfig: &container.HostConfig{NetworkMode: "none"},
	})
	if cerrdefs.IsConflict(err) {
		return nil // another check is under way
	}
	if err != nil {
		return fmt.Errorf("looking into the image: %w", driverkit.Unavailable(err))
	}
	defer d.discard(ctx, made.ID)
	return d.checkCommand(ctx, made.ID)
}
