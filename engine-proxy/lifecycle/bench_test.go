package lifecycle

import (
	"testing"
	"time"
)

// bench is a machine whose driver and engine do what the test says at once.
type bench struct {
	t   *testing.T
	now time.Time
	*Machine
	took []Action
}

func newBench(t *testing.T) *bench {
	now := time.Unix(1e9, 0)
	return &bench{t: t, now: now, Machine: New(testRules(), now)}
}

func (b *bench) pass(d time.Duration) { b.now = b.now.Add(d) }

// want checks the state.
func (b *bench) want(s State) {
	b.t.Helper()
	b.took = append(b.took, b.Take()...)
	if got := b.State(); got != s {
		b.t.Fatalf("state %s, want %s; last %+v", got, s, b.Last())
	}
}

// asked reports whether an action was asked for since the last call.
func (b *bench) asked(k Kind) bool {
	b.took = append(b.took, b.Take()...)
	defer func() { b.took = nil }()
	for _, a := range b.took {
		if a.Kind == k {
			return true
		}
	}
	return false
}

func (b *bench) run() uint64 { return b.Status().Run }

// ready brings the engine up.
func (b *bench) ready() {
	b.t.Helper()
	b.RequestStart(b.now, CauseSubmission)
	b.want(Starting)
	b.Granted(b.run())
	b.Launched(b.run())
	b.BecameReady(b.now, b.run())
	b.want(Ready)
}

// fail has a start fail.
func (b *bench) fail(f Failure, counts bool) {
	b.t.Helper()
	b.want(Starting)
	b.StartFailed(b.now, b.run(), f, counts)
	b.want(Stopping)
	b.Stopped(b.now, b.run())
	b.want(Failed)
}

var broken = Failure{Code: "exited", Reason: "It ended."}

// crash has the ready engine end.
func (b *bench) crash() {
	b.t.Helper()
	b.Exited(b.now, b.run(), broken)
	b.want(Stopping)
	b.Stopped(b.now, b.run())
}

// sendOnce tells in the first minute that there are no unfinished jobs.
func (b *bench) sendOnce() {
	if b.now.Sub(b.Status().Since) <= time.Minute {
		b.Unfinished(b.now, 0, 0)
	}
}
