package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/streams"
)

// A visit is asked about every visitEvery, and for visitTimeout at most: a second
// after its end no event goes out.
const (
	visitEvery   = 500 * time.Millisecond
	visitTimeout = 400 * time.Millisecond
)

// visit is the time for which somebody is let in by other means than a key. As a
// Gate it pauses a stream while no one can say whether that is over.
type visit struct {
	ended func(context.Context) (bool, error)

	mu   sync.Mutex    // guards sure
	sure chan struct{} // closed while the last answer is that the visit goes on
}

// newVisit returns a visit that has just begun.
func newVisit(ended func(context.Context) (bool, error)) *visit {
	v := &visit{ended: ended, sure: make(chan struct{})}
	close(v.sure)
	return v
}

// watch ends a stream with the visit. It returns then, or once ctx is done.
func (v *visit) watch(ctx context.Context, s *streams.Stream) {
	tick := time.NewTicker(visitEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		ended, err := v.look(ctx)
		if err == nil && ended {
			s.End(streams.ReasonSessionEnded)
			return
		}
		v.note(err == nil)
	}
}

func (v *visit) look(ctx context.Context) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	return v.ended(ctx)
}

// note notes whether it is sure that the visit goes on.
func (v *visit) note(sure bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-v.sure:
		if !sure {
			v.sure = make(chan struct{})
		}
	default:
		if sure {
			close(v.sure)
		}
	}
}

func (v *visit) known() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sure
}

// Fresh implements streams.Gate.
func (v *visit) Fresh() bool {
	select {
	case <-v.known():
		return true
	default:
		return false
	}
}

// AwaitFresh implements streams.Gate.
func (v *visit) AwaitFresh(ctx context.Context) error {
	select {
	case <-v.known():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Interface guards
var _ streams.Gate = (*visit)(nil)
