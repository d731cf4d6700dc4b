package drivertest

import "context"

// detached returns a context that outlives the test, for its cleaning up.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), patience)
}
