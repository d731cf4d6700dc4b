// Package rate limits how often things may happen per key: on this node
// alone, or together with others through Redis. Every limiter is a token
// bucket and keeps a bounded number of keys.
package rate

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// Limit is a token bucket: Rate tokens are added every Per, up to Burst. All
// three must be positive.
type Limit struct {
	Rate  int
	Burst int
	Per   time.Duration
}

// PerSecond returns a limit of n a second and bursts of up to burst.
func PerSecond(n, burst int) Limit { return Limit{Rate: n, Burst: burst, Per: time.Second} }

// interval is the time in which one token is added.
func (l Limit) interval() time.Duration { return l.Per / time.Duration(l.Rate) }

// Limiter hands out tokens. Implementations are safe for concurrent use.
type Limiter interface {
	// Take takes one token from key's bucket and returns 0, or takes nothing
	// and returns how long it is until there is one, always above 0. Another
	// limit for the same key is another bucket, and full at first. Take always
	// answers, also when ctx has ended.
	Take(ctx context.Context, key string, limit Limit) time.Duration
}

// Local limits on this node alone. A key that it forgets for want of room, the one
// that was used longest ago, starts again with a full bucket.
type Local[K comparable] struct {
	now func() time.Time

	mu      sync.Mutex // guards buckets
	buckets *simplelru.LRU[bucket[K], *rate.Limiter]
}

// bucket names a bucket.
type bucket[K comparable] struct {
	key   K
	limit Limit
}

// NewLocal returns a limiter that remembers size keys, which must be above 0. now is
// its clock.
func NewLocal[K comparable](size int, now func() time.Time) *Local[K] {
	return &Local[K]{now: now, buckets: newLRU[bucket[K], *rate.Limiter](size)}
}

// Take implements Limiter.
func (l *Local[K]) Take(_ context.Context, key K, limit Limit) time.Duration {
	now := l.now()
	name := bucket[K]{key, limit}
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens, ok := l.buckets.Get(name)
	if !ok {
		tokens = rate.NewLimiter(rate.Every(limit.interval()), limit.Burst)
		l.buckets.Add(name, tokens)
	}
	if tokens.AllowN(now, 1) {
		return 0
	}
	return max(untilToken(tokens, limit, now), 1)
}

// Wait returns how long it is until key's bucket has a token, 0 when it has
// one. It takes none, and does not make the limiter remember the key.
func (l *Local[K]) Wait(key K, limit Limit) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens, ok := l.buckets.Get(bucket[K]{key, limit})
	if !ok {
		return 0
	}
	return untilToken(tokens, limit, l.now())
}

func untilToken(tokens *rate.Limiter, limit Limit, now time.Time) time.Duration {
	missing := 1 - tokens.TokensAt(now)
	return max(time.Duration(missing*float64(limit.interval())), 0)
}

// newLRU returns a cache of size entries, which must be above 0.
func newLRU[K comparable, V any](size int) *simplelru.LRU[K, V] {
	cache, err := simplelru.NewLRU[K, V](size, nil)
	if err != nil {
		panic(err) // a size that is not above 0
	}
	return cache
}

// Interface guards
var _ Limiter = (*Local[string])(nil)
