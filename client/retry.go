package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// callBudget bounds how long a call that is no submission is tried again. What
// keeps the service from answering it passes in seconds, and someone may be
// waiting.
const callBudget = time.Minute

// connectBudget bounds how long a call that is repeated looks for a service of which there has been no
// sign yet: its address may be wrong.
const connectBudget = 10 * time.Second

// Waits where the service names none: they double from the first to the last.
const (
	firstBackoff = 500 * time.Millisecond
	lastBackoff  = 8 * time.Second
)

// retryDelay returns how long to wait after an attempt that failed with err, and
// whether another one may help.
type retryDelay func(err error, attempt int) (time.Duration, bool)

// again calls try until it succeeds, delay says that another attempt can't help,
// or the next one would come after the budget.
func (c *Client) again(ctx context.Context, budget time.Duration, delay retryDelay, try func() error) error {
	begun := c.opts.Now()
	for attempt := 0; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, again := delay(err, attempt)
		if !again {
			return err
		}
		givesUp := c.givesUp(begun, budget, err)
		if c.opts.Now().Add(wait).After(givesUp) {
			return fmt.Errorf("given up after %d attempts: %w", attempt+1, err)
		}
		c.opts.OnRetry(Retry{Delay: wait, Err: err, GivesUp: givesUp})
		if err := c.opts.Sleep(ctx, wait); err != nil {
			return fmt.Errorf("waiting for another attempt: %w", err)
		}
	}
}

// givesUp returns until when failures like err are borne that began at a time.
func (c *Client) givesUp(begun time.Time, budget time.Duration, err error) time.Time {
	if !c.reached.Load() && notConnected(err) {
		budget = min(budget, connectBudget)
	}
	return begun.Add(budget)
}

// notConnected reports whether no one listens where the request went.
func notConnected(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

// misdirected reports whether an answer shows that the address is wrong: it speaks
// another protocol, or is another's. No time mends that.
func misdirected(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.Is(err, http.ErrSchemeMismatch) || errors.Is(err, ErrForeign) || errors.As(err, &certificate)
}

// ask makes a call without an Idempotency-Key again while the service says that it can't answer
// now. What reads is asked again after a lost answer, too.
func (c *Client) ask(ctx context.Context, method, path string, in, out any) error {
	delay := callDelay
	if method == http.MethodGet {
		delay = c.readDelay
	}
	return c.again(ctx, min(callBudget, c.opts.RetryBudget), delay, func() error {
		return c.call(ctx, method, path, nil, in, out)
	})
}

// readDelay is the retryDelay of a GET. A service of which there has been no sign is not waited
// for: whoever asks has the address to mend.
func (c *Client) readDelay(err error, attempt int) (time.Duration, bool) {
	if !c.reached.Load() && notConnected(err) {
		return 0, false
	}
	return projectDelay(err, attempt)
}

// callDelay is the retryDelay of calls that may change something, without an Idempotency-Key.
func callDelay(err error, attempt int) (time.Duration, bool) {
	var refused *Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	return max(backoff(attempt), refused.RetryAfter), true
}

func backoff(attempt int) time.Duration {
	return min(firstBackoff<<min(attempt, 10), lastBackoff)
}
