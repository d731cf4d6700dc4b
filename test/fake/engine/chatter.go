package fakeengine

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
)

// chatter has a job tell the time, in nanoseconds, as the message of a progress event,
// the first time at any moment of the first interval.
func (e *Engine) chatter(ctx context.Context, id string, every time.Duration) {
	next := time.NewTimer(rand.N(every))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(every)
		e.mu.Lock()
		e.event(e.job(id), api.EventProgress, map[string]any{
			"stage": api.StagePlanning, "percent": 10, "message": strconv.FormatInt(time.Now().UnixNano(), 10),
		})
		e.wake()
		e.mu.Unlock()
	}
}
