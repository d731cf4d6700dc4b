package drivertest

import (
	"context"

	"github.com/svc-games/svc/test/wait"
)

// detached returns a context that outlives the test, for its cleaning up.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return wait.Within(context.WithoutCancel(ctx), wait.Patience)
}
