package model

import (
	"context"
	"fmt"
	"time"
)

// Errors that end a request whose answer does not go on. It is paid all the same.
var (
	errSilent  = fmt.Errorf("%w: the model sent nothing for too long", ErrBroken)
	errStalled = fmt.Errorf("%w: the model's endpoint fell silent", ErrBroken)
	errSlow    = fmt.Errorf("%w: the model took too long in all", ErrBroken)
)

// watch bounds the time of one answer: to its first token, between what comes
// then, and in all. Lines that say nothing put off the end of a silence as well:
// somebody is at work.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	total   *time.Timer
	silence time.Duration // that is borne
	stall   time.Duration // from the first token on
}

// watch returns the context that the bounds end.
func (c *Client) watch(ctx context.Context, first time.Duration) (context.Context, *watch) {
	w := &watch{silence: first, stall: c.opts.Stall}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(first, func() { w.cancel(errSilent) })
	w.total = time.AfterFunc(c.opts.Total, func() { w.cancel(errSlow) })
	return w.ctx, w
}

// alive is called for each line.
func (w *watch) alive() { w.timer.Reset(w.silence) }

// arrived is called for each piece of the answer.
func (w *watch) arrived() {
	if w.silence == w.stall {
		return
	}
	w.timer.Stop()
	w.silence = w.stall
	w.timer = time.AfterFunc(w.stall, func() { w.cancel(errStalled) })
}

// end stops the watch. It may be called again.
func (w *watch) end() {
	w.timer.Stop()
	w.total.Stop()
	w.cancel(nil)
}

// named names the silence as the cause of an error that it led to.
func (w *watch) named(err error) error {
	for _, cause := range []error{errSilent, errStalled, errSlow} {
		if context.Cause(w.ctx) == cause {
			return fmt.Errorf("%w: %w", cause, err)
		}
	}
	return err
}
