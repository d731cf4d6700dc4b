package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// roster shares out what engines need of the machine. A start needs a turn,
// of which there is a limited number, so that not all become slow; and an
// engine needs room, counted for the machine and for its owner, from the start
// until it is gone. Owners take turns, so that one with many projects does not
// keep the others waiting.
type roster struct {
	mu     sync.Mutex // guards the following fields
	limits rosterLimits
	turns  int                  // that are free
	owners []string             // with waiting tickets, in turn
	queues map[string][]*ticket // per owner, first come first served
	rooms  map[string]*room     // of the engines there are, by project
}

type rosterLimits struct {
	turns    int // starts at once
	engines  int // of the machine
	perOwner int
	idle     time.Duration // an engine is not evicted before it was idle for so long
	retry    time.Duration // what a refusal asks to wait when nothing better is known
	now      func() time.Time
}

// tenant is what a roster knows of an engine that has room.
type tenant interface {
	// idleSince returns since when it has had nothing to do.
	idleSince() (time.Time, bool)
	// evict asks it to go. It answers by giving up its room, or by evicted.
	evict()
}

type room struct {
	owner    string
	tenant   tenant
	evicting bool
}

// ticket is a place in the queue for a turn.
type ticket struct {
	roster  *roster
	project string
	owner   string
	tenant  tenant
	granted chan struct{} // closed when it has its turn, and room
	state   ticketState   // guarded by roster.mu
}

type ticketState int

const (
	ticketWaiting ticketState = iota
	ticketHeld
	ticketDone
)

func newRoster(l rosterLimits) *roster {
	return &roster{
		limits: l, turns: l.turns,
		queues: make(map[string][]*ticket), rooms: make(map[string]*room),
	}
}

// enter queues a project for a turn and room, or refuses with a *RoomError.
// The ticket must be closed, and vacate called once the engine is gone.
func (r *roster) enter(project, owner string, t tenant) (*ticket, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refuseLocked(owner); err != nil {
		return nil, err
	}
	tk := &ticket{roster: r, project: project, owner: owner, tenant: t, granted: make(chan struct{})}
	if len(r.queues[owner]) == 0 {
		r.owners = append(r.owners, owner)
	}
	r.queues[owner] = append(r.queues[owner], tk)
	r.admitLocked()
	return tk, nil
}

// occupy gives room to an engine that runs already, whatever the caps say.
func (r *roster) occupy(project, owner string, t tenant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rooms[project] = &room{owner: owner, tenant: t}
}

// vacate gives a project's room back, if it has any.
func (r *roster) vacate(project string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rooms, project)
	r.admitLocked()
}

// stayed tells that an engine was asked to go and works.
func (r *roster) stayed(project string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if room := r.rooms[project]; room != nil && room.evicting {
		room.evicting = false
		r.admitLocked()
	}
}

// resize changes how much room there is. An engine that has some keeps it.
func (r *roster) resize(engines, perOwner int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limits.engines, r.limits.perOwner = engines, perOwner
	r.admitLocked()
}

// squeeze asks one idle engine to go, because what runs them says that there
// is no room.
func (r *roster) squeeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if have := r.roomsLocked(everyone); have.oldest != nil {
		have.oldest.evicting = true
		have.oldest.tenant.evict()
	}
}

// wait returns once the ticket has its turn, and room; errNoTurn when ctx's time
// is over before.
func (t *ticket) wait(ctx context.Context) error {
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	if err := context.Cause(ctx); !errors.Is(err, clock.ErrDeadline) {
		return err
	}
	return errNoTurn
}

// close gives the turn back, or leaves the queue. It may be called twice.
func (t *ticket) close() {
	r := t.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.state == ticketHeld {
		r.turns++
	}
	t.state = ticketDone
	r.admitLocked()
}

// look gives turns and makes room again: an engine may have become idle.
func (r *roster) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.admitLocked()
}

// admitLocked gives turns to whoever waits, in the owners' turn, passing over
// those for whom there is no room yet.
func (r *roster) admitLocked() {
	for passed := 0; r.turns > 0 && passed < len(r.owners); {
		owner := r.owners[0]
		r.owners = r.owners[1:]
		queue := r.queues[owner]
		t := queue[0]
		if t.state == ticketWaiting && !r.fitsLocked(owner) {
			r.owners = append(r.owners, owner)
			passed++
			continue
		}
		if queue = queue[1:]; len(queue) > 0 {
			r.queues[owner] = queue
			r.owners = append(r.owners, owner)
		} else {
			delete(r.queues, owner)
		}
		if t.state != ticketWaiting {
			continue // left the queue
		}
		passed = 0
		r.turns--
		t.state = ticketHeld
		r.rooms[t.project] = &room{owner: owner, tenant: t.tenant}
		close(t.granted)
	}
	r.makeRoomLocked()
}
