package decisionlog

import (
	"sync"
	"time"
)

// window is how long like refusals that anyone can cause are counted together.
const window = time.Second

// kind is what such refusals have in common.
type kind struct{ revision, action, rule string }

// repeats counts refusals that anyone can cause in any number, those of unknown keys:
// of the like ones of a window the first is recorded, and the last with how
// many it stands for. It is safe for concurrent use.
type repeats struct {
	mu   sync.Mutex
	held map[kind]*Entry // the last one since the first, with a count of 0 while there is none
}

// hold reports whether an entry is counted and not to be recorded now.
func (r *repeats) hold(e Entry) bool {
	k := kind{e.Evaluator.Revision(), string(e.Input.Action), e.Decision.Rule}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.held[k]
	if last == nil {
		if r.held == nil {
			r.held = map[kind]*Entry{}
		}
		r.held[k] = &Entry{}
		return false
	}
	e.count = last.count + 1
	*last = e
	return true
}

// take ends a window and returns what was counted in it.
func (r *repeats) take() (all []Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, last := range r.held {
		if last.count == 0 {
			delete(r.held, k)
			continue
		}
		all = append(all, *last)
		*last = Entry{}
	}
	return all
}
