package ledger

import "sync"

// changes tells whoever mirrors jobs which of them changed. The zero value is
// ready.
type changes struct {
	mu      sync.RWMutex // guards tell, and keeps a teller from being stopped while it is called
	tellers map[*func(jobID string)]struct{}
}

// watch has changed called until stop.
func (c *changes) watch(changed func(jobID string)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tellers == nil {
		c.tellers = make(map[*func(string)]struct{})
	}
	c.tellers[&changed] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.tellers, &changed)
	}
}

// announce tells that jobs changed.
func (c *changes) announce(jobIDs ...string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for changed := range c.tellers {
		for _, id := range jobIDs {
			(*changed)(id)
		}
	}
}

// TellJobs implements sidecar.JobTeller. Of a store that several sidecars share
// each knows only its own changes.
func (l *Ledger) TellJobs(changed func(jobID string)) (stop func(), all bool) {
	if l.store.Shared() {
		return func() {}, false
	}
	return l.changes.watch(changed), true
}

// changed tells those who mirror a job before those who wait for its end.
func (l *Ledger) changed(jobID string, ended bool) {
	l.changes.announce(jobID)
	if ended {
		l.endings.announce(jobID)
	}
}
