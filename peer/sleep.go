package peer

import (
	"context"
	"time"
)

// Sleep waits. It returns false once ctx is done.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
