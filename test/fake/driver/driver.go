// Package fakedriver is a driver for tests, in two forms. The engines of Local are
// reached at sockets that exist within the test alone; those of Cluster listen on
// TCP with mutual TLS, as on other machines, and their volumes are where the engine
// proxy can't look. Both run fake engines within the test.
package fakedriver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// Name is the driver's name in handles.
const Name = "fake"

// fake is what both forms share. It outlives the engine proxies that use it.
type fake struct {
	// prepare makes what an engine needs and listens with.
	prepare func(driver.Spec) (fakeengine.Config, net.Listener, error)

	mu        sync.Mutex // guards what follows
	faults    Faults
	instances map[string]*instance
	watchers  map[chan driver.Event]struct{}
	starts    map[string]int    // by project
	newest    map[string]uint64 // generation, by project
	breaches  []string
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

func (f *fake) open(prepare func(driver.Spec) (fakeengine.Config, net.Listener, error)) {
	f.prepare, f.faults.Computes = prepare, make(map[string]bool)
	f.instances, f.watchers = make(map[string]*instance), make(map[chan driver.Event]struct{})
	f.starts, f.newest = make(map[string]int), make(map[string]uint64)
}

// Name implements driver.Driver.
func (f *fake) Name() string { return Name }

// Capabilities implements driver.Driver.
func (f *fake) Capabilities() driver.Capabilities {
	return driver.Capabilities{Files: true, Processes: true}
}

func (f *fake) reachLocked() error {
	if f.faults.Down {
		return driver.ErrUnavailable
	}
	return nil
}

// Check implements driver.Driver.
func (f *fake) Check(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.reachLocked(); err != nil {
		return err
	}
	return f.faults.Unfit
}

// Start implements driver.Driver.
func (f *fake) Start(ctx context.Context, s driver.Spec, progress func(driver.Phase)) (driver.Handle, error) {
	f.mu.Lock()
	faults, err := f.faults, f.reachLocked()
	f.mu.Unlock()
	if err != nil {
		return driver.Handle{}, err
	}
	if progress != nil {
		progress(driver.PhaseCreating)
	}
	if faults.StartTakes > 0 {
		select {
		case <-time.After(faults.StartTakes):
		case <-ctx.Done():
			return driver.Handle{}, context.Cause(ctx)
		}
	}
	if faults.Refuse != nil {
		if err := faults.Refuse(s); err != nil {
			return driver.Handle{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noteLocked(s)
	if f.instances[s.InstanceID] != nil {
		return handleOf(s.InstanceID), nil
	}
	config, l, err := f.prepare(s)
	if err != nil {
		return driver.Handle{}, err
	}
	f.starts[s.ProjectID]++
	return handleOf(s.InstanceID), f.runLocked(s, config, l)
}

// noteLocked notes what may not be started.
func (f *fake) noteLocked(s driver.Spec) {
	if s.Generation <= f.newest[s.ProjectID] {
		f.breaches = append(f.breaches, fmt.Sprintf("generation %d was started after %d", s.Generation, f.newest[s.ProjectID]))
	}
	f.newest[s.ProjectID] = s.Generation
	for _, other := range f.instances {
		if other.spec.Volume == s.Volume && other.exit == nil {
			f.breaches = append(f.breaches, "two engines on one volume")
		}
	}
}

// runLocked runs an engine, which may end at once.
func (f *fake) runLocked(s driver.Spec, config fakeengine.Config, l net.Listener) error {
	i := &instance{spec: s, listener: l, ended: make(chan struct{})}
	f.instances[s.InstanceID] = i
	var atOnce *int
	var opening atomic.Bool
	opening.Store(true)
	config.Exit = func(code int) {
		if opening.Load() {
			atOnce = &code
			return
		}
		// Apart: its callers hold the engine.
		go f.end(s.InstanceID, &driver.Exit{Code: code, Reason: driver.ReasonExited, At: time.Now()})
	}
	var err error
	i.engine, err = fakeengine.Open(config)
	opening.Store(false)
	if err != nil || atOnce != nil {
		i.exit = &driver.Exit{Code: 1, Reason: driver.ReasonExited, At: time.Now()}
		if atOnce != nil {
			i.exit.Code = *atOnce
		}
		close(i.ended)
		return l.Close()
	}
	i.server = &http.Server{Handler: i.engine, ErrorLog: log.New(io.Discard, "", 0)} // refusals are what tests are about
	go func() { _ = i.server.Serve(l) }()
	return nil
}

func handleOf(id string) driver.Handle {
	raw, err := json.Marshal(id)
	if err != nil {
		panic(err) // strings always marshal
	}
	return driver.Handle{Driver: Name, Data: raw}
}

// end lets an instance end, and hints at it.
func (f *fake) end(id string, exit *driver.Exit) {
	f.mu.Lock()
	i := f.instances[id]
	if i == nil || i.exit != nil {
		f.mu.Unlock()
		return
	}
	i.exit = exit
	for w := range f.watchers {
		select {
		case w <- driver.Event{ProjectID: i.spec.ProjectID, InstanceID: id}:
		default: // hints may be lost
		}
	}
	f.mu.Unlock()
	_ = i.server.Close()
	_ = i.listener.Close()
	close(i.ended)
}

// findLocked returns the instance of a handle.
func (f *fake) findLocked(h driver.Handle) (string, *instance, error) {
	if err := f.reachLocked(); err != nil {
		return "", nil, err
	}
	var id string
	if h.Driver != Name || json.Unmarshal(h.Data, &id) != nil || f.instances[id] == nil {
		return "", nil, driver.ErrNotFound
	}
	return id, f.instances[id], nil
}

func (f *fake) observedLocked(id string, i *instance) driver.Observed {
	obs := driver.Observed{
		ProjectID: i.spec.ProjectID, InstanceID: id, Handle: handleOf(id), Volume: i.spec.Volume, Running: i.exit == nil, Exit: i.exit,
	}
	if f.faults.Generations {
		obs.Generation = i.spec.Generation
	}
	if i.looks++; i.looks > f.faults.Hidden {
		obs.Endpoint = driver.OwnEndpoint(i.spec.Socket, i.spec.Incarnation)
		if i.spec.Remote != nil {
			obs.Endpoint = driver.TCPEndpoint(i.listener.Addr().String())
		}
	}
	return obs
}

// Inspect implements driver.Driver.
func (f *fake) Inspect(_ context.Context, h driver.Handle) (driver.Observed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, i, err := f.findLocked(h)
	if err != nil {
		return driver.Observed{}, err
	}
	return f.observedLocked(id, i), nil
}

// Adopt implements driver.Driver.
func (f *fake) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	obs, err := f.Inspect(ctx, h)
	if err == nil && !obs.Running {
		return driver.Observed{}, driver.ErrNotFound
	}
	return obs, err
}

// List implements driver.Driver.
func (f *fake) List(context.Context) ([]driver.Observed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.reachLocked(); err != nil {
		return nil, err
	}
	var out []driver.Observed
	for id, i := range f.instances {
		if i.exit == nil {
			out = append(out, f.observedLocked(id, i))
		}
	}
	return out, nil
}

// Stop implements driver.Driver.
func (f *fake) Stop(ctx context.Context, h driver.Handle, grace time.Duration) error {
	f.mu.Lock()
	id, i, err := f.findLocked(h)
	ended := err == nil && i.exit != nil
	f.mu.Unlock()
	switch {
	case errors.Is(err, driver.ErrNotFound), ended:
		return nil
	case err != nil:
		return err
	case i.engine.Terminates():
		f.end(id, &driver.Exit{Code: 0, Reason: driver.ReasonExited, At: time.Now()})
		return nil
	}
	select {
	case <-i.ended:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(grace):
		f.Kill(id)
	}
	return nil
}

// Remove implements driver.Driver.
func (f *fake) Remove(_ context.Context, h driver.Handle) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, i, err := f.findLocked(h)
	switch {
	case errors.Is(err, driver.ErrNotFound):
		return nil
	case err != nil:
		return err
	case i.exit == nil:
		f.breaches = append(f.breaches, "an engine that runs was removed")
		return errors.New("the instance runs")
	}
	delete(f.instances, id)
	return nil
}

// Watch implements driver.Driver.
func (f *fake) Watch(ctx context.Context) (<-chan driver.Event, error) {
	w := make(chan driver.Event, 64)
	f.mu.Lock()
	f.watchers[w] = struct{}{}
	f.mu.Unlock()
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, w)
		close(w)
	})
	return w, nil
}

// Logs implements driver.Driver.
func (f *fake) Logs(_ context.Context, h driver.Handle, _ int64) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _, err := f.findLocked(h)
	return []byte("what it wrote\n"), err
}
