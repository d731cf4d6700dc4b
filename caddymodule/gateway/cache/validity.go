package cache

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// shards is how many groups the keys fall into: an invalidation makes the
// whole group be looked up again.
const shards = 1024

// epochs tells what was invalidated since. One goroutine invalidates; any may
// ask.
type epochs struct {
	current atomic.Uint64
	last    [shards]atomic.Uint64 // the epoch of each group's last invalidation
}

var shardSeed = maphash.MakeSeed()

func newEpochs() *epochs { return new(epochs) }

func shardOf(keyID string) uint64 { return maphash.String(shardSeed, keyID) % shards }

// now returns the epoch that a look-up which begins now belongs to.
func (e *epochs) now() uint64 { return e.current.Load() }

// invalidate begins a new epoch for a group. The epoch is current before the group is
// marked with it: a look-up that begins between the two asks for what is new already, and
// would otherwise be overtaken for as long as this goroutine has no processor.
func (e *epochs) invalidate(shard uint64) {
	e.last[shard].Store(e.current.Add(1))
}

// invalidateAll begins a new epoch for every group.
func (e *epochs) invalidateAll() {
	next := e.current.Add(1)
	for shard := range e.last {
		e.last[shard].Store(next)
	}
}

// stands reports whether nothing in the group was invalidated after since.
func (e *epochs) stands(shard, since uint64) bool { return e.last[shard].Load() <= since }

// lease says whether the revocation log was reached lately.
type lease struct {
	length time.Duration
	began  atomic.Pointer[time.Time] // of the last contact that reached the log's end

	mu      sync.Mutex    // guards renewed
	renewed chan struct{} // closed at the next renewal
}

func newLease(length time.Duration) *lease {
	return &lease{length: length, renewed: make(chan struct{})}
}

// holds reports whether a contact that began less than the lease's length
// before now reached the end of the log.
func (l *lease) holds(now time.Time) bool {
	began := l.began.Load()
	return began != nil && now.Sub(*began) < l.length
}

// renew records a contact that began at the given time.
func (l *lease) renew(began time.Time) {
	l.began.Store(&began)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.renewed)
	l.renewed = make(chan struct{})
}

// await returns once the lease holds, or ctx's error.
func (l *lease) await(ctx context.Context) error {
	for {
		l.mu.Lock()
		renewed := l.renewed
		l.mu.Unlock()
		if l.holds(time.Now()) {
			return nil
		}
		select {
		case <-renewed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

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
