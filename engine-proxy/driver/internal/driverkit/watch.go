package driverkit

import (
	"context"
	"sync"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// maxPending is how many events are kept for a slow reader. Beyond, one without
// ids takes their place: any instance may have ended.
const maxPending = 1000

// Events passes a driver's events on to the callers of Watch, without ever
// waiting for one. Its zero value is ready.
type Events struct {
	mu      sync.Mutex // guards readers, and pending of each
	readers map[*reader]struct{}
}

type reader struct {
	pending []driver.Event
	wake    chan struct{}
}

// Publish queues an event for every reader.
func (e *Events) Publish(event driver.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for r := range e.readers {
		r.add(event)
	}
}

// Watch returns a channel of the given events and all that follow, which is
// closed when ctx ends.
func (e *Events) Watch(ctx context.Context, first ...driver.Event) <-chan driver.Event {
	r := &reader{wake: make(chan struct{}, 1)}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.readers == nil {
		e.readers = make(map[*reader]struct{})
	}
	e.readers[r] = struct{}{}
	for _, event := range first {
		r.add(event)
	}
	out := make(chan driver.Event)
	go e.pass(ctx, r, out)
	return out
}

// pass hands a reader its events until ctx ends.
func (e *Events) pass(ctx context.Context, r *reader, out chan<- driver.Event) {
	defer close(out)
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.readers, r)
	}()
	for {
		select {
		case <-r.wake:
		case <-ctx.Done():
			return
		}
		e.mu.Lock()
		events := r.pending
		r.pending = nil
		e.mu.Unlock()
		for _, event := range events {
			if !Send(ctx, out, event) {
				return
			}
		}
	}
}

// add is called with mu of the Events held.
func (r *reader) add(event driver.Event) {
	if len(r.pending) >= maxPending {
		r.pending, event = nil, driver.Event{}
	}
	r.pending = append(r.pending, event)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Send sends an event, and reports whether it did before ctx ended.
func Send(ctx context.Context, out chan<- driver.Event, event driver.Event) bool {
	select {
	case out <- event:
		return true
	case <-ctx.Done():
		return false
	}
}
