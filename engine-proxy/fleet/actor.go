package fleet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/admission"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/settle"
)

// actor owns the lifecycle of one project's engine: it tells the machine what
// happened and does what the machine asks for. Its fields belong to whoever has
// its turn, which post and do give to one at a time, and who never waits: what
// takes time runs apart and comes back for a turn. An actor whose engine is
// absent costs its memory alone.
type actor struct {
	px    *Proxy
	id    string
	view  atomic.Pointer[view]
	idle  atomic.Int64 // since when the engine has nothing to do, in Unix nanoseconds; 0: it has
	quiet atomic.Bool  // the engine is absent, and no job unfinished as far as is known

	turn sync.Mutex // guards the following fields

	owner     string
	machine   *lifecycle.Machine
	run       *incarnation     // nil when absent or failed
	published lifecycle.Status // as it was published last
	refused   error            // why the last start was not let in

	adoptable adoptable          // by the journal, to be adopted
	jobs      []contract.OpenJob // unfinished, as the ledger said last
	fencing   bool               // the overdue ones among them are being fenced

	overrun  settle.Overrun
	bounding bool // an overdue job is being ended
	deleted  bool // the project is; its engine never starts again

	forgotten atomic.Bool // nothing is left of the project
}

// view is what others may see without asking the actor.
type view struct {
	state   engineproxy.State
	target  string // instance id
	client  *engineclient.Client
	changed chan struct{} // closed when the view is replaced
}

func newActor(p *Proxy, projectID string, rules *lifecycle.Rules) *actor {
	a := &actor{px: p, id: projectID, machine: lifecycle.New(rules, p.clock.Now())}
	a.machine.SetDriver(!p.frozen.Load())
	a.published = a.machine.Status()
	a.view.Store(&view{state: engineproxy.StateAbsent, changed: make(chan struct{})})
	return a
}

// leave is the actor's last turn, when the proxy has ended.
func (a *actor) leave() {
	a.turn.Lock()
	defer a.turn.Unlock()
	if a.run != nil {
		a.run.end() // the instance runs on
	}
	a.px.metrics.leave(a.published.State)
}

// post runs f in a turn of its own; false when the proxy has ended.
func (a *actor) post(f func()) bool {
	a.turn.Lock()
	defer a.turn.Unlock()
	if a.px.ctx.Err() != nil {
		return false
	}
	f()
	return true
}

// do is post for who asks in a context, which has not ended when f runs.
func (a *actor) do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !a.post(f) {
		return errEnded
	}
	return nil
}

// async runs work outside the actor's turns, and what it returns in one.
func (a *actor) async(work func() func()) {
	a.px.wg.Go(func() {
		if then := work(); then != nil {
			a.post(then)
		}
	})
}

// step tells the machine something, does what it asks for and publishes what
// has become of the engine.
func (a *actor) step(send func(m *lifecycle.Machine, now time.Time)) {
	send(a.machine, a.px.clock.Now())
	for actions := a.machine.Take(); len(actions) > 0; actions = a.machine.Take() {
		for _, act := range actions {
			a.perform(act)
		}
		a.publish()
	}
	a.publish()
}

// stepping returns what steps, for a turn to come.
func (a *actor) stepping(send func(m *lifecycle.Machine, now time.Time)) func() {
	return func() { a.step(send) }
}

// perform begins an action. Its outcome has a turn of its own.
func (a *actor) perform(act lifecycle.Action) {
	switch act.Kind {
	case lifecycle.Queue:
		a.queue(act.Run)
		return
	case lifecycle.Adopt:
		a.adopt(act.Run)
		return
	case lifecycle.Review:
		a.review()
		return
	case lifecycle.GiveUp:
		a.giveUp()
		return
	}
	r := a.run
	if r == nil || r.number != act.Run {
		return
	}
	switch act.Kind {
	case lifecycle.Launch:
		a.launch(r)
	case lifecycle.Probe:
		a.probe(r)
	case lifecycle.Attend:
		a.attend(r)
	case lifecycle.Inspect:
		a.inspect(r)
	case lifecycle.Drain:
		a.drain(r)
	case lifecycle.Undrain:
		a.undrain(r)
	case lifecycle.Abort:
		r.abort()
	case lifecycle.Stop:
		a.stop(r)
	}
}

// publish tells everyone who waits what the engine has become.
func (a *actor) publish() {
	now, was := a.machine.Status(), a.published
	a.published = now
	a.idle.Store(0)
	if since, idle := a.machine.IdleSince(); idle {
		a.idle.Store(since.UnixNano())
	}
	a.reportPhases(was, now)
	if now.State != was.State {
		a.stateChanged(was, now)
	}
	a.quiet.Store(now.State == engineproxy.StateAbsent && len(a.jobs) == 0)
	v := &view{state: now.State, target: a.run.instance(), changed: make(chan struct{})}
	if a.run != nil {
		v.client = a.run.client
	}
	old := a.view.Load()
	if now.State == was.State && now.Phase == was.Phase && old.target == v.target && old.client == v.client {
		return
	}
	a.view.Store(v)
	close(old.changed)
}

// stateChanged deals with what every change of state brings.
func (a *actor) stateChanged(was, now lifecycle.Status) {
	last := a.machine.Last()
	a.px.log.Info("engine changed state", zap.String("project", a.id),
		zap.String("from", string(was.State)), zap.String("to", string(now.State)),
		zap.String("cause", string(last.Cause)), zap.String("instance", a.run.instance()))
	a.px.metrics.transition(was.State, now.State, last.Cause)
	switch now.State {
	case engineproxy.StateReady:
		if was.State == engineproxy.StateDraining {
			a.px.admission.NotEvicted(a.id)
		}
	case engineproxy.StateAbsent, engineproxy.StateFailed:
		if a.run != nil {
			a.run.end()
			a.run = nil
		}
		a.px.admission.Release(a.id)
	}
	if now.State == engineproxy.StateFailed && !now.Failure.Fatal {
		a.reviewAt(now.Failure.NextAt)
	}
}

// IdleSince implements admission.Engine.
func (a *actor) IdleSince() (time.Time, bool) {
	since := a.idle.Load()
	return time.Unix(0, since), since != 0
}

// Evict implements admission.Engine.
func (a *actor) Evict() {
	a.px.wg.Go(func() {
		a.post(a.stepping(func(m *lifecycle.Machine, now time.Time) {
			if !m.Evict(now) && m.State() != engineproxy.StateStopping {
				a.px.admission.NotEvicted(a.id)
			}
		}))
	})
}

var _ admission.Engine = (*actor)(nil)
