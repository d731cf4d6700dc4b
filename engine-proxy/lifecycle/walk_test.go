package lifecycle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-games/svc/api/contract"
)

func testRules() *Rules {
	return &Rules{
		Idle: 10 * time.Minute, BackOff: 5 * time.Second, BackOffMax: 5 * time.Minute, BackOffReset: 10 * time.Minute,
		Retain: time.Hour, Silence: time.Minute, Claim: time.Hour, LostAfter: 3, FatalGrace: 10 * time.Minute,
	}
}

// world is everything around a machine, played by chance: the driver with its
// instances, the engine with its work, the ledger with its jobs. It knows the
// truth, by which the invariants are checked.
type world struct {
	t   *rapid.T
	m   *Machine
	now time.Time

	pending  map[Action]bool // actions whose outcome has not come yet
	alive    map[uint64]bool // instances that run, by the run that made them
	working  map[uint64]bool // of these, those that work
	leases   []uint64
	runs     uint64 // the highest that was seen
	jobs     int    // unfinished, in the ledger
	lost     int
	forced   bool // somebody ordered a stop since the engine became ready
	wished   bool // a submission came since the drain began
	silent   bool // the engine does not answer
	misses   int  // looks in a row without an answer
	answered time.Time
}

func TestRandomWalkKeepsTheInvariants(t *testing.T) {
	seen, causes := map[State]bool{}, map[Cause]bool{}
	// A walk that never gets there proves nothing; chance may need some more.
	unseen := func() (out []string) {
		for _, s := range States {
			if !seen[s] {
				out = append(out, "came to the state "+string(s))
			}
		}
		for _, c := range StopCauses {
			if !causes[c] {
				out = append(out, "stopped an engine because it was "+string(c))
			}
		}
		return out
	}
	for range 10 {
		walk(t, seen, causes)
		if t.Failed() || len(unseen()) == 0 {
			break
		}
	}
	for _, what := range unseen() {
		t.Errorf("no walk %s", what)
	}
}

// walk takes as many walks as rapid is told to, and notes where they came.
func walk(t *testing.T, seen map[State]bool, causes map[Cause]bool) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{
			t: t, now: time.Unix(1e9, 0), pending: map[Action]bool{}, alive: map[uint64]bool{}, working: map[uint64]bool{},
		}
		w.m = New(testRules(), w.now)
		if rapid.Bool().Draw(t, "found at the start") {
			w.m.Adopt(w.now)
			w.collect()
			if rapid.Bool().Draw(t, "runs") {
				w.alive[1] = true
			}
		}
		for range 150 {
			w.step()
			w.collect()
			w.check()
			seen[w.m.State()], causes[w.m.Last().Cause] = true, true
		}
		w.settle()
	})
}

// collect takes the machine's actions; those that are done at once are.
func (w *world) collect() {
	for actions := w.m.Take(); len(actions) > 0; actions = w.m.Take() {
		for _, a := range actions {
			switch a.Kind {
			case Attend:
				w.forced, w.silent, w.misses, w.answered = false, false, 0, w.now
			case Drain:
				w.wished = false
				w.pending[a] = true
			case Abort:
				// The outcome is that of what is under way.
			case Stop:
				w.stopping(a)
			default:
				w.pending[a] = true
			}
		}
	}
}

// step plays one event.
func (w *world) step() {
	t, m := w.t, w.m
	moves := []string{"time", "wish", "jobs", "evict"}
	if rapid.IntRange(0, 9).Draw(t, "rare") == 9 {
		moves = []string{"order", "reset", "driver"}
	} else if s := m.State(); s == Ready || s == Draining {
		moves = append(moves, "look", "look", "look", "look", "lease", "drain", "work", "silence")
		if rapid.IntRange(0, 9).Draw(t, "accident") == 9 {
			moves = []string{"exit", "feed", "held", "hour"}
		}
	}
	if len(w.pending) > 0 {
		moves = append(moves, "outcome", "outcome", "outcome", "outcome")
	}
	if len(w.leases) > 0 {
		moves = append(moves, "release")
	}
	switch move := rapid.SampledFrom(moves).Draw(t, "move"); move {
	case "time":
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 30 * time.Second, 5 * time.Minute, 20 * time.Minute}).Draw(t, "passes"))
		m.Tick(w.now)
	case "wish":
		w.wished = w.wished || !m.Status().Frozen && !m.Status().Held
		m.RequestStart(w.now, CauseSubmission)
	case "jobs":
		w.jobs = rapid.IntRange(0, 3).Draw(t, "unfinished")
		m.Unfinished(w.now, w.jobs, w.jobs)
	case "order":
		w.forced = true
		m.StopNow(w.now)
	case "reset":
		m.Reset(w.now)
	case "evict":
		m.Evict(w.now)
	case "drain":
		m.DrainNow(w.now)
	case "driver":
		m.SetDriver(rapid.IntRange(0, 3).Draw(t, "down") != 3)
	case "outcome":
		w.outcome()
	case "look":
		w.look()
	case "hour":
		w.jobs, w.working[m.Status().Run] = 0, true
		for range 13 {
			w.now = w.now.Add(5 * time.Minute)
			m.Unfinished(w.now, 0, 0)
			w.look()
		}
	case "work":
		w.working[m.Status().Run] = rapid.Bool().Draw(t, "works")
	case "silence":
		w.silent = !w.silent
	case "exit":
		run := m.Status().Run
		delete(w.alive, run)
		m.Exited(w.now, run, Failure{Code: "exited", Reason: "It ended."})
	case "feed":
		m.FeedBroken(w.now, m.Status().Run, Failure{Code: "feed", Reason: "It talks nonsense."})
	case "held":
		m.Overran(w.now, m.Status().Run, Failure{Code: "held", Reason: "It ends no job."})
	case "lease":
		if m.State() == Ready {
			w.leases = append(w.leases, m.Lease(w.now))
		}
	case "release":
		m.Release(w.now, w.leases[0])
		w.leases = w.leases[1:]
	}
}

// look asks the engine what it does.
func (w *world) look() {
	run := w.m.Status().Run
	if w.silent {
		w.misses++
		w.m.Silent(run)
		return
	}
	w.misses, w.answered = 0, w.now
	act := contract.Activity{}
	if w.working[run] {
		act.RunningJobs = 1
	}
	w.m.Observed(w.now, w.now, run, act)
}

// outcome lets one pending action come to its end.
func (w *world) outcome() {
	t, m := w.t, w.m
	var names []string
	byName := map[string]Action{}
	for a := range w.pending {
		name := fmt.Sprintf("%s %d", a.Kind, a.Run)
		names, byName[name] = append(names, name), a
	}
	// A map has no order, and a draw must be repeatable.
	slices.Sort(names)
	a := byName[rapid.SampledFrom(names).Draw(t, "which")]
	delete(w.pending, a)
	good := rapid.IntRange(0, 3).Draw(t, "bad") != 3
	failure := Failure{Code: "x", Reason: "It failed.", Fatal: rapid.IntRange(0, 5).Draw(t, "fatal") == 0}
	switch a.Kind {
	case Queue:
		switch rapid.IntRange(0, 3).Draw(t, "queue") {
		case 0:
			m.NoRoom(w.now, a.Run)
		case 1:
			m.StartFailed(w.now, a.Run, failure, false)
		default:
			m.Granted(a.Run)
		}
	case Launch:
		w.launch(a.Run, good, failure)
	case Probe:
		w.probe(a.Run, good, failure)
	case Adopt:
		switch {
		case !w.alive[a.Run]:
			m.Vanished(w.now, a.Run)
		case good:
			m.BecameReady(w.now, a.Run)
		default:
			m.StartFailed(w.now, a.Run, failure, true)
		}
	case Inspect:
		if w.alive[a.Run] {
			m.Present(w.now, a.Run, failure)
		} else {
			m.Exited(w.now, a.Run, failure)
		}
	case Drain:
		answer := DrainAccepted
		switch {
		case w.working[a.Run]:
			answer = DrainBusy
		case !good:
			answer = DrainUnknown
		}
		m.Drained(w.now, a.Run, answer)
	case Undrain:
		m.Undrained(w.now, a.Run)
	case Stop:
		delete(w.alive, a.Run)
		m.Stopped(w.now, a.Run)
	case Review:
		m.Unfinished(w.now, w.jobs, w.jobs)
	case GiveUp:
		if len(w.alive) > 0 {
			t.Fatal("jobs were given up while their engine runs")
		}
		w.lost += w.jobs
		w.jobs = 0
		m.GivenUp()
	}
}

// launch brings a start to its end.
func (w *world) launch(run uint64, good bool, failure Failure) {
	t, m := w.t, w.m
	if run < w.runs {
		t.Fatalf("generation %d was launched after %d", run, w.runs)
	}
	w.runs = run
	if len(w.alive) > 0 {
		t.Fatalf("a second instance beside %v", w.alive)
	}
	// Even a start that ends in an error may have made the instance.
	if good || rapid.Bool().Draw(t, "left something") {
		w.alive[run] = true
	}
	if good {
		m.Advance(run, Pulling)
		m.Launched(run)
	} else {
		m.StartFailed(w.now, run, failure, true)
	}
}

// probe brings the probes of a start to their end.
func (w *world) probe(run uint64, good bool, failure Failure) {
	t, m := w.t, w.m
	switch {
	case rapid.IntRange(0, 5).Draw(t, "called off") == 0:
		m.CalledOff(w.now, run)
	case good && w.alive[run]:
		m.Answered(run)
		m.BecameReady(w.now, run)
	default:
		m.StartFailed(w.now, run, failure, true)
	}
}

// finish is outcome without bad luck.
func (w *world) finish(a Action) {
	m := w.m
	switch a.Kind {
	case Queue:
		m.Granted(a.Run)
	case Launch:
		w.alive[a.Run] = true
		m.Launched(a.Run)
	case Probe:
		if w.alive[a.Run] {
			m.BecameReady(w.now, a.Run)
		} else {
			m.StartFailed(w.now, a.Run, Failure{Code: "x", Reason: "It ended."}, true)
		}
	case Adopt:
		if w.alive[a.Run] {
			m.BecameReady(w.now, a.Run)
		} else {
			m.Vanished(w.now, a.Run)
		}
	case Inspect:
		if w.alive[a.Run] {
			m.Present(w.now, a.Run, Failure{Code: "x", Reason: "It is silent."})
		} else {
			m.Exited(w.now, a.Run, Failure{Code: "x", Reason: "It ended."})
		}
	case Drain:
		m.Drained(w.now, a.Run, DrainBusy)
	case Undrain:
		m.Undrained(w.now, a.Run)
	case Stop:
		delete(w.alive, a.Run)
		m.Stopped(w.now, a.Run)
	case GiveUp:
		m.GivenUp()
	}
}
