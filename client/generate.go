package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
)

// defaultRetryAfter is the wait after a 503 that names none.
const defaultRetryAfter = 30 * time.Second

// GenerateOption changes one call of Generate or CreateProject.
type GenerateOption func(header http.Header)

// WithIdempotencyKey names the submission: however often it is sent with this
// key, it makes one job, or one project. By default each call has a random one.
// It has visible ASCII characters alone, 255 at most.
func WithIdempotencyKey(key string) GenerateOption {
	return func(header http.Header) { header.Set("Idempotency-Key", key) }
}

// once returns the header of a call that is sent until it is answered.
func once(opts []GenerateOption) (http.Header, error) {
	header := http.Header{"Idempotency-Key": {rand.Text()}}
	for _, opt := range opts {
		opt(header)
	}
	if key := header.Get("Idempotency-Key"); !visible(key) {
		return nil, fmt.Errorf("%w: the Idempotency-Key %q must have visible ASCII characters alone", ErrBadRequest, key)
	}
	return header, nil
}

// Generate submits a job. While the project's engine starts (503) it waits as
// long as the service says, 30 seconds when it says nothing, and sends the
// same request again; after a lost connection likewise, with waits of its own.
// Since each attempt carries the same Idempotency-Key, an attempt whose answer
// was lost makes no second job. It gives up when the next attempt would come
// after Options.RetryBudget, with the last attempt's error. Refusals such as
// ErrLimitExceeded come back at once.
func (c *Client) Generate(ctx context.Context, req api.GenerateRequest, opts ...GenerateOption) (Submission, error) {
	header, err := once(opts)
	if err != nil {
		return Submission{}, err
	}
	var made api.Submission
	err = c.again(ctx, c.opts.RetryBudget, onceDelay, func() error {
		return c.call(ctx, http.MethodPost, "/v1/generate", header, req, &made)
	})
	if err != nil {
		return Submission{}, fmt.Errorf("submitting job: %w", err)
	}
	return Submission{made, c.Job(made.JobID, made.ProjectID)}, nil
}

// onceDelay is the retryDelay of a call with an Idempotency-Key, which makes it safe to
// repeat whatever became of it.
func onceDelay(err error, attempt int) (time.Duration, bool) {
	var refused *Error
	if !errors.As(err, &refused) {
		return backoff(attempt), !misdirected(err) // the connection failed, or broke
	}
	switch refused.StatusCode {
	case http.StatusServiceUnavailable:
		if refused.RetryAfter > 0 {
			return refused.RetryAfter, true
		}
		return defaultRetryAfter, true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return max(backoff(attempt), refused.RetryAfter), true
	case http.StatusConflict:
		// An earlier attempt is under way: one of this call, whose answer was lost,
		// or one of a program that had the same key before. The latter says until when.
		return max(backoff(attempt), refused.RetryAfter), attempt > 0 || refused.RetryAfter > 0
	}
	return 0, false
}
