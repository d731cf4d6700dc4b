// Package fakedriver is a driver.Remote for tests: its engines are fake
// engines that listen on TCP with mutual TLS, as on other machines, and its
// volumes are where the engine proxy can't look.
package fakedriver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// Name is the driver's name in handles.
const Name = "fakedriver"

// Cluster outlives the engine proxies that use it.
type Cluster struct {
	dir string

	mu        sync.Mutex // guards what follows
	down      bool
	hidden    int // how many looks at an instance don't show its address yet
	instances map[string]*instance
	watchers  map[chan driver.Event]struct{}
}

// instance is one engine, also after its end.
type instance struct {
	spec     driver.Spec
	engine   *fakeengine.Engine
	listener net.Listener
	server   *http.Server
	looks    int
	exit     *driver.Exit
	ended    chan struct{}
}

// New returns a cluster that keeps volumes in dir.
func New(dir string) *Cluster {
	return &Cluster{dir: dir, instances: make(map[string]*instance), watchers: make(map[chan driver.Event]struct{})}
}

// Volume is the folder that stands for a project's volume.
func (c *Cluster) Volume(projectID string) string { return filepath.Join(c.dir, projectID) }

// SetDown has the cluster answer nothing, or answer again.
func (c *Cluster) SetDown(down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down
}

// Hide has an instance's address appear only after so many looks.
func (c *Cluster) Hide(looks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hidden = looks
}

// Spec returns what an instance was started with.
func (c *Cluster) Spec(instanceID string) driver.Spec {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.instances[instanceID].spec
}

// Runs reports whether an instance has not ended.
func (c *Cluster) Runs(instanceID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.instances[instanceID]
	return i != nil && i.exit == nil
}

// Kill ends an instance as a signal would.
func (c *Cluster) Kill(instanceID string) {
	c.end(instanceID, &driver.Exit{Code: -1, Signal: 9, Reason: driver.ReasonKilled, At: time.Now()})
}

// Name implements driver.Driver.
func (c *Cluster) Name() string { return Name }

// Capabilities implements driver.Driver.
func (c *Cluster) Capabilities() driver.Capabilities {
	return driver.Capabilities{Files: true, Processes: true}
}

func (c *Cluster) reachLocked() error {
	if c.down {
		return driver.ErrUnavailable
	}
	return nil
}

// Check implements driver.Driver.
func (c *Cluster) Check(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reachLocked()
}

// Start implements driver.Driver.
func (c *Cluster) Start(_ context.Context, s driver.Spec, progress func(driver.Phase)) (driver.Handle, error) {
	if s.Remote == nil || s.Socket+s.RuntimeDir+s.TokenFile+s.Egress != "" {
		return driver.Handle{}, errors.New("what is to run has paths of another machine")
	}
	if progress != nil {
		progress(driver.PhaseCreating)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reachLocked(); err != nil {
		return driver.Handle{}, err
	}
	if c.instances[s.InstanceID] != nil {
		return handleOf(s.InstanceID), nil
	}
	if err := os.MkdirAll(c.Volume(s.ProjectID), 0o700); err != nil {
		return driver.Handle{}, err
	}
	secrets := fakeengine.Secrets{Cert: s.Remote.Cert, Key: s.Remote.Key, CA: s.Remote.CA}
	config, err := secrets.Server()
	if err != nil {
		return driver.Handle{}, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return driver.Handle{}, err
	}
	i := &instance{spec: s, listener: l, ended: make(chan struct{})}
	c.instances[s.InstanceID] = i
	var atOnce *int
	var opening atomic.Bool
	opening.Store(true)
	i.engine, err = fakeengine.Open(fakeengine.Config{
		ProjectID: s.ProjectID, InstanceID: s.InstanceID, Token: s.Remote.Token, Volume: c.Volume(s.ProjectID),
		Egress: s.Remote.Egress, Secrets: secrets,
		Exit: func(code int) {
			if opening.Load() {
				atOnce = &code
				return
			}
			// Apart: its callers hold the engine.
			go c.end(s.InstanceID, &driver.Exit{Code: code, Reason: driver.ReasonExited, At: time.Now()})
		},
	})
	opening.Store(false)
	i.server = &http.Server{Handler: i.engine, ErrorLog: log.New(io.Discard, "", 0)} // refusals are what tests are about
	if err != nil || atOnce != nil {
		i.exit = &driver.Exit{Code: 1, Reason: driver.ReasonExited, At: time.Now()}
		if atOnce != nil {
			i.exit.Code = *atOnce
		}
		close(i.ended)
		return handleOf(s.InstanceID), l.Close()
	}
	go func() { _ = i.server.Serve(tls.NewListener(l, config)) }()
	return handleOf(s.InstanceID), nil
}

func handleOf(id string) driver.Handle {
	raw, err := json.Marshal(id)
	if err != nil {
		panic(err) // strings always marshal
	}
	return driver.Handle{Driver: Name, Data: raw}
}

// end lets an instance end, and hints at it.
func (c *Cluster) end(id string, exit *driver.Exit) {
	c.mu.Lock()
	i := c.instances[id]
	if i == nil || i.exit != nil {
		c.mu.Unlock()
		return
	}
	i.exit = exit
	for w := range c.watchers {
		select {
		case w <- driver.Event{ProjectID: i.spec.ProjectID, InstanceID: id}:
		default: // hints may be lost
		}
	}
	c.mu.Unlock()
	_ = i.server.Close()
	_ = i.listener.Close()
	close(i.ended)
}

// find returns the instance of a handle.
func (c *Cluster) findLocked(h driver.Handle) (string, *instance, error) {
	if err := c.reachLocked(); err != nil {
		return "", nil, err
	}
	var id string
	if h.Driver != Name || json.Unmarshal(h.Data, &id) != nil || c.instances[id] == nil {
		return "", nil, driver.ErrNotFound
	}
	return id, c.instances[id], nil
}

func (c *Cluster) observedLocked(id string, i *instance) driver.Observed {
	obs := driver.Observed{
		ProjectID: i.spec.ProjectID, InstanceID: id, Handle: handleOf(id), Volume: i.spec.Volume,
		Running: i.exit == nil, Exit: i.exit,
	}
	if i.looks++; i.looks > c.hidden {
		obs.Endpoint = driver.TCPEndpoint(i.listener.Addr().String())
	}
	return obs
}

// Inspect implements driver.Driver.
func (c *Cluster) Inspect(_ context.Context, h driver.Handle) (driver.Observed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, i, err := c.findLocked(h)
	if err != nil {
		return driver.Observed{}, err
	}
	return c.observedLocked(id, i), nil
}

// Adopt implements driver.Driver.
func (c *Cluster) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	obs, err := c.Inspect(ctx, h)
	if err == nil && !obs.Running {
		return driver.Observed{}, driver.ErrNotFound
	}
	return obs, err
}

// List implements driver.Driver.
func (c *Cluster) List(context.Context) ([]driver.Observed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reachLocked(); err != nil {
		return nil, err
	}
	var out []driver.Observed
	for id, i := range c.instances {
		if i.exit == nil {
			out = append(out, c.observedLocked(id, i))
		}
	}
	return out, nil
}

// Stop implements driver.Driver.
func (c *Cluster) Stop(ctx context.Context, h driver.Handle, grace time.Duration) error {
	c.mu.Lock()
	id, i, err := c.findLocked(h)
	ended := err == nil && i.exit != nil
	c.mu.Unlock()
	switch {
	case errors.Is(err, driver.ErrNotFound), ended:
		return nil
	case err != nil:
		return err
	case i.engine.Terminates():
		c.end(id, &driver.Exit{Code: 0, Reason: driver.ReasonExited, At: time.Now()})
		return nil
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-i.ended:
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		c.Kill(id)
	}
	return nil
}

// Remove implements driver.Driver.
func (c *Cluster) Remove(_ context.Context, h driver.Handle) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, i, err := c.findLocked(h)
	switch {
	case errors.Is(err, driver.ErrNotFound):
		return nil
	case err != nil:
		return err
	case i.exit == nil:
		return errors.New("the instance runs")
	}
	delete(c.instances, id)
	return nil
}

// Watch implements driver.Driver.
func (c *Cluster) Watch(ctx context.Context) (<-chan driver.Event, error) {
	w := make(chan driver.Event, 64)
	c.mu.Lock()
	c.watchers[w] = struct{}{}
	c.mu.Unlock()
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, w)
		close(w)
	})
	return w, nil
}

// Logs implements driver.Driver.
func (c *Cluster) Logs(_ context.Context, h driver.Handle, _ int64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, err := c.findLocked(h)
	return []byte("what it wrote\n"), err
}

// DeleteVolume implements driver.Remote.
func (c *Cluster) DeleteVolume(_ context.Context, projectID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reachLocked(); err != nil {
		return err
	}
	for _, i := range c.instances {
		if i.spec.ProjectID == projectID && i.exit == nil {
			return errors.New("the volume is in use")
		}
	}
	return os.RemoveAll(c.Volume(projectID))
}

// Interface guards
var _ driver.Remote = (*Cluster)(nil)
