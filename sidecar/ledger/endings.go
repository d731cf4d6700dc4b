package ledger

import "sync"

// endings wakes those who wait for the end of a job. They are apart from changes
// since most changes are no ends, and come after it. The zero value is ready.
type endings struct {
	mu      sync.Mutex // guards waiting
	waiting map[string]*waiters
}

// waiters of one job.
type waiters struct {
	ended chan struct{}
	count int
}

// watch returns a channel that is closed when the job ends. The caller reads the job
// after that, since an earlier end is not announced again, and calls stop once.
func (e *endings) watch(jobID string) (ended <-chan struct{}, stop func()) {
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

// announce wakes those who wait for the job.
func (e *endings) announce(jobID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.waiting[jobID]; w != nil {
		close(w.ended)
		delete(e.waiting, jobID)
	}
}
