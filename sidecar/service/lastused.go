package service

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/store"
)

// lastUsedEvery is how exact the time of a key's last use is. Noting each use
// would turn every read into a write.
const lastUsedEvery = time.Minute

// lastUsed writes in the background when keys were used: the check of a key must not
// wait for a store that is locked or unreachable.
type lastUsed struct {
	store  *store.Store
	now    func() time.Time
	logger *zap.Logger
	wake   chan struct{} // holds one token while something is pending
	ended  chan struct{} // closed when nothing is written any more

	mu      sync.Mutex // guards the following fields
	closed  bool
	noted   map[string]time.Time // when each key's use was noted last, of those used lately
	cleared time.Time            // when noted was rid of the others
	pending map[string]time.Time // what is not written yet
}

func newLastUsed(s *store.Store, now func() time.Time, logger *zap.Logger) *lastUsed {
	l := &lastUsed{
		store: s, now: now, logger: logger, wake: make(chan struct{}, 1), ended: make(chan struct{}),
		noted: make(map[string]time.Time), pending: make(map[string]time.Time),
	}
	go l.run()
	return l
}

// note records that a key is used now, unless a use less than a minute ago is
// recorded. It waits for nothing.
func (l *lastUsed) note(keyID string) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, noted := l.noted[keyID]; l.closed || noted && now.Sub(last) < lastUsedEvery {
		return
	}
	l.noted[keyID], l.pending[keyID] = now, now
	select {
	case l.wake <- struct{}{}:
	default: // it is awake, and will find this one too
	}
}

// run writes until close. While one write is under way the next ones gather. A
// use that could not be written is noted again with the key's next use, a minute
// later.
func (l *lastUsed) run() {
	defer close(l.ended)
	for range l.wake {
		uses := l.take()
		if err := l.write(uses); err != nil {
			l.logger.Warn("last uses of keys not noted", zap.Int("keys", len(uses)), zap.Error(err))
		}
	}
}

func (l *lastUsed) take() map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); now.Sub(l.cleared) >= lastUsedEvery {
		l.cleared = now
		maps.DeleteFunc(l.noted, func(_ string, at time.Time) bool { return now.Sub(at) >= lastUsedEvery })
	}
	uses := l.pending
	l.pending = make(map[string]time.Time)
	return uses
}

func (l *lastUsed) write(uses map[string]time.Time) error {
	return l.store.Update(context.Background(), func(tx *store.Tx) error {
		for _, keyID := range slices.Sorted(maps.Keys(uses)) { // the order in which all lock keys
			at := uses[keyID].UnixMilli()
			if _, err := tx.Exec("UPDATE keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?", at, keyID, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// close returns when all that was noted is written. Closing twice is allowed.
func (l *lastUsed) close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.wake) // what is in it is still received
	}
	l.mu.Unlock()
	<-l.ended
}
