package admission

import (
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// everyone stands for all owners together; it is no owner's id.
const everyone = "\x00"

// fitsLocked reports whether there is a slot for an owner's next engine.
func (c *Controller) fitsLocked(owner string) bool {
	return len(c.slots) < c.limits.Engines && c.usageLocked(owner).all < c.limits.PerOwner
}

// usage are counts of the engines there are.
type usage struct {
	all     int
	leaving int // being evicted
	oldest  *slot
	since   time.Time // since when the oldest that may be evicted has been idle
	next    time.Time // when one may be evicted that was not idle for long enough yet
	idle    int       // that may be evicted
}

// usageLocked counts the engines of an owner, or of everyone.
func (c *Controller) usageLocked(owner string) usage {
	var out usage
	now := c.limits.Now()
	for _, s := range c.slots {
		if owner != everyone && s.owner != owner {
			continue
		}
		out.all++
		if s.evicting {
			out.leaving++
			continue
		}
		since, idle := s.engine.IdleSince()
		if !idle {
			continue
		}
		if free := since.Add(c.limits.Idle); free.After(now) {
			if out.next.IsZero() || free.Before(out.next) {
				out.next = free
			}
			continue
		}
		out.idle++
		if out.oldest == nil || since.Before(out.since) {
			out.oldest, out.since = s, since
		}
	}
	return out
}

func (c *Controller) waitingLocked(owner string) int {
	n := 0
	for of, queue := range c.queues {
		for _, t := range queue {
			if t.state == ticketWaiting && (owner == everyone || of == owner) {
				n++
			}
		}
	}
	return n
}

// refuseLocked returns a *engineproxy.RoomError if an owner's next engine finds no slot,
// not even when idle ones are evicted.
func (c *Controller) refuseLocked(owner string) error {
	for _, bound := range []struct {
		owner string // whose engines are counted
		most  int
	}{{owner, c.limits.PerOwner}, {everyone, c.limits.Engines}} {
		have := c.usageLocked(bound.owner)
		if have.all+c.waitingLocked(bound.owner)+1-bound.most <= have.leaving+have.idle {
			continue
		}
		refusal := &engineproxy.RoomError{Owner: bound.owner != everyone, Most: bound.most, RetryAfter: c.limits.Retry}
		if left := have.next.Sub(c.limits.Now()); !have.next.IsZero() && left < refusal.RetryAfter {
			refusal.RetryAfter = left
		}
		return refusal
	}
	return nil
}

// evictWantedLocked evicts as many idle engines as wait for their slots, those
// first that were idle for longest.
func (c *Controller) evictWantedLocked() {
	for _, owner := range c.owners {
		c.evictForLocked(owner, c.limits.PerOwner)
	}
	c.evictForLocked(everyone, c.limits.Engines)
}

func (c *Controller) evictForLocked(owner string, most int) {
	for {
		have := c.usageLocked(owner)
		if have.oldest == nil || have.all+c.waitingLocked(owner)-most <= have.leaving {
			return
		}
		have.oldest.evicting = true
		have.oldest.engine.Evict()
	}
}
