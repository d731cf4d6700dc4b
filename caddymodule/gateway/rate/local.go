package rate

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Local limits on this node alone. When it forgets a key for want of room,
// that key starts again with a full bucket.
type Local struct {
	now func() time.Time

	mu      sync.Mutex // guards buckets
	buckets *generations[bucket, *rate.Limiter]
}

// bucket names a bucket.
type bucket struct {
	key   string
	limit Limit
}

// NewLocal returns a limiter that remembers at least size keys, and at most
// twice as many. now is its clock.
func NewLocal(size int, now func() time.Time) *Local {
	return &Local{now: now, buckets: newGenerations[bucket, *rate.Limiter](size)}
}

// Take implements Limiter.
func (l *Local) Take(_ context.Context, key string, limit Limit) time.Duration {
	now := l.now()
	name := bucket{key, limit}
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens, ok := l.buckets.get(name)
	if !ok {
		tokens = rate.NewLimiter(rate.Every(limit.interval()), limit.Burst)
		l.buckets.put(name, tokens)
	}
	if tokens.AllowN(now, 1) {
		return 0
	}
	return max(untilToken(tokens, limit, now), 1)
}

// Wait returns how long it is until key's bucket has a token, 0 when it has
// one. It takes none, and does not make the limiter remember the key.
func (l *Local) Wait(key string, limit Limit) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens, ok := l.buckets.get(bucket{key, limit})
	if !ok {
		return 0
	}
	return untilToken(tokens, limit, l.now())
}

// Close implements Limiter.
func (l *Local) Close() error { return nil }

func untilToken(tokens *rate.Limiter, limit Limit, now time.Time) time.Duration {
	missing := 1 - tokens.TokensAt(now)
	return max(time.Duration(missing*float64(limit.interval())), 0)
}

// Interface guards
var _ Limiter = (*Local)(nil)
