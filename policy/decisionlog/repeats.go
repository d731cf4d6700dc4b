package decisionlog

import (
	"sync"
	"time"
)

const (
	// window is how long like decisions that anyone can cause are counted together.
	window = time.Minute
	// mostRefused, mostAsked and mostPages are how many like refusals, like answers to what
	// others ask, and like decisions for pages are recorded in a window, each with its
	// request; of other permissions, and of what gateways refuse and count themselves, it is
	// one.
	mostRefused = 20
	mostAsked   = 600
	mostPages   = 600
	// maxKinds bounds what is counted: what is of no kind yet is then recorded.
	maxKinds = 10_000
)

// kind is what such decisions have in common.
type kind struct {
	path, revision, action, rule, keyID, userID, projectID string
	allow                                                  bool
}

// kindOf returns the kind of an entry, and how many of it are recorded in a window.
func kindOf(e Entry) (k kind, most int) {
	k = kind{path: e.Path, revision: e.Evaluator.Revision(), rule: e.Decision.Rule, allow: e.Decision.Allow}
	if e.Path == AskedPath { // whose facts are the asker's, who can make up as many as there are letters
		return k, mostAsked
	}
	in := e.Input
	k.action, k.projectID, most = string(in.Action), e.ProjectID, mostRefused
	if in.Key != nil {
		k.keyID = in.Key.ID
	}
	if in.User != nil {
		k.userID = in.User.ID
	}
	if in.Project != nil {
		k.projectID = in.Project.ID
	}
	switch {
	case !e.Repeats: // a page, of whatever project: its id may be made up
		k.projectID, most = "", mostPages
	case e.Decision.Allow || e.Count > 0:
		most = 1
	}
	return k, most
}

// held is what is known of a kind.
type held struct {
	Entry        // the last one that was counted, with a Count of 0 while there is none
	recorded int // in the window
}

// repeats counts decisions that anyone can cause in any number, like those on keys that no
// one has or may use: of the like ones of a window the first are recorded, and the last
// with how many it stands for. It is safe for concurrent use.
type repeats struct {
	mu   sync.Mutex
	held map[kind]*held
}

// hold reports whether an entry is counted and not to be recorded now.
func (r *repeats) hold(e Entry) bool {
	k, most := kindOf(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.held[k]
	if last == nil {
		if len(r.held) >= maxKinds {
			return false
		}
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
	e.Count, e.id = last.Count+max(1, e.Count), ""
	last.Entry = e
	return true
}

// take ends a window and returns what was counted in it.
func (r *repeats) take() (all []Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, last := range r.held {
		if last.Count == 0 {
			delete(r.held, k)
			continue
		}
		all = append(all, last.Entry)
		*last = held{recorded: 1} // which is now in the next window
	}
	return all
}
