// Package push hints to caches of keys that the revocation log has grown. What
// changed is read from the log, so that a lost hint costs time and never
// correctness.
package push

import "sync"

// Hub hands hints to the watchers in this process, and to those of others that it
// is connected to. The zero Hub works, and is connected to none. It is safe for
// concurrent use.
type Hub struct {
	mu       sync.Mutex // guards the following fields
	watchers map[chan struct{}]struct{}
	others   func() // hints to other processes; nil for none
}

// Notify hints to all watchers. It never waits: a watcher that has not looked
// yet since the last hint needs no second one.
func (h *Hub) Notify() {
	h.hint()
	h.mu.Lock()
	others := h.others
	h.mu.Unlock()
	if others != nil {
		others()
	}
}

// connect has others hint to other processes, without waiting for them.
func (h *Hub) connect(others func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.others = others
}

// hint wakes the watchers in this process.
func (h *Hub) hint() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Watch returns a channel of hints. stop ends it and must be called once.
func (h *Hub) Watch() (hints <-chan struct{}, stop func()) {
	w := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = make(map[chan struct{}]struct{})
	}
	h.watchers[w] = struct{}{}
	return w, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, w)
	}
}
