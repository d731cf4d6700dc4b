package ledger

import "sync"

// endings tells whoever waits for a job that it ended. The zero value is ready.
type endings struct {
	mu      sync.Mutex // guards waiting
	waiting map[string]*waiters
}

// waiters of one job.
type waiters struct {
	ended chan struct{}
	count int
}

// watch returns a channel that is closed when the job ends, and what to call
// when nobody looks at it any more. A watcher looks at the job itself after it
// began to watch: an end before that is not told again.
func (e *endings) watch(jobID string) (ended <-chan struct{}, forget func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting == nil {
		e.waiting = make(map[string]*waiters)
	}
	w := e.waiting[jobID]
	if w == nil {
		w = &waiters{ended: make(chan struct{})}
		e.waiting[jobID] = w
	}
	w.count++
	return w.ended, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if w.count--; w.count == 0 && e.waiting[jobID] == w {
			delete(e.waiting, jobID)
		}
	}
}

// announce tells that the job ended.
func (e *endings) announce(jobID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.waiting[jobID]; w != nil {
		close(w.ended)
		delete(e.waiting, jobID)
	}
}
