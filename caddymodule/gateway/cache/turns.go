package cache

import (
	"context"
	"fmt"
	"sync"
)

// turns has look-ups of one kind made one at a time where they are for the same place, and
// those who waited use what was found. Else thousands of streams that are opened at once
// have the sidecar decide the same thousands of times, and those that come last find it out
// of time.
type turns[V any] struct {
	mu  sync.Mutex // guards the following field, and asks and looks of each queue
	all map[uint64]*queue[V]
}

// queue is of those who ask for what is at one place.
type queue[V any] struct {
	turn  chan struct{} // holds a token while it is the turn of one, who alone uses the fields after looks
	asks  int           // those who wait, and whose turn it is
	looks int           // that were begun
	found bool          // the last one has found value
	value V
	fails int   // number of the last one that failed
	err   error // its
}

// do returns what look finds when its turn comes, or with shared what another look has found
// that still stands then. It fails with another's error where all of that look was awaited;
// one that began before had less time, and one whose ctx is done says nothing to others.
func (t *turns[V]) do(ctx context.Context, at uint64, stands func(V) bool, look func() (V, error)) (value V, shared bool, err error) {
	q, came := t.enter(at)
	defer t.leave(at, q)
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-ctx.Done():
		return value, false, fmt.Errorf("waiting for what another request looks up: %w", ctx.Err())
	}
	switch {
	case q.found && stands(q.value):
		return q.value, true, nil
	case q.fails > came:
		return value, true, q.err
	}
	number := t.begin(q)
	value, err = look()
	if q.found = err == nil; q.found {
		q.value = value
	} else if ctx.Err() == nil {
		q.fails, q.err = number, err
	}
	return value, false, err
}

// enter returns the queue of a place, and how many looks were begun there before.
func (t *turns[V]) enter(at uint64) (q *queue[V], came int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = make(map[uint64]*queue[V])
	}
	if q = t.all[at]; q == nil {
		q = &queue[V]{turn: make(chan struct{}, 1)}
		t.all[at] = q
	}
	q.asks++
	return q, q.looks
}

// begin returns the number of a look.
func (t *turns[V]) begin(q *queue[V]) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	q.looks++
	return q.looks
}

func (t *turns[V]) leave(at uint64, q *queue[V]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.asks--; q.asks == 0 {
		delete(t.all, at)
	}
}
