package kubernetes

import (
	"sync"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// changes passes on what the watch reports. Its zero value is ready.
type changes struct {
	driverkit.Events

	mu      sync.Mutex                            // guards waiters
	waiters map[string]map[chan struct{}]struct{} // by the pod's name
}

// lost tells all that something may have been missed.
func (c *changes) lost() {
	c.Publish(driver.Event{})
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
		select {
		case w <- struct{}{}:
		default:
		}
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
