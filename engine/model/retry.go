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
// used up. What was received before a failure is thrown away: a half answer is
// none.
func (c *Client) retry(ctx context.Context, attempt func(context.Context) error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := attempt(ctx)
		if err == nil || n == c.opts.Attempts || ctx.Err() != nil ||
			errors.Is(err, ErrRefused) || errors.Is(err, ErrExhausted) || errors.Is(err, errTooLong) {
			return err
		}
		wait := pause
		var refused *Refusal
		if errors.As(err, &refused) {
			wait = max(wait, refused.after)
		}
		if err := c.opts.Sleep(ctx, min(wait, maxPause)); err != nil {
			return err
		}
		pause *= 2
	}
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
