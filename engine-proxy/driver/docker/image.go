package docker

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// checkCommand makes sure that a container's command can be run, and that its
// image asks for nothing. The init process in every container would report a
// bad command as an exit, after the start. Each image is looked at once.
func (d *Driver) checkCommand(ctx context.Context, id string) error {
	found, err := d.inspect(ctx, id)
	if err != nil {
		return err
	}
	if d.checked.Load() == found.Image {
		return nil
	}
	// What an image calls a volume would be writable, and on the host's disk.
	if i := slices.IndexFunc(found.Mounts, func(m container.MountPoint) bool { return m.Type == mount.TypeVolume }); i >= 0 {
		return driverkit.Refused("The engine's container can't be confined.",
			fmt.Errorf("the image %s declares the volume %s", d.opts.Image, found.Mounts[i].Destination))
	}
	if path.IsAbs(found.Path) { // a name alone is looked up by the container's PATH
		if err := d.checkProgram(ctx, id, found.Path); err != nil {
			return err
		}
	}
	d.checked.Store(found.Image)
	return nil
}

func (d *Driver) checkProgram(ctx context.Context, id, program string) error {
	stat, err := d.statPath(ctx, id, program)
	if err == nil && stat.Mode&fs.ModeSymlink != 0 {
		stat, err = d.statPath(ctx, id, stat.LinkTarget)
	}
	if err != nil {
		return err
	}
	if !stat.Mode.IsRegular() || stat.Mode.Perm()&0o111 == 0 {
		return driverkit.Refused("The engine's program is not executable.",
			fmt.Errorf("the command %s of the image %s is not executable", program, d.opts.Image))
	}
	return nil
}

// statPath looks at a file of a container.
func (d *Driver) statPath(ctx context.Context, id, file string) (container.PathStat, error) {
	found, err := d.api.ContainerStatPath(ctx, id, client.ContainerStatPathOptions{Path: file})
	if err != nil {
		if !cerrdefs.IsNotFound(err) {
			return container.PathStat{}, fmt.Errorf("looking for the command: %w", driverkit.Unavailable(err))
		}
		// The answer does not say what is missing.
		if _, err := d.inspect(ctx, id); err != nil {
			return container.PathStat{}, err
		}
		return container.PathStat{}, driverkit.Refused("The engine's program is missing.", fmt.Errorf("the command %s is not in the image %s", file, d.opts.Image))
	}
	return found.Stat, nil
}
