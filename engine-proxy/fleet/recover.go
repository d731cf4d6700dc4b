package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
)

const adoptRetry = time.Second // while the driver is unavailable

// recover finds the engines that run already: those of the journals, and
// those the driver sees on our volumes. It returns once all are known; they
// become ready, or turn out to be gone, afterwards.
func (p *Proxy) recover(ctx context.Context) error {
	seen, err := p.opts.Driver.List(ctx)
	if err != nil {
		// The journals' handles are asked one by one, until there is an answer.
		p.log.Error("listing engines failed", zap.Error(err))
	}
	running := make(map[string][]driver.Observed)
	for _, obs := range seen {
		if api.ValidProjectID(obs.ProjectID) && obs.Volume == p.layout.Volume(obs.ProjectID) {
			running[obs.ProjectID] = append(running[obs.ProjectID], obs)
		}
	}
	known, err := p.layout.Projects()
	if err != nil {
		return err
	}
	for id := range running {
		if !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	for _, id := range known {
		if id == p.replaysID() {
			continue
		}
		if err := p.recoverProject(ctx, id, running[id]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Proxy) recoverProject(ctx context.Context, id string, running []driver.Observed) error {
	e, err := state.ReadEntry(p.layout.State(id))
	if err != nil {
		// One project's journal must not keep the others from working. Its
		// own engine is not started before the journal is repaired.
		p.log.Error("reading engine journal failed", zap.String("project", id), zap.Error(err))
		e.Unread = true
	}
	e.ProjectID = id
	chooseInstance(&e, running)
	if errors.Is(err, state.ErrDamaged) && e.Generation > 0 {
		p.rebuildJournal(&e)
	}
	a := p.actor(id)
	if e.InstanceID == "" {
		return a.do(ctx, func() { a.owner = e.OwnerID })
	}
	token, err := state.ReadToken(p.layout.Token(id))
	if err != nil && (len(running) > 0 || !errors.Is(err, fs.ErrNotExist)) { // in a restored place both are gone
		// Without it no answer of the engine is ever taken, and it is stopped in the end.
		p.log.Error("reading engine token failed", zap.String("project", id), zap.Error(err))
	}
	if err == nil {
		p.reopenEgress(e, token)
	}
	return a.do(ctx, func() {
		a.owner, a.adoptable = e.OwnerID, adoptable{entry: e, token: token}
		a.step(func(m *lifecycle.Machine, now time.Time) { m.Adopt(now) })
	})
}

// rebuildJournal writes a damaged journal anew from what its running engine is.
func (p *Proxy) rebuildJournal(e *state.Entry) {
	e.At = p.clock.Now().UTC()
	if err := state.ReplaceDamaged(p.layout.State(e.ProjectID), *e); err != nil {
		p.log.Error("writing damaged engine journal anew failed", zap.String("project", e.ProjectID), zap.Error(err))
		return
	}
	e.Unread = false
	p.log.Warn("damaged engine journal was written anew from the running engine", zap.String("project", e.ProjectID),
		zap.Uint64("generation", e.Generation), zap.String("kept", state.DamagedFile))
}

// chooseInstance chooses the instance that a journal's engine is: the one it names, or
// with a journal that names none that is seen, one that runs on the volume
// nevertheless. Any other is an orphan, which reconcile deals with.
func chooseInstance(e *state.Entry, running []driver.Observed) {
	if len(running) == 0 {
		return
	}
	obs := running[0]
	for _, other := range running {
		if other.InstanceID == e.InstanceID {
			obs = other
		}
	}
	e.InstanceID, e.Handle = obs.InstanceID, obs.Handle
	e.Generation = max(e.Generation, obs.Generation)
	e.SetEndpoint(obs.Endpoint)
}

// adopt looks for the engine of the journal: it is ours if driver and engine
// say so. One that runs and does not answer is not stopped before its grace.
func (a *actor) adopt(number uint64) {
	l := a.adoptable
	r := a.newIncarnation(number)
	r.entry, r.token = l.entry, l.token
	a.run = r
	a.px.admission.Adopt(a.id, a.owner, a)
	a.async(func() func() {
		obs, err := a.px.adoptInstance(r.ctx, l.entry)
		if err == nil && obs.Running && obs.Endpoint.IsZero() {
			obs.Endpoint, err = a.px.locate(r.ctx, obs.Handle)
		}
		if err != nil {
			return func() { a.startFailed(r, err) }
		}
		if !obs.Running {
			if err := a.px.removeInstance(l.entry); err != nil {
				a.px.log.Error("clearing journal of a gone engine failed", zap.String("project", a.id), zap.Error(err))
			}
			a.px.metrics.adopted(outcomeGone)
			return a.stepping(func(m *lifecycle.Machine, now time.Time) { m.Vanished(now, r.number) })
		}
		if a.do(r.ctx, func() {
			r.entry.Handle = obs.Handle
			r.entry.SetEndpoint(obs.Endpoint)
			a.connect(r)
			r.observed(obs)
		}) != nil {
			return func() { a.startFailed(r, context.Cause(r.ctx)) }
		}
		ready, err := a.px.probeAdopted(r)
		if err != nil && !errors.Is(err, errStopped) {
			a.px.metrics.adopted(outcomeSilent)
		}
		return func() { a.probed(r, ready, err) }
	})
}

// probeAdopted asks an engine that was found until it is ready. One that does not
// answer gets the rest of its grace, in which it may end, or be stopped on order.
func (p *Proxy) probeAdopted(r *incarnation) (contract.Ready, error) {
	ctx, cancel := clock.Within(r.ctx, p.clock, p.opts.Timing.Recover)
	ready, err := p.probe(ctx, r.client, nil)
	if err == nil {
		err = p.undrainAdopted(ctx, r)
	}
	cancel()
	if err == nil {
		return ready, nil
	}
	if left := p.graceEnds.Sub(p.clock.Now()); left > 0 {
		if err := clock.Sleep(r.ctx, p.clock, left); err != nil {
			return ready, err
		}
	}
	return ready, err
}

// adoptInstance asks the driver until it knows whether the instance runs.
func (p *Proxy) adoptInstance(ctx context.Context, e state.Entry) (driver.Observed, error) {
	for {
		obs, err := p.adoptInstanceOnce(ctx, e)
		switch {
		case err == nil:
			return obs, nil
		case errors.Is(err, driver.ErrNotFound), errors.Is(err, driver.ErrIdentity):
			return driver.Observed{}, nil
		}
		p.log.Warn("adopting engine failed", zap.String("project", e.ProjectID), zap.Error(err))
		if err := clock.Sleep(ctx, p.clock, adoptRetry); err != nil {
			return driver.Observed{}, err
		}
	}
}

func (p *Proxy) adoptInstanceOnce(ctx context.Context, e state.Entry) (driver.Observed, error) {
	ctx, cancel := clock.Within(ctx, p.clock, callDeadline)
	defer cancel()
	if !e.Handle.IsZero() {
		obs, err := p.opts.Driver.Adopt(ctx, e.Handle)
		if err == nil && obs.InstanceID != e.InstanceID {
			return obs, driver.ErrIdentity
		}
		return obs, err
	}
	// The last engine proxy ended between deciding on a start and noting it.
	handle, err := p.findHandle(ctx, e)
	switch {
	case err != nil:
		return driver.Observed{}, err
	case handle.IsZero():
		return driver.Observed{}, driver.ErrNotFound
	}
	return p.opts.Driver.Adopt(ctx, handle)
}

// findHandle finds what a start made that was not noted; an empty handle if there
// is nothing.
func (p *Proxy) findHandle(ctx context.Context, e state.Entry) (driver.Handle, error) {
	list, err := p.opts.Driver.List(ctx)
	if err != nil {
		return driver.Handle{}, fmt.Errorf("looking for a start that was not noted: %w", err)
	}
	for _, obs := range list {
		if obs.InstanceID == e.InstanceID && obs.Volume == p.layout.Volume(e.ProjectID) {
			return obs.Handle, nil
		}
	}
	return driver.Handle{}, nil
}
