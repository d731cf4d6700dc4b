package egress

// Open returns how many calls of a project are not charged, also once it is
// forgotten.
func (e *Egress) Open(projectID string) func() int {
	e.mu.Lock()
	j := e.accounts[projectID].journal
	e.mu.Unlock()
	return func() int {
		j.mu.Lock()
		defer j.mu.Unlock()
		return len(j.open)
	}
}

// Underway returns how many calls of a project are under way, also once it is
// forgotten.
func (e *Egress) Underway(projectID string) func() int {
	e.mu.Lock()
	u := &e.accounts[projectID].inFlight
	e.mu.Unlock()
	return func() int {
		u.mu.Lock()
		defer u.mu.Unlock()
		return len(u.calls)
	}
}

// Journals returns how many journals are open.
func (e *Egress) Journals() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, a := range e.accounts {
		a.journal.mu.Lock()
		if a.journal.file != nil {
			n++
		}
		a.journal.mu.Unlock()
	}
	return n
}
