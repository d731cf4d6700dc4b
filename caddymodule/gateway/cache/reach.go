package cache

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// reachOf returns the reach of a request under a policy that reads so much of it, nil for
// all requests: what no policy reads costs neither a look-up nor an entry.
func (c *Cache) reachOf(ctx context.Context, reads policy.Reads) *sidecar.Reach {
	if reads == 0 {
		return nil
	}
	reach := sidecar.ReachOf(reads, c.opts.Request(ctx))
	return &reach
}

// same reports whether two reaches have the same requests.
func same(a, b *sidecar.Reach) bool { return a == b || a != nil && b != nil && *a == *b }

// lastReads returns what the policy of the last answer reads. Where another one decides
// by now, what is found by it no longer stands.
func (c *Cache) lastReads() policy.Reads { return policy.Reads(c.reads.Load()) }

// learn notes what the policy of an answer reads, and returns the answer's reach.
func (c *Cache) learn(ctx context.Context, reads policy.Reads) *sidecar.Reach {
	if c.lastReads() != reads {
		c.reads.Store(uint32(reads))
	}
	return c.reachOf(ctx, reads)
}

// place is where a store has the entry of a reach for what is at a place.
func (c *Cache) place(at uint64, of *sidecar.Reach) uint64 {
	if of == nil {
		return at
	}
	return at ^ maphash.Comparable(c.seed, *of)
}

// lifeOf returns how long an entry of a reach may be used.
func (c *Cache) lifeOf(of *sidecar.Reach) time.Duration {
	if of != nil && of.Timed() {
		return min(c.opts.Life, policy.TimedLife)
	}
	return c.opts.Life
}
