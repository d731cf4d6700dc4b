package cache

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// scopeOf returns the scope of a request under a policy that reads so much of it, nil for
// all requests: what no policy reads costs neither a look-up nor an entry.
func (c *Cache) scopeOf(ctx context.Context, reads policy.Reads) *sidecar.Scope {
	if reads == 0 {
		return nil
	}
	scope := sidecar.ScopeOf(reads, c.opts.Request(ctx))
	return &scope
}

// same reports whether two scopes have the same requests.
func same(a, b *sidecar.Scope) bool { return a == b || a != nil && b != nil && *a == *b }

// lastReads returns what the policy of the last answer reads. Where another one decides
// by now, what is found by it no longer stands.
func (c *Cache) lastReads() policy.Reads { return policy.Reads(c.reads.Load()) }

// learn notes what the policy of an answer reads, and returns the answer's scope.
func (c *Cache) learn(ctx context.Context, reads policy.Reads) *sidecar.Scope {
	if c.lastReads() != reads {
		c.reads.Store(uint32(reads))
	}
	return c.scopeOf(ctx, reads)
}

// place is where a store has the entry of a scope for what is at a place.
func (c *Cache) place(at uint64, of *sidecar.Scope) uint64 {
	if of == nil {
		return at
	}
	return at ^ maphash.Comparable(c.seed, *of)
}

// lifeOf returns how long an entry of a scope may be used.
func (c *Cache) lifeOf(of *sidecar.Scope) time.Duration {
	if of != nil && of.Timed() {
		return min(c.opts.Life, policy.TimedLife)
	}
	return c.opts.Life
}
