package kubernetes

import (
	"sync"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// mostHints is how many hints are kept for a listener who is slow. Beyond, it
// is told that some were lost.
const mostHints = 1000

// changes passes on what the watch hears. Its zero value is ready.
type changes struct {
	mu        sync.Mutex // guards the following fields
	listeners map[*listener]struct{}
	waiters   map[string]map[chan struct{}]struct{} // by the pod's name
}

// listener is one caller of Watch.
type listener struct {
	wake chan struct{}

	mu    sync.Mutex // guards hints
	hints []driver.Event
}

// listen returns a listener, whose first hint is that others may have been
// lost.
func (c *changes) listen() *listener {
	l := &listener{wake: make(chan struct{}, 1)}
	l.add(driver.Event{})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listeners == nil {
		c.listeners = make(map[*listener]struct{})
	}
	c.listeners[l] = struct{}{}
	return l
}

func (c *changes) leave(l *listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.listeners, l)
}

// ended tells all listeners.
func (c *changes) ended(e driver.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.listeners {
		l.add(e)
	}
}

// lost tells all that something may have been missed.
func (c *changes) lost() {
	c.ended(driver.Event{})
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.waiters {
		c.wakeLocked(name)
	}
}

// of wakes whoever waits for a pod.
func (c *changes) of(pod string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wakeLocked(pod)
}

func (c *changes) wakeLocked(pod string) {
	for w := range c.waiters[pod] {
		poke(w)
	}
}

// await returns a channel on which the changes of a pod are felt, until leave.
func (c *changes) await(pod string) (changed <-chan struct{}, leave func()) {
	w := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiters == nil {
		c.waiters = make(map[string]map[chan struct{}]struct{})
	}
	if c.waiters[pod] == nil {
		c.waiters[pod] = make(map[chan struct{}]struct{})
	}
	c.waiters[pod][w] = struct{}{}
	return w, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiters[pod], w)
		if len(c.waiters[pod]) == 0 {
			delete(c.waiters, pod)
		}
	}
}

// add keeps a hint until it is taken.
func (l *listener) add(e driver.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.hints) >= mostHints {
		l.hints, e = nil, driver.Event{}
	}
	l.hints = append(l.hints, e)
	poke(l.wake)
}

func (l *listener) take() []driver.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	hints := l.hints
	l.hints = nil
	return hints
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
