package cache

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// scopeOf returns the scope of a request under a policy that reads so much of it. That
// of one which reads nothing costs a look-up nothing.
func (c *Cache) scopeOf(ctx context.Context, reads policy.Reads) sidecar.Scope {
	if reads == 0 {
		return sidecar.Scope{}
	}
	return sidecar.ScopeOf(reads, c.opts.Request(ctx))
}

// lastReads returns what the policy of the last answer reads. Where another one decides
// by now, what is found by it no longer stands.
func (c *Cache) lastReads() policy.Reads { return policy.Reads(c.reads.Load()) }

// learn notes what the policy of an answer reads, and returns the answer's scope.
func (c *Cache) learn(ctx context.Context, reads policy.Reads) sidecar.Scope {
	if c.lastReads() != reads {
		c.reads.Store(uint32(reads))
	}
	return c.scopeOf(ctx, reads)
}

// place is where a store has the entry of a scope for what is at a place.
func (c *Cache) place(at uint64, of sidecar.Scope) uint64 {
	if of.Reads == 0 {
		return at
	}
	return at ^ maphash.Comparable(c.seed, of)
}

// lifeOf returns how long an entry of a scope may be used.
func (c *Cache) lifeOf(of sidecar.Scope) time.Duration {
	if of.Timed() {
		return min(c.opts.Life, policy.TimedLife)
	}
	return c.opts.Life
}
