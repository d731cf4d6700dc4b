package model

import "sync"

// forms remembers which form of a request each model took last: it is the first
// one to try the next time.
type forms struct {
	mu    sync.Mutex // guards taken
	taken map[string]int
}

func (f *forms) of(model string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken[model]
}

func (f *forms) set(model string, form int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken == nil {
		f.taken = map[string]int{}
	}
	f.taken[model] = form
}

// refusesForm reports whether another form of the same request may be taken.
func refusesForm(err error) bool { return KindOf(err) == Form }
