package process

import (
	"context"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
)

// Computes implements driver.Sampler.
func (d *Driver) Computes(ctx context.Context, h driver.Handle) (bool, error) {
	obs, err := d.Inspect(ctx, h)
	switch {
	case err != nil:
		return false, err
	case !obs.Running || obs.PID == 0:
		return false, driver.ErrNotFound
	}
	computes, err := procfs.Computes(obs.PID)
	if procfs.Gone(err) {
		err = driver.ErrNotFound
	}
	return computes, err
}

var _ driver.Sampler = (*Driver)(nil)
