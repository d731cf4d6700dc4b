package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// How long is waited before a request is sent again: doubled each time, and
// what the server asks for if that is more, up to a bound.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
)

// retry calls attempt until it succeeds, fails for good, or the attempts are
// used up. lasts says which errors are for good.
func (c *Client) retry(ctx context.Context, attempt func(context.Context) error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := attempt(ctx)
		if err == nil || n == c.opts.Attempts || ctx.Err() != nil || lasting(err) {
			return err
		}
		wait := pause
		if r, ok := errors.AsType[*Refusal](err); ok {
			wait = max(wait, r.after)
		}
		if err := c.opts.Sleep(ctx, min(wait, maxPause)); err != nil {
			return err
		}
		pause *= 2
	}
}

// lasting reports whether an error would come again, or the call is paid for.
func lasting(err error) bool {
	return errors.Is(err, ErrRefused) || errors.Is(err, ErrExhausted) || errors.Is(err, errTooLong) || errors.Is(err, ErrBroken) || errors.Is(err, errLeft)
}

// retryAfter reads the header in seconds; 0 without one.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxPause)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
