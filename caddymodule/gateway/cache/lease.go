package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

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
