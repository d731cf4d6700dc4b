package process

import (
	"context"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Watch implements driver.Driver.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	return d.events.Watch(ctx), nil
}
