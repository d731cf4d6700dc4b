package lifecycle

import (
	"slices"
	"time"

	"github.com/svc-games/svc/api/contract"
)

// missesToDoubt is after how many looks in a row without an answer the driver
// is asked.
const missesToDoubt = 3

// Machine is the state of one project's engine. It is not safe for concurrent use.
// After every call the actions that Take returns must be done.
type Machine struct {
	rules   *Rules
	actions []Action
	past    []Transition

	state State
	phase Phase
	since time.Time // of the state
	run   uint64    // the engine that is meant, counted from 1

	failure      Failure
	strikes      int // failures without a report in between, which the back-off counts
	failedStarts int // starts in a row that did not become ready
	unreported   int // ready engines in a row that ended without a report
	brokenFeeds  int // engines in a row whose feed could not be read

	frozen  bool // the driver is unavailable: nothing is begun
	held    int  // its jobs are being given up, or it is deleted: no start
	again   bool // it was wished for while stopping
	wisher  Cause
	undo    bool  // the drain under way is not wanted any more
	drainer Cause // why it drains

	open   int       // unfinished jobs the ledger knows of
	openAt time.Time // when it said so

	use use // of the engine that is meant
}

// use is what keeps a ready engine from being stopped.
type use struct {
	ready    time.Time
	last     time.Time // when it was in use last
	touched  time.Time // when somebody could have given it work last
	asked    time.Time // when the look began that activity is of
	answered time.Time // when it answered last
	leases   int
	activity contract.Activity
	misses   int       // looks in a row without an answer
	claims   time.Time // since when it claims work the ledger knows nothing of
}

// New returns the machine of an engine that is absent.
func New(rules *Rules, now time.Time) *Machine {
	return &Machine{rules: rules, state: Absent, since: now}
}

// Take returns the actions since the last call, in order.
func (m *Machine) Take() []Action {
	out := m.actions
	m.actions = nil
	return out
}

func (m *Machine) do(k Kind) { m.actions = append(m.actions, Action{k, m.run}) }

func (m *Machine) to(now time.Time, s State, why Cause, detail string) {
	if len(m.past) == keptTransitions {
		m.past = slices.Delete(m.past, 0, 1)
	}
	m.past = append(m.past, Transition{At: now.UTC(), From: m.state, To: s, Cause: why, Detail: detail})
	m.state, m.phase, m.since = s, "", now
}

// is reports whether something that happened to run matters still.
func (m *Machine) is(run uint64, states ...State) bool {
	return run == m.run && slices.Contains(states, m.state)
}

// RequestStart asks for an engine, for a submission or for unfinished jobs. It begins
// a start if that is allowed now.
func (m *Machine) RequestStart(now time.Time, why Cause) {
	if m.held > 0 || m.frozen {
		return
	}
	switch m.state {
	case Absent:
		m.begin(now, why)
	case Failed:
		if !m.failure.Fatal && !now.Before(m.failure.NextAt) {
			m.begin(now, why)
		}
	case Draining:
		m.undo = true
	case Stopping:
		if m.failure.None() { // else its back-off comes first
			m.again, m.wisher = true, why
		}
	}
}

func (m *Machine) begin(now time.Time, why Cause) {
	m.run++
	m.use, m.failure, m.undo, m.again = use{}, Failure{}, false, false
	m.to(now, Starting, why, "")
	m.phase = Queued
	m.do(Queue)
}

// Adopt takes up an engine that may run already.
func (m *Machine) Adopt(now time.Time) {
	if m.state != Absent {
		return
	}
	m.run++
	m.use = use{}
	m.to(now, Recovering, CauseFound, "")
	m.do(Adopt)
}

// NoRoom ends a start that had to be refused.
func (m *Machine) NoRoom(now time.Time, run uint64) {
	if m.is(run, Starting) && m.phase == Queued {
		m.to(now, Absent, CauseNoRoom, "")
	}
}

// Granted tells that it is the start's turn.
func (m *Machine) Granted(run uint64) {
	if m.is(run, Starting) && m.phase == Queued {
		m.phase = Creating
		m.do(Launch)
	}
}

// Advance tells how far the driver has come with making the instance.
func (m *Machine) Advance(run uint64, p Phase) {
	if m.is(run, Starting) && m.making() {
		m.phase = p
	}
}

func (m *Machine) making() bool { return m.phase == Creating || m.phase == Pulling }

// Launched tells that the instance exists.
func (m *Machine) Launched(run uint64) {
	if m.is(run, Starting) && m.making() {
		m.phase = Booting
		m.do(Probe)
	}
}

// Answered tells that the instance answers.
func (m *Machine) Answered(run uint64) {
	if m.is(run, Starting) && m.phase == Booting {
		m.phase = Probing
	}
}

// BecameReady tells that the engine is ready, and is the one it should be.
func (m *Machine) BecameReady(now time.Time, run uint64) {
	if !m.is(run, Starting, Recovering) {
		return
	}
	m.use.ready, m.use.last, m.use.touched, m.use.answered = now, now, now, now
	m.failedStarts = 0
	m.to(now, Ready, CauseReady, "")
	m.do(Attend)
}

// CalledOff ends a start that was aborted on order; that is no failure.
func (m *Machine) CalledOff(now time.Time, run uint64) {
	if m.is(run, Starting, Recovering) {
		m.stop(now, CauseOrder, "")
	}
}

// StartFailed ends a start. A failure that counts is one of the engine; the
// driver's being out of reach is none.
func (m *Machine) StartFailed(now time.Time, run uint64, f Failure, counts bool) {
	if !m.is(run, Starting, Recovering) {
		return
	}
	if counts {
		m.failedStarts++
	}
	m.strikes++
	m.remember(now, f, m.strikes)
	m.stop(now, CauseStartFailed, f.Reason)
}

// remember notes a failure and when the next start is allowed.
func (m *Machine) remember(now time.Time, f Failure, n int) {
	wait := m.rules.BackOff
	for range n - 1 {
		if wait *= 2; wait >= m.rules.BackOffMax {
			break
		}
	}
	if m.rules.Spread != nil {
		wait = m.rules.Spread(wait)
	}
	f.NextAt = now.Add(min(wait, m.rules.BackOffMax))
	m.failure = f
}

func (m *Machine) stop(now time.Time, why Cause, detail string) {
	m.to(now, Stopping, why, detail)
	m.do(Stop)
}

// Stopped tells that the instance is provably gone, or never was.
func (m *Machine) Stopped(now time.Time, run uint64) {
	if !m.is(run, Stopping) {
		return
	}
	if !m.failure.None() {
		m.to(now, Failed, CauseGone, m.failure.Reason)
	} else {
		m.to(now, Absent, CauseGone, "")
		if m.again {
			m.RequestStart(now, m.wisher)
		}
	}
	m.again = false
	m.do(Review)
}

// Vanished tells that the engine of the journal does not run any more.
func (m *Machine) Vanished(now time.Time, run uint64) {
	if m.is(run, Recovering) {
		m.to(now, Absent, CauseGone, "")
		m.do(Review)
	}
}

// Exited tells that the driver knows the instance to be gone, uncalled for.
func (m *Machine) Exited(now time.Time, run uint64, f Failure) {
	switch {
	case m.is(run, Starting, Recovering):
		m.do(Abort)
	case m.is(run, Ready):
		m.strike(now, CauseCrashed, f)
	case m.is(run, Draining):
		m.stop(now, CauseCrashed, f.Reason)
	}
}

// strike ends a ready engine that failed. The first time it may start again at
// once, then with back-off. That grows only while the engine gets nowhere: its
// end costs one that does the job it was at, which bounds how often that can
// happen, and the jobs behind it must not wait for minutes.
func (m *Machine) strike(now time.Time, why Cause, f Failure) {
	m.unreported++
	if m.strikes++; m.strikes > 1 {
		m.remember(now, f, m.strikes-1)
	}
	m.stop(now, why, f.Reason)
}

// SetRules changes the rules from now on.
func (m *Machine) SetRules(rules *Rules) { m.rules = rules }

// SetDriver tells whether the driver can be asked. While it can't, nothing is
// begun and no engine is stopped but on order.
func (m *Machine) SetDriver(up bool) { m.frozen = !up }

// Forbid forbids starts for good.
func (m *Machine) Forbid() { m.held++ }
