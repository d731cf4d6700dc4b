package docker

import (
	"context"
	"errors"
	"fmt"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

const (
	discardTimeout = 20 * time.Second      // for clearing the rest of a failed start
	nameTimeout    = 10 * time.Second      // for a container to appear whose name is taken
	namePause      = 20 * time.Millisecond // between two looks for it
)

// Start implements driver.Driver. What the daemon does although its answer was
// lost is found by the name: the same instance is never made twice.
func (d *Driver) Start(ctx context.Context, s driver.Spec, progress func(driver.Phase)) (driver.Handle, error) {
	if progress == nil {
		progress = func(driver.Phase) {}
	}
	progress(driver.PhaseCreating)
	uid, gid, err := d.settle(s)
	if err != nil {
		return driver.Handle{}, fmt.Errorf("preparing the engine's folders: %w", err)
	}
	r, err := d.recipe(s, uid, gid)
	if err != nil {
		return driver.Handle{}, err
	}
	d.sweep(ctx, s)
	id, exists, err := d.create(ctx, s.InstanceID, r, progress)
	if err != nil {
		return driver.Handle{}, err
	}
	if exists {
		return d.resume(ctx, s, id)
	}
	if err := d.run(ctx, id); err != nil {
		d.discard(ctx, id)
		return driver.Handle{}, err
	}
	return newHandle(id, s.ProjectID, s.InstanceID), nil
}

// create makes the container and returns its id, or that of the one that an
// earlier call has made from the same recipe.
func (d *Driver) create(
	ctx context.Context, instanceID string, r recipe, progress func(driver.Phase),
) (id string, exists bool, err error) {
	options := client.ContainerCreateOptions{Name: name(instanceID), Config: r.config, HostConfig: r.host}
	made, err := d.api.ContainerCreate(ctx, options)
	if cerrdefs.IsNotFound(err) {
		if err := d.fetch(ctx, progress); err != nil {
			return "", false, err
		}
		progress(driver.PhaseCreating)
		made, err = d.api.ContainerCreate(ctx, options)
	}
	switch {
	case err == nil:
		for _, warning := range made.Warnings {
			d.opts.Logger.Warn("the Docker daemon can't honour a setting", zap.String("warning", warning))
		}
		return made.ID, false, nil
	case !cerrdefs.IsConflict(err):
		return "", false, failed("making container", err)
	}
	found, err := d.named(ctx, name(instanceID))
	if err != nil {
		return "", false, fmt.Errorf("looking at the container of an earlier start: %w", err)
	}
	if !r.made(found.Config.Labels) {
		return "", false, fmt.Errorf("making container: %w: another one has its name", driver.ErrIdentity)
	}
	return found.ID, true, nil
}

// named returns the container that has a name. The name is taken a moment
// before there is a container.
func (d *Driver) named(ctx context.Context, name string) (container.InspectResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, nameTimeout)
	defer cancel()
	for {
		found, err := d.inspect(ctx, name)
		if !errors.Is(err, driver.ErrNotFound) {
			return found, err
		}
		if clock.Sleep(ctx, clock.System{}, namePause) != nil {
			return container.InspectResponse{}, fmt.Errorf("%w: a name is taken by nothing", driver.ErrUnavailable)
		}
	}
}

// resume starts a container that an earlier call has made but not started. One
// that has ended is not started again: an instance runs once.
func (d *Driver) resume(ctx context.Context, s driver.Spec, id string) (driver.Handle, error) {
	found, err := d.inspect(ctx, id)
	if err != nil {
		return driver.Handle{}, err
	}
	if found.State.Status == container.StateCreated {
		if err := d.run(ctx, id); err != nil {
			return driver.Handle{}, err
		}
	}
	return newHandle(id, s.ProjectID, s.InstanceID), nil
}

// run starts a container whose command is known to be one.
func (d *Driver) run(ctx context.Context, id string) error {
	if err := d.checkCommand(ctx, id); err != nil {
		return err
	}
	if _, err := d.api.ContainerStart(ctx, id, client.ContainerStartOptions{}); err != nil {
		return failed("starting container", err)
	}
	return nil
}

// discard removes a container that does not run, also when the caller does not
// wait any more. What it can't remove, the next start does.
func (d *Driver) discard(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	if err := driverkit.IgnoreGone(d.removeContainer(ctx, id)); err != nil {
		d.opts.Logger.Warn("removing container failed", zap.String("container", id), zap.Error(err))
	}
}

// sweep removes what earlier instances of the project have left: one whose end
// nobody saw, and a start that was interrupted. It is no part of the start.
func (d *Driver) sweep(ctx context.Context, s driver.Spec) {
	list, err := d.api.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: d.ours().Add("label", driverkit.LabelProject+"="+s.ProjectID),
	})
	if err != nil {
		return // the start fails by the same cause, and says so
	}
	for _, item := range list.Items {
		if alive(item.State) || item.Labels[driverkit.LabelInstance] == s.InstanceID {
			continue
		}
		d.discard(ctx, item.ID)
	}
}
