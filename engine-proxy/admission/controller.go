// Package admission decides which engine may start, when, and which idle one is
// evicted for it. It does no I/O, and knows time by its Limits.
package admission

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// ErrNoTurn is the error of a start whose turn did not come in time.
var ErrNoTurn = errors.New("no turn among the starts")

// Controller shares out what engines need of the machine. A start needs a turn,
// of which there is a limited number, so that not all become slow; and an engine
// needs a slot, counted for the machine and for its owner, from the start until
// it is gone. Owners take turns, so that one with many projects does not keep the
// others waiting. It is safe for concurrent use.
type Controller struct {
	mu     sync.Mutex // guards the following fields
	limits Limits
	turns  int                  // that are free
	owners []string             // with waiting tickets, in turn
	queues map[string][]*Ticket // per owner, first come first served
	slots  map[string]*slot     // of the engines there are, by project
}

// Limits of a Controller.
type Limits struct {
	Starts   int           // at once
	Engines  int           // of the machine
	PerOwner int           // engines of one owner
	Idle     time.Duration // an engine is not evicted before it was idle for so long
	Retry    time.Duration // what a refusal asks to wait when nothing better is known
	Now      func() time.Time
}

// Engine is what a controller knows of an engine that has a slot.
type Engine interface {
	// IdleSince returns since when it has had nothing to do, and whether it has
	// nothing to do now.
	IdleSince() (time.Time, bool)
	// Evict stops it unless it has work. It must not wait. Its answer is
	// Release or NotEvicted.
	Evict()
}

type slot struct {
	owner    string
	engine   Engine
	evicting bool
}

// Ticket is a place in the queue for a turn.
type Ticket struct {
	controller *Controller
	project    string
	owner      string
	engine     Engine
	granted    chan struct{} // closed when it has its turn, and a slot
	state      ticketState   // guarded by controller.mu
}

type ticketState int

const (
	ticketWaiting ticketState = iota
	ticketHeld
	ticketDone
)

// New returns a Controller without engines.
func New(l Limits) *Controller {
	return &Controller{
		limits: l, turns: l.Starts,
		queues: make(map[string][]*Ticket), slots: make(map[string]*slot),
	}
}

// Enter queues a project for a turn and a slot, or refuses with an
// *engineproxy.RoomError. The ticket must be closed, and Release called once the
// engine is gone.
func (c *Controller) Enter(project, owner string, e Engine) (*Ticket, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refuseLocked(owner); err != nil {
		return nil, err
	}
	t := &Ticket{controller: c, project: project, owner: owner, engine: e, granted: make(chan struct{})}
	if len(c.queues[owner]) == 0 {
		c.owners = append(c.owners, owner)
	}
	c.queues[owner] = append(c.queues[owner], t)
	c.admitLocked()
	return t, nil
}

// EnterSpare gives a project a slot if there is one that nobody needs now, and reports
// whether it did: none is evicted for it, and none that starts waits. Release must be
// called once the engine is gone.
func (c *Controller) EnterSpare(project, owner string, e Engine) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turns == 0 || c.waitingLocked(everyone) > 0 || !c.fitsLocked(owner) {
		return false
	}
	c.slots[project] = &slot{owner: owner, engine: e}
	return true
}

// Adopt gives a slot to an engine that runs already, whatever the limits say.
func (c *Controller) Adopt(project, owner string, e Engine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots[project] = &slot{owner: owner, engine: e}
}

// Release frees a project's slot, if it has one.
func (c *Controller) Release(project string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.slots, project)
	c.admitLocked()
}

// NotEvicted says that an engine that was to be evicted has work, and stays.
func (c *Controller) NotEvicted(project string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.slots[project]; s != nil && s.evicting {
		s.evicting = false
		c.admitLocked()
	}
}

// Resize changes how many slots there are. An engine that has one keeps it.
func (c *Controller) Resize(engines, perOwner int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limits.Engines, c.limits.PerOwner = engines, perOwner
	c.admitLocked()
}

// EvictOne evicts an idle engine, because the driver says that there is no room.
func (c *Controller) EvictOne() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.usageLocked(everyone); have.oldest != nil {
		have.oldest.evicting = true
		have.oldest.engine.Evict()
	}
}

// Wait returns once the ticket has its turn, and a slot; ErrNoTurn when ctx's time
// is over before.
func (t *Ticket) Wait(ctx context.Context) error {
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	if err := context.Cause(ctx); !errors.Is(err, clock.ErrDeadline) {
		return err
	}
	return ErrNoTurn
}

// Close gives the turn back, or leaves the queue. It may be called twice.
func (t *Ticket) Close() {
	c := t.controller
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.state == ticketHeld {
		c.turns++
	}
	t.state = ticketDone
	c.admitLocked()
}

// Recheck admits whoever fits, and evicts for the others: an engine may have
// become idle.
func (c *Controller) Recheck() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.admitLocked()
}

// admitLocked gives turns to whoever waits, in the owners' turn, passing over
// those for whom there is no slot yet.
func (c *Controller) admitLocked() {
	for passed := 0; c.turns > 0 && passed < len(c.owners); {
		owner := c.owners[0]
		c.owners = c.owners[1:]
		queue := c.queues[owner]
		t := queue[0]
		if t.state == ticketWaiting && !c.fitsLocked(owner) {
			c.owners = append(c.owners, owner)
			passed++
			continue
		}
		if queue = queue[1:]; len(queue) > 0 {
			c.queues[owner] = queue
			c.owners = append(c.owners, owner)
		} else {
			delete(c.queues, owner)
		}
		if t.state != ticketWaiting {
			continue // left the queue
		}
		passed = 0
		c.turns--
		t.state = ticketHeld
		c.slots[t.project] = &slot{owner: owner, engine: t.engine}
		close(t.granted)
	}
	c.evictWantedLocked()
}
