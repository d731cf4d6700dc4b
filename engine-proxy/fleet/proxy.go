package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/admission"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/authority"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/settle"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
)

// roomRetry is what a refusal for want of room asks to wait when nothing
// better is known.
const roomRetry = 5 * time.Second

// Proxy implements Engines with one actor per project over a driver.
type Proxy struct {
	opts      Options
	log       *zap.Logger
	clock     clock.Clock
	layout    state.Layout
	archive   *archive.Store
	settler   *settle.Settler
	bounds    atomic.Pointer[settle.Bounds]
	frozen    atomic.Bool // the driver is unavailable
	ours      atomic.Bool // the ledger says that the engines are this installation's
	admission *admission.Controller
	metrics   *Metrics
	dial      engineclient.DialFunc // to engines of this machine; nil: as the network says
	// remote is the driver if it is one; else there are no authorities either,
	// which are set by Start.
	remote      driver.Remote
	authorities *authority.Authorities

	installation contract.Installation // set by Start

	// ctx ends with Close. No request's context ever reaches a start.
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	closing atomic.Bool
	// unserved leaves operators out: a test's clock would wait for them.
	unserved bool
	lock     *os.File
	// No engine that was found is stopped before this but on order.
	graceEnds time.Time
	server    *peer.Server // nil before Start
	gate      *peer.Gate   // before what server serves
	deciding  sync.Mutex   // held by starts that must see each other's decision

	mu     sync.Mutex       // guards the following fields
	rules  *lifecycle.Rules // of actors to come
	actors map[string]*actor
}

// CloseMode says what becomes of the engines when the engine proxy ends. No
// mode but StopAll stops an engine that works.
type CloseMode int

// The modes of Close.
const (
	// KeepEngines leaves every engine running, to be adopted at the next start.
	KeepEngines CloseMode = iota
	// StopIdle stops the engines that have nothing to do.
	StopIdle
	// StopAll stops every engine; unfinished jobs go on at the next start as
	// far as the engine can.
	StopAll
)

// New prepares an engine proxy over a data directory. Start makes it work.
func New(opts Options) (*Proxy, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	remoteDriver, elsewhere := opts.Driver.(driver.Remote)
	l, err := state.Open(opts.DataDir, elsewhere)
	if err != nil {
		return nil, err
	}
	store, err := archive.Open(l.Archive())
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		opts: opts, log: opts.Logger, clock: opts.Clock, layout: l, archive: store, remote: remoteDriver,
		metrics: opts.Metrics, actors: make(map[string]*actor),
		admission: admission.New(admission.Limits{
			Starts: opts.MaxStarts, Engines: opts.MaxEngines, PerOwner: opts.MaxPerOwner,
			Idle: opts.Timing.Evict, Retry: roomRetry, Now: opts.Clock.Now,
		}),
	}
	p.settler = &settle.Settler{
		Ledger: opts.Ledger, Archive: store, Egress: opts.Egress, Clock: opts.Clock, Logger: opts.Logger,
		Archived: opts.Metrics.archived, Breaches: opts.Metrics.breaches,
	}
	rules := opts.rules()
	p.rules = &rules
	p.bounds.Store(&settle.Bounds{Retain: opts.Retain, Most: opts.MaxArchive})
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Start adopts the engines that run, begins to look after jobs and feeds, and
// serves operators on SocketName. It returns once every engine is known, ready
// or recovering; ctx bounds that. It fails when another engine proxy works on
// the same data directory, or another data directory has the engines
// (ErrNotOurs). Close must be called after it, also if it failed.
func (p *Proxy) Start(ctx context.Context) error {
	if p.opts.TakeOver && !p.unserved {
		p.awaitPredecessor(ctx)
		// Who asks from here on waits for us. The one that listened before
		// learns of it, ends what it has under way, and frees the lock.
		if err := p.listen(); err != nil {
			return err
		}
	}
	if err := p.takeLock(ctx); err != nil {
		return err
	}
	if err := p.claimAtStart(ctx); err != nil {
		return err
	}
	var err error
	if p.remote != nil {
		if p.authorities, err = authority.Open(p.layout.Authority(), p.clock.Now()); err != nil {
			return err
		}
	}
	if err := p.startEgress(ctx); err != nil {
		return err
	}
	events, err := p.opts.Driver.Watch(p.ctx)
	if err != nil {
		return fmt.Errorf("watching engines: %w", err)
	}
	p.warnOfWeakIsolation()
	p.graceEnds = p.clock.Now().Add(p.opts.Timing.Grace)
	if err := p.recover(ctx); err != nil {
		return err
	}
	p.wg.Go(func() {
		for e := range events {
			p.handleEvent(e)
		}
	})
	p.wg.Go(p.reap)
	p.wg.Go(p.reconcile)
	p.wg.Go(p.sweep)
	p.wg.Go(p.replays)
	if p.unserved {
		return nil
	}
	if p.server == nil {
		if err := p.listen(); err != nil {
			return err
		}
	}
	p.gate.Open(p.handler())
	return nil
}

// TakenOver is closed once another engine proxy listens on SocketName and waits
// for this one's end. It should then be closed, with KeepEngines. Start must
// have returned.
func (p *Proxy) TakenOver() <-chan struct{} { return p.server.TakenOver() }

// Close ends the engine proxy, and according to mode engines. When it returns
// nothing of it works any more; ctx bounds the wait for engines. One that was
// taken over answers first what it has been asked.
func (p *Proxy) Close(ctx context.Context, mode CloseMode) error {
	var err error
	if p.takenOver() {
		err = p.server.Close()
	}
	p.closing.Store(true)
	for _, a := range p.all() {
		a.post(a.machine.Forbid) // what was wished for before, too
	}
	if mode != KeepEngines {
		err = errors.Join(err, p.stopAll(ctx, mode == StopAll))
	}
	p.cancel() // no turn of an actor begins from here on
	for _, a := range p.all() {
		a.leave()
	}
	if p.server != nil {
		err = errors.Join(err, p.server.Close())
	}
	p.wg.Wait()
	if p.opts.Egress != nil {
		err = errors.Join(err, p.opts.Egress.Close(ctx))
	}
	if p.lock != nil {
		err = errors.Join(err, state.Unlock(p.lock))
	}
	return err
}

func (p *Proxy) stopAll(ctx context.Context, force bool) error {
	actors := p.all()
	errs := make(chan error, len(actors))
	for _, a := range actors {
		p.wg.Go(func() {
			err := a.stopAndWait(ctx, force, false)
			if errors.Is(err, engineproxy.ErrBusy) {
				err = nil // it works on, and is adopted at the next start
			}
			errs <- err
		})
	}
	var all error
	for range actors {
		all = errors.Join(all, <-errs)
	}
	return all
}

// find returns a project's actor, or nil.
func (p *Proxy) find(projectID string) *actor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.actors[projectID]
}

// actor returns a project's actor, making it if need be.
func (p *Proxy) actor(projectID string) *actor {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.actors[projectID]
	if a == nil {
		a = newActor(p, projectID, p.rules)
		p.actors[projectID] = a
	}
	return a
}

// all returns every actor there is.
func (p *Proxy) all() []*actor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.actors))
}

var _ engineproxy.Engines = (*Proxy)(nil)
