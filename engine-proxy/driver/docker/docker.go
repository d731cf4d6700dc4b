// Package docker runs engines as containers of the Docker daemon on this
// machine: without network, capabilities or a writable root, and with nothing
// of the host in sight but the project's volume and the folder of its socket.
//
// A container is known by its labels. They hold all that a later engine proxy
// needs to take it over, so the driver has no memory of its own.
package docker

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/moby/moby/client"
	"golang.org/x/sync/singleflight"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Name is the driver's name in handles.
const Name = "docker"

// Driver starts, finds and stops engine containers.
type Driver struct {
	opts Options
	api  *client.Client

	warn sync.Once // what the daemon can't limit

	ctx   context.Context // ends with Close
	end   context.CancelFunc
	pulls singleflight.Group

	checked atomic.Value // string: id of the last image whose command was found
}

// New returns a driver. The daemon need not be there yet: until it answers,
// every call returns driver.ErrUnavailable.
func New(opts Options) (*Driver, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	api, err := client.New(client.WithHost(opts.Host), client.WithUserAgent("svc-engine-proxy"))
	if err != nil {
		return nil, fmt.Errorf("preparing the Docker client: %w", err)
	}
	d := &Driver{opts: opts, api: api}
	d.ctx, d.end = context.WithCancel(context.Background())
	return d, nil
}

// Name implements driver.Driver.
func (d *Driver) Name() string { return Name }

// Close ends a pull that is under way and gives the connections to the daemon
// back. Engines run on.
func (d *Driver) Close() error {
	d.end()
	<-d.pulls.DoChan(d.opts.Image, func() (any, error) { return nil, nil }) // of the pull under way, if there is one
	return d.api.Close()
}

// Capabilities implements driver.Driver.
func (d *Driver) Capabilities() driver.Capabilities {
	return driver.Capabilities{Files: true, Processes: true, Network: true, Privileges: true, Memory: true, PIDs: true}
}

var _ driver.Driver = (*Driver)(nil)
