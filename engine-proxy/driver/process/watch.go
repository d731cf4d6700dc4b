package process

import (
	"context"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// watcher is one caller of Watch.
type watcher struct {
	pending []driver.Event // guarded by Driver.mu
	wake    chan struct{}
}

// add queues an event without ever waiting for the reader.
func (w *watcher) add(e driver.Event) {
	w.pending = append(w.pending, e)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Watch implements driver.Driver.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	w := &watcher{wake: make(chan struct{}, 1)}
	d.mu.Lock()
	d.watchers[w] = struct{}{}
	d.mu.Unlock()
	out := make(chan driver.Event)
	go func() {
		defer close(out)
		defer func() {
			d.mu.Lock()
			delete(d.watchers, w)
			d.mu.Unlock()
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
			}
			d.mu.Lock()
			events := w.pending
			w.pending = nil
			d.mu.Unlock()
			for _, e := range events {
				select {
				case <-ctx.Done():
					return
				case out <- e:
				}
			}
		}
	}()
	return out, nil
}
