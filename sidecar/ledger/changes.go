package ledger

import "sync"

// changes announces to those who mirror jobs which of them changed. The zero value
// is ready.
type changes struct {
	mu       sync.RWMutex // guards watchers; stop waits for calls under way
	watchers map[*func(jobID string)]struct{}
}

// watch has changed called until stop returns.
func (c *changes) watch(changed func(jobID string)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watchers == nil {
		c.watchers = make(map[*func(string)]struct{})
	}
	c.watchers[&changed] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, &changed)
	}
}

// announce calls the watchers.
func (c *changes) announce(jobID string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for changed := range c.watchers {
		(*changed)(jobID)
	}
}

// WatchJobs implements sidecar.Service. Of a store that several sidecars share each
// knows only its own changes.
func (l *Ledger) WatchJobs(changed func(jobID string)) (stop func(), complete bool) {
	if l.store.Shared() {
		return func() {}, false
	}
	return l.changes.watch(changed), true
}

// changed announces a change to those who mirror the job before those who wait for
// its end: they then find the end in every mirror.
func (l *Ledger) changed(jobID string, ended bool) {
	l.changes.announce(jobID)
	if ended {
		l.endings.announce(jobID)
	}
}
