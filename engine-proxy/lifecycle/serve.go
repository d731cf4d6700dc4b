package lifecycle

import (
	"time"

	"github.com/svc-games/svc/api/contract"
)

// Lease notes that the ready engine is used, until Release with the same run.
func (m *Machine) Lease(now time.Time) (run uint64) {
	m.use.leases++
	m.use.last, m.use.touched = now, now
	return m.run
}

// Release ends a lease.
func (m *Machine) Release(now time.Time, run uint64) {
	if run == m.run && m.use.leases > 0 {
		m.use.leases--
		m.use.last, m.use.touched = now, now
	}
}

// Observed tells what the engine says it does, to a look that began at asked.
func (m *Machine) Observed(now, asked time.Time, run uint64, act contract.Activity) {
	if !m.is(run, Ready, Draining) {
		return
	}
	u := &m.use
	// The engine's own clock is not compared with ours: that its last activity
	// has moved is enough.
	moved := !act.LastActivity.Equal(u.activity.LastActivity)
	u.activity, u.asked, u.misses, u.answered = act, asked, 0, now
	if moved || u.busy() {
		u.last = now
	}
	if now.Sub(u.ready) >= m.rules.BackOffReset {
		m.strikes, m.unreported = 0, 0
	}
	m.judgeClaim(now)
	if m.state == Ready && !m.frozen && now.Sub(u.last) >= m.rules.Idle {
		m.drain(now, CauseIdle)
	}
}

// claimsWork reports whether what the engine says speaks against stopping it.
func (u *use) claimsWork() bool { return u.activity.Busy() || u.activity.OpenStreams > 0 }

// busy reports whether anything known speaks against stopping the engine.
func (u *use) busy() bool { return u.leases > 0 || u.claimsWork() }

// judgeClaim stops an engine that has claimed work for too long while the
// ledger, which was asked just now, knows of none and nobody is connected.
func (m *Machine) judgeClaim(now time.Time) {
	u := &m.use
	if m.state != Ready || m.frozen || m.open > 0 || u.leases > 0 || !u.claimsWork() {
		u.claims = time.Time{}
		return
	}
	if u.claims.IsZero() {
		u.claims = now
	}
	if now.Sub(u.claims) >= m.rules.Claim && now.Sub(m.openAt) < m.rules.Claim/4 {
		m.stop(now, CauseAbandoned, "")
	}
}

// Silent tells that the engine did not answer. Unreachable is not absent: only
// the driver can say that it is gone.
func (m *Machine) Silent(run uint64) {
	if !m.is(run, Ready, Draining) {
		return
	}
	if m.use.misses++; m.use.misses%missesToDoubt == 0 {
		m.do(Inspect)
	}
}

// MayHaveEnded tells that the instance may have ended.
func (m *Machine) MayHaveEnded(run uint64) {
	if m.is(run, Starting, Recovering, Ready, Draining) && m.phase != Queued && !m.making() {
		m.do(Inspect)
	}
}

// Present tells that the driver knows the instance to run. One that has been
// silent for too long all the same is stopped: its jobs wait for an engine.
func (m *Machine) Present(now time.Time, run uint64, f Failure) {
	u := &m.use
	if m.is(run, Ready, Draining) && !m.frozen && u.misses >= missesToDoubt && now.Sub(u.answered) >= m.rules.Silence {
		m.strike(now, CauseUnresponsive, f)
	}
}

// FeedAdvanced tells that a report of the engine is in the ledger.
func (m *Machine) FeedAdvanced(run uint64) {
	if run == m.run {
		m.brokenFeeds, m.unreported, m.strikes = 0, 0, min(m.strikes, 1)
	}
}

// FeedBroken tells that the engine's reports break the contract however often
// they are asked for. Its jobs could never end: the engine is started anew
// once, and if that does not help it is given up.
func (m *Machine) FeedBroken(now time.Time, run uint64, f Failure) {
	if !m.is(run, Ready) || m.frozen {
		return
	}
	if m.brokenFeeds++; m.brokenFeeds > 1 {
		f.Fatal = true
		m.remember(now, f, 1)
		m.failedStarts = m.rules.LostAfter
	}
	m.stop(now, CauseBrokenFeed, f.Reason)
}

// Overran tells that the engine has held a job for so long that it was ended
// without it.
func (m *Machine) Overran(now time.Time, run uint64, f Failure) {
	if m.is(run, Ready, Draining) && !m.frozen {
		m.strike(now, CauseHeld, f)
	}
}

// Evict drains an idle engine because another project needs its room. It
// reports whether it did.
func (m *Machine) Evict(now time.Time) bool {
	if m.state != Ready || m.frozen || m.use.busy() {
		return false
	}
	m.drain(now, CauseEvicted)
	return true
}

// DrainNow drains on order, unless somebody is connected: the engine itself
// knows best whether it works. It reports whether it did.
func (m *Machine) DrainNow(now time.Time) bool {
	if m.state != Ready || m.use.leases > 0 {
		return false
	}
	m.drain(now, CauseOrder)
	return true
}

func (m *Machine) drain(now time.Time, why Cause) {
	m.undo, m.drainer = false, why
	m.to(now, Draining, why, "")
	m.do(Drain)
}

// DrainAnswer is an answer to a drain.
type DrainAnswer string

// The answers.
const (
	DrainAccepted DrainAnswer = "accepted" // the engine takes no more jobs
	DrainBusy     DrainAnswer = "busy"     // it works, and goes on to take jobs
	DrainUnknown  DrainAnswer = "unknown"  // whether it got the request is not known
)

// Drained tells what the engine said to a drain. Only its own word that it has
// no work, with no submission in between, stops it.
func (m *Machine) Drained(now time.Time, run uint64, a DrainAnswer) {
	switch {
	case !m.is(run, Draining):
	case a == DrainBusy:
		m.serve(now)
	case a == DrainAccepted && !m.undo && m.use.leases == 0 && !m.frozen:
		m.stop(now, m.drainer, "")
	default:
		m.do(Undrain) // until the engine knows, it would refuse jobs
	}
}

// Undrained tells that the engine takes jobs again.
func (m *Machine) Undrained(now time.Time, run uint64) {
	if m.is(run, Draining) {
		m.serve(now)
	}
}

func (m *Machine) serve(now time.Time) {
	m.use.last = now
	m.to(now, Ready, CauseUndone, "")
}

// Attached tells that somebody wants to read from an engine that drains.
func (m *Machine) Attached() {
	if m.state == Draining {
		m.undo = true
	}
}

// StopNow stops whatever there is, without waiting for work. A failure, too,
// is forgotten by it.
func (m *Machine) StopNow(now time.Time) {
	switch m.state {
	case Starting, Recovering:
		m.do(Abort) // what is under way comes back, and then it is stopped
	case Ready, Draining:
		m.stop(now, CauseOrder, "")
	default:
		m.Reset(now)
	}
}

// Reset forgets failures.
func (m *Machine) Reset(now time.Time) {
	m.failure, m.strikes, m.failedStarts, m.unreported, m.brokenFeeds = Failure{}, 0, 0, 0, 0
	if m.state == Failed {
		m.to(now, Absent, CauseForgotten, "")
	}
}

// Tick lets time pass for a failure that nobody asks about.
func (m *Machine) Tick(now time.Time) {
	if m.state == Failed && m.open == 0 && !m.failure.Fatal && now.Sub(m.since) >= m.rules.Retain {
		m.Reset(now)
	}
}

// Unfinished tells how many unfinished jobs the ledger knew of a moment ago.
// For them the engine is started whoever asks for it or not, and only when
// that has failed are the accepted ones among them given up.
func (m *Machine) Unfinished(now time.Time, all, accepted int) {
	m.open, m.openAt = all, now
	if all == 0 || m.held > 0 {
		return
	}
	switch m.state {
	case Absent:
		m.RequestStart(now, CauseUnfinished)
	case Failed:
		if accepted > 0 && m.giveUpDue(now) {
			m.held++
			m.do(GiveUp)
			return
		}
		m.RequestStart(now, CauseUnfinished)
	}
}

// giveUpDue reports whether the engine can't be brought back, or is of no use when
// it is: it becomes ready and ends, again and again, without a report.
func (m *Machine) giveUpDue(now time.Time) bool {
	return max(m.failedStarts, m.unreported) >= m.rules.LostAfter ||
		m.failure.Fatal && now.Sub(m.since) >= m.rules.FatalGrace
}

// GivenUp tells that the jobs were ended as far as that was possible.
func (m *Machine) GivenUp() { m.held-- }
