package lifecycle

import (
	"slices"
	"time"

	"github.com/svc-games/svc/api/contract"
)

// Status is what a Machine is willing to tell.
type Status struct {
	State    State
	Phase    Phase // of Starting
	Since    time.Time
	Run      uint64
	Failure  Failure
	Open     int // unfinished jobs, as the ledger said last
	Leases   int
	Activity contract.Activity
	Unseen   bool      // a ready engine may have got work that Activity does not know of yet
	StopAt   time.Time // when an idle engine is drained; zero if it is in use, or may be
	Frozen   bool
	Held     bool
}

// Status describes the machine.
func (m *Machine) Status() Status {
	s := Status{
		State: m.state, Phase: m.phase, Since: m.since, Run: m.run, Failure: m.failure, Open: m.open,
		Leases: m.use.leases, Activity: m.use.activity, Frozen: m.frozen, Held: m.held > 0,
	}
	s.Unseen = m.state == Ready && !m.use.asked.After(m.use.touched)
	if since, idle := m.IdleSince(); idle && !s.Unseen {
		s.StopAt = since.Add(m.rules.Idle)
	}
	return s
}

// IdleSince returns since when a ready engine has had nothing to do.
func (m *Machine) IdleSince() (time.Time, bool) {
	if m.state != Ready || m.use.busy() {
		return time.Time{}, false
	}
	return m.use.last, true
}

// State returns the state.
func (m *Machine) State() State { return m.state }

// Transitions returns the last transitions, oldest first.
func (m *Machine) Transitions() []Transition { return slices.Clone(m.past) }

// Last returns the last transition; a zero one when there was none.
func (m *Machine) Last() Transition {
	if len(m.past) == 0 {
		return Transition{}
	}
	return m.past[len(m.past)-1]
}
