package decisionlog

import (
	"sync"
	"time"
)

// window is how long like refusals that anyone can cause are counted together.
const window = time.Second

// mostOfKey is how many like refusals of one key are recorded in a window, each with its
// request; of keys that no one has it is one.
const mostOfKey = 20

// kind is what such refusals have in common.
type kind struct{ revision, action, rule, keyID string }

// held is what is known of a kind.
type held struct {
	Entry        // the last one that was counted, with a count of 0 while there is none
	recorded int // in the window
}

// repeats counts refusals that anyone can cause in any number, those of keys that no one
// has or may use: of the like ones of a window the first are recorded, and the last with
// how many it stands for. It is safe for concurrent use.
type repeats struct {
	mu   sync.Mutex
	held map[kind]*held
}

// hold reports whether an entry is counted and not to be recorded now.
func (r *repeats) hold(e Entry) bool {
	k, most := kind{revision: e.Evaluator.Revision(), action: string(e.Input.Action), rule: e.Decision.Rule}, 1
	if e.Input.Key != nil {
		k.keyID, most = e.Input.Key.ID, mostOfKey
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.held[k]
	if last == nil {
		if r.held == nil {
			r.held = map[kind]*held{}
		}
		last = new(held)
		r.held[k] = last
	}
	if last.recorded < most {
		last.recorded++
		return false
	}
	e.count = last.count + 1
	last.Entry = e
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
		all = append(all, last.Entry)
		*last = held{recorded: 1} // which is now in the next window
	}
	return all
}
