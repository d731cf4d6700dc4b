package lifecycle

import (
	"time"
)

// stopping checks that nothing that works is stopped without a reason.
func (w *world) stopping(a Action) {
	w.pending[a] = true
	why := w.m.Last().Cause
	switch why {
	case CauseCrashed:
		if w.alive[a.Run] {
			w.t.Fatal("an engine that runs was stopped as crashed")
		}
	case CauseIdle, CauseEvicted:
		if w.wished {
			w.t.Fatalf("an engine was stopped because it was %s, and a submission had come", why)
		}
		if w.working[a.Run] {
			w.t.Fatalf("an engine that works was stopped because it was %s", why)
		}
		for _, run := range w.leases {
			if run == a.Run {
				w.t.Fatalf("an engine in use was stopped because it was %s", why)
			}
		}
	case CauseOrder:
		if !w.forced && w.working[a.Run] {
			w.t.Fatal("an engine that works was stopped without an order")
		}
	case CauseUnresponsive:
		if w.misses < missesToDoubt || w.now.Sub(w.answered) < time.Minute {
			w.t.Fatalf("stopped as unresponsive after %d misses, %s after its last answer", w.misses, w.now.Sub(w.answered))
		}
	}
}

// check looks at what must hold after every event.
func (w *world) check() {
	t, s := w.t, w.m.Status()
	if len(w.alive) > 1 {
		t.Fatalf("%d instances run: %v", len(w.alive), w.alive)
	}
	if s.State == Absent && len(w.alive) > 0 || s.State == Failed && len(w.alive) > 0 {
		t.Fatalf("%s, but %v runs", s.State, w.alive)
	}
	for run := range w.alive {
		if run != s.Run {
			t.Fatalf("instance %d runs, but %d is meant", run, s.Run)
		}
	}
	if s.State == Ready || s.State == Draining {
		if !w.alive[s.Run] {
			t.Fatalf("%s, but nothing runs", s.State)
		}
	}
	if s.State == Failed && s.Failure.None() {
		t.Fatal("failed without a reason")
	}
	if s.State != Failed && s.State != Stopping && !s.Failure.None() {
		t.Fatalf("%s with a failure", s.State)
	}
	// What is not at rest has something under way, which has a deadline.
	waits := map[State][]Kind{
		Starting: {Queue, Launch, Probe}, Recovering: {Adopt}, Draining: {Drain, Undrain}, Stopping: {Stop},
	}[s.State]
	if len(waits) == 0 {
		return
	}
	for _, kind := range waits {
		if w.pending[Action{kind, s.Run}] {
			return
		}
	}
	t.Fatalf("%s, and nothing is under way: %v", s.State, w.pending)
}

// settle lets everything come to a good end: a wish must bring the engine up.
func (w *world) settle() {
	w.m.SetDriver(true)
	w.silent = false
	for range 1000 {
		w.now = w.now.Add(time.Minute)
		if w.m.State() == Ready && len(w.pending) == 0 {
			return
		}
		if w.m.Status().Failure.Fatal && w.m.State() == Failed {
			w.m.Reset(w.now)
		}
		w.m.RequestStart(w.now, CauseSubmission)
		w.collect()
		for a := range w.pending {
			delete(w.pending, a)
			w.finish(a)
			w.collect()
		}
		w.check()
	}
	w.t.Fatalf("never ready again: %+v", w.m.Status())
}
