// Package lifecycle decides about one project's engine: when it is started,
// drained, stopped, given up and started again. It is a state machine and
// nothing else. It has no clock, no goroutine and no lock, and calls nobody:
// what happened comes in as method calls with the time of it, and what is to
// be done about it goes out as actions.
package lifecycle

import "time"

// State is where an engine is in its life.
type State string

// The states. Something with a deadline is under way in every one but absent,
// ready and failed.
const (
	Absent     State = "absent"
	Starting   State = "starting"
	Ready      State = "ready"
	Draining   State = "draining"
	Stopping   State = "stopping"
	Failed     State = "failed"
	Recovering State = "recovering" // found when the engine proxy started, and has not answered yet
)

// States lists every state.
var States = []State{Absent, Starting, Ready, Draining, Stopping, Failed, Recovering}

// Phase is how far a start has come.
type Phase string

// The phases of Starting.
const (
	Queued   Phase = "queued"   // waits for its turn, and for room
	Pulling  Phase = "pulling"  // the driver fetches what is to be run
	Creating Phase = "creating" // the driver makes the instance
	Booting  Phase = "booting"  // it exists
	Probing  Phase = "probing"  // it answers, and is not ready yet
)

// Cause is why a state was entered.
type Cause string

// The causes.
const (
	CauseSubmission   Cause = "submission"
	CauseUnfinished   Cause = "unfinished" // jobs that have not ended
	CauseFound        Cause = "found"      // it ran when the engine proxy started
	CauseReady        Cause = "ready"
	CauseNoRoom       Cause = "no_room"
	CauseStartFailed  Cause = "start_failed"
	CauseIdle         Cause = "idle"
	CauseEvicted      Cause = "evicted" // idle, and another project needed the room
	CauseOrder        Cause = "order"   // of an operator, or the project's deletion
	CauseUndone       Cause = "undone"  // a drain that met work, or a submission
	CauseCrashed      Cause = "crashed"
	CauseUnresponsive Cause = "unresponsive" // it runs and does not answer
	CauseAbandoned    Cause = "abandoned"    // it claims work that nobody waits for
	CauseBrokenFeed   Cause = "broken_feed"  // its reports can't be read
	CauseHeld         Cause = "held"         // it does not end its jobs
	CauseGone         Cause = "gone"         // the instance does not exist any more
	CauseForgotten    Cause = "forgotten"    // a failure, after its time or by a reset
)

// StopCauses lists what may end an engine.
var StopCauses = []Cause{
	CauseStartFailed, CauseIdle, CauseEvicted, CauseOrder, CauseCrashed,
	CauseUnresponsive, CauseAbandoned, CauseBrokenFeed, CauseHeld,
}

// Transition is one step in an engine's life.
type Transition struct {
	At     time.Time `json:"at"`
	From   State     `json:"from"`
	To     State     `json:"to"`
	Cause  Cause     `json:"cause"`
	Detail string    `json:"detail,omitempty"` // of a failure
}

// keptTransitions is how many transitions are remembered.
const keptTransitions = 50

// Failure is why an engine is not started now.
type Failure struct {
	Code   string    // a handful of values, for metrics
	Reason string    // one sentence, for the client's eyes
	Fatal  bool      // no start before Reset
	NextAt time.Time // no start before; set by the Machine
}

// None reports whether nothing failed.
func (f Failure) None() bool { return f.Reason == "" }

// Action is something to be done. What comes of it is told to the Machine with
// the action's Run, by which it knows what is about an earlier engine.
type Action struct {
	Kind Kind
	Run  uint64
}

// Kind is what an Action asks for.
type Kind string

// The kinds of actions, and what may come of each.
const (
	Queue   Kind = "queue"   // a turn among the starts: Granted, NoRoom, StartFailed
	Launch  Kind = "launch"  // have the driver make the instance: Launched, StartFailed
	Probe   Kind = "probe"   // ask it until it is ready: Answered, BecameReady, StartFailed
	Adopt   Kind = "adopt"   // look for the engine of the journal: BecameReady, Vanished, StartFailed
	Attend  Kind = "attend"  // look after the ready engine: Observed, Silent, FeedBroken, Overran
	Inspect Kind = "inspect" // ask the driver whether it runs: Present, Exited
	Drain   Kind = "drain"   // ask it to take no more jobs: Drained
	Undrain Kind = "undrain" // take that back: Undrained
	Abort   Kind = "abort"   // end the start that is under way: StartFailed
	Stop    Kind = "stop"    // stop the instance, until it is provably gone: Stopped
	Review  Kind = "review"  // ask the ledger for unfinished jobs: Unfinished
	GiveUp  Kind = "give up" // end the unfinished jobs as lost: GivenUp
)

// Rules are the times and counts that a Machine goes by. All are required but
// Spread.
type Rules struct {
	Idle         time.Duration // without work before an engine is drained
	BackOff      time.Duration // after the first failure, doubled by each further one
	BackOffMax   time.Duration
	BackOffReset time.Duration // ready for so long, failures are forgotten
	Retain       time.Duration // a failure that nobody asks about is forgotten after it
	Silence      time.Duration // without an answer before an engine counts as unresponsive
	Claim        time.Duration // how long an engine's word alone, against the ledger's, keeps it
	LostAfter    int           // failed starts, or ends without a report, in a row before unfinished jobs are given up
	FatalGrace   time.Duration // after a fatal failure before they are

	// Spread varies a wait, so that what failed together does not start
	// together; nil leaves it as it is.
	Spread func(time.Duration) time.Duration
}
