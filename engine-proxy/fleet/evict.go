package fleet

import (
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// everyone stands for all owners together; it is no owner's id.
const everyone = "\x00"

// fitsLocked reports whether there is room for an owner's next engine.
func (r *roster) fitsLocked(owner string) bool {
	return len(r.rooms) < r.limits.engines && r.roomsLocked(owner).all < r.limits.perOwner
}

// rooms are counts of the engines there are.
type rooms struct {
	all     int
	leaving int // asked to go
	oldest  *room
	since   time.Time // since when the oldest that may be asked to go has been idle
	next    time.Time // when one may be asked to go that was not idle for long enough yet
	idle    int       // that may be asked to go
}

// roomsLocked counts the engines of an owner, or of everyone.
func (r *roster) roomsLocked(owner string) rooms {
	var out rooms
	now := r.limits.now()
	for _, room := range r.rooms {
		if owner != everyone && room.owner != owner {
			continue
		}
		out.all++
		if room.evicting {
			out.leaving++
			continue
		}
		since, idle := room.tenant.idleSince()
		if !idle {
			continue
		}
		if free := since.Add(r.limits.idle); free.After(now) {
			if out.next.IsZero() || free.Before(out.next) {
				out.next = free
			}
			continue
		}
		out.idle++
		if out.oldest == nil || since.Before(out.since) {
			out.oldest, out.since = room, since
		}
	}
	return out
}

func (r *roster) waitingLocked(owner string) int {
	n := 0
	for of, queue := range r.queues {
		for _, t := range queue {
			if t.state == ticketWaiting && (owner == everyone || of == owner) {
				n++
			}
		}
	}
	return n
}

// refuseLocked returns a *RoomError if an owner's next engine finds no room,
// not even when idle ones go.
func (r *roster) refuseLocked(owner string) error {
	for _, c := range []struct {
		owner string // whose engines are counted
		most  int
	}{{owner, r.limits.perOwner}, {everyone, r.limits.engines}} {
		have := r.roomsLocked(c.owner)
		if have.all+r.waitingLocked(c.owner)+1-c.most <= have.leaving+have.idle {
			continue
		}
		refusal := &engineproxy.RoomError{Owner: c.owner != everyone, Most: c.most, RetryAfter: r.limits.retry}
		if left := have.next.Sub(r.limits.now()); !have.next.IsZero() && left < refusal.RetryAfter {
			refusal.RetryAfter = left
		}
		return refusal
	}
	return nil
}

// makeRoomLocked asks as many idle engines to go as wait for their room, those
// first that were idle for longest.
func (r *roster) makeRoomLocked() {
	for _, owner := range r.owners {
		r.askToGoLocked(owner, r.limits.perOwner)
	}
	r.askToGoLocked(everyone, r.limits.engines)
}

func (r *roster) askToGoLocked(owner string, most int) {
	for {
		have := r.roomsLocked(owner)
		if have.oldest == nil || have.all+r.waitingLocked(owner)-most <= have.leaving {
			return
		}
		have.oldest.evicting = true
		have.oldest.tenant.evict()
	}
}
