// Package rate limits how often things may happen per key: on this node
// alone, or together with others through Redis. Every limiter is a token
// bucket and keeps a bounded number of keys.
package rate

import (
	"context"
	"time"
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

	// Close frees what the limiter holds. Take must not be called after it.
	Close() error
}
