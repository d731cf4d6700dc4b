package cache

import (
	"hash/maphash"
	"sync/atomic"
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

// invalidate begins a new epoch for a group.
func (e *epochs) invalidate(shard uint64) {
	next := e.current.Load() + 1
	e.last[shard].Store(next)
	e.current.Store(next)
}

// invalidateAll begins a new epoch for every group.
func (e *epochs) invalidateAll() {
	next := e.current.Load() + 1
	for shard := range e.last {
		e.last[shard].Store(next)
	}
	e.current.Store(next)
}

// stands reports whether nothing in the group was invalidated after since.
func (e *epochs) stands(shard, since uint64) bool { return e.last[shard].Load() <= since }
