package docker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Stop implements driver.Driver. The container's processes share one process
// namespace, so nothing of them is left when it has ended.
func (d *Driver) Stop(ctx context.Context, h driver.Handle, grace time.Duration) error {
	found, err := d.find(ctx, h)
	if err != nil || !alive(found.State.Status) {
		return driverkit.IgnoreGone(err)
	}
	_, err = d.api.ContainerStop(ctx, found.ID, client.ContainerStopOptions{
		Timeout: new(int(math.Ceil(max(grace, 0).Seconds()))),
	})
	if err != nil {
		return driverkit.IgnoreGone(fmt.Errorf("stopping container: %w", absence(err)))
	}
	return nil
}

// Remove implements driver.Driver.
func (d *Driver) Remove(ctx context.Context, h driver.Handle) error {
	found, err := d.find(ctx, h)
	if err != nil {
		return driverkit.IgnoreGone(err)
	}
	if alive(found.State.Status) {
		return errors.New("removing container: it runs")
	}
	return driverkit.IgnoreGone(d.removeContainer(ctx, found.ID))
}

// removeContainer removes a container that does not run, with what it wrote
// beside its volume.
func (d *Driver) removeContainer(ctx context.Context, id string) error {
	_, err := d.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{RemoveVolumes: true})
	if err != nil {
		return fmt.Errorf("removing container: %w", absence(err))
	}
	return nil
}
