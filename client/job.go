package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/svc-games/svc/api"
)

// Status returns the job's record. It costs no quota and wakes no engine.
func (c *Client) Status(ctx context.Context, job Job) (record api.Job, err error) {
	if err := c.ask(ctx, http.MethodGet, job.path("status"), nil, &record); err != nil {
		return api.Job{}, fmt.Errorf("asking for job status: %w", err)
	}
	return record, nil
}

// statusOnce is Status for those who ask again anyway.
func (c *Client) statusOnce(ctx context.Context, job Job) (api.Job, error) {
	var record api.Job
	if err := c.call(ctx, http.MethodGet, job.path("status"), nil, nil, &record); err != nil {
		return api.Job{}, fmt.Errorf("asking for job status: %w", err)
	}
	return record, nil
}

// Cancel ends a job that is queued or running and returns its record. A job
// that has ended already comes back as it is.
func (c *Client) Cancel(ctx context.Context, job Job) (api.Job, error) {
	var record api.Job
	err := c.ask(ctx, http.MethodDelete, job.path(""), nil, &record)
	if err != nil {
		return api.Job{}, fmt.Errorf("cancelling job: %w", err)
	}
	return record, nil
}

// Wait returns the job's record once the job has ended, whatever its end. For
// a job that runs it follows the event stream and asks for the record after it,
// for as long as a submission would be retried when the service is away.
func (c *Client) Wait(ctx context.Context, job Job) (api.Job, error) {
	record, err := c.statusOnce(ctx, job)
	if err == nil && record.Status.Terminal() || err != nil && final(err) {
		return record, err
	}
	for _, err := range c.Events(ctx, job, 0) {
		if err != nil {
			return api.Job{}, fmt.Errorf("waiting for job: %w", err)
		}
	}
	err = c.poll(ctx, job, func(polled api.Job) bool {
		record = polled
		return polled.Status.Terminal()
	})
	if err != nil {
		return api.Job{}, fmt.Errorf("waiting for job: %w", err)
	}
	return record, nil
}

// poll asks for the job's record until done returns true of it. It tolerates
// failures for as long as a submission would be retried.
func (c *Client) poll(ctx context.Context, job Job, done func(api.Job) bool) error {
	answered := c.opts.Now()
	for {
		record, err := c.statusOnce(ctx, job)
		switch {
		case err == nil && done(record):
			return nil
		case err == nil:
			answered = c.opts.Now()
		case ctx.Err() != nil:
			return ctx.Err()
		case final(err) || c.opts.Now().After(c.givesUp(answered, c.opts.RetryBudget, err)):
			return err
		}
		if err := c.opts.Sleep(ctx, max(c.opts.Poll, retryAfter(err))); err != nil {
			return err
		}
	}
}
