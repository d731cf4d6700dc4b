package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errStalled ends a request whose answer says nothing.
var errStalled = errors.New("the model's endpoint fell silent")

// watch cancels a request unless alive is called again and again.
func (c *Client) watch(ctx context.Context, cancel context.CancelCauseFunc) (alive func()) {
	timer := time.AfterFunc(c.opts.Stall, func() { cancel(errStalled) })
	context.AfterFunc(ctx, func() { timer.Stop() })
	return func() { timer.Reset(c.opts.Stall) }
}

// stalled names the silence as the cause of an error that it led to.
func stalled(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return fmt.Errorf("%w: %w", errStalled, err)
	}
	return err
}
