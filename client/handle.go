package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/svc-games/svc/api"
)

// Handle is a job with what can be done with it. It is safe for concurrent use.
type Handle struct {
	Job
	client *Client
}

// Submission is what the service said of an accepted job, and the job's handle.
type Submission struct {
	api.Submission
	Handle `json:"-"`
}

// Job returns the handle of a job of an earlier submission, without a request. projectID may
// be empty, as that of Job.
func (c *Client) Job(jobID, projectID string) Handle {
	return Handle{Job: Job{ID: jobID, ProjectID: projectID}, client: c}
}

// Events is Client.Events with a Go type for each type of event:
//
//	for event, err := range job.Events(ctx, 0) {
//		if err != nil {
//			return err
//		}
//		switch e := event.(type) {
//		case client.JobProgress:
//			fmt.Println(e.Percent, e.Message)
//		case client.JobFailed:
//			fmt.Println(e.Failure.Message)
//		}
//	}
func (h Handle) Events(ctx context.Context, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for raw, err := range h.client.Events(ctx, h.Job, after) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(Typed(raw), nil) {
				return
			}
		}
	}
}

// Record is Client.Status of the job. It has another name since Submission.Status is what the
// job's state was when it was accepted.
func (h Handle) Record(ctx context.Context) (api.Job, error) { return h.client.Status(ctx, h.Job) }

// Wait is Client.Wait for the job.
func (h Handle) Wait(ctx context.Context) (api.Job, error) { return h.client.Wait(ctx, h.Job) }

// Cancel is Client.Cancel of the job.
func (h Handle) Cancel(ctx context.Context) (api.Job, error) { return h.client.Cancel(ctx, h.Job) }

// Download is Client.Download of the job's files.
func (h Handle) Download(ctx context.Context, path string) (api.Files, error) {
	return h.client.Download(ctx, h.Job, path)
}

// Publish is Client.Publish of the job's game.
func (h Handle) Publish(ctx context.Context) (api.Publication, error) {
	if h.ProjectID == "" {
		record, err := h.Record(ctx)
		if err != nil {
			return api.Publication{}, err
		}
		h.ProjectID = record.ProjectID
	}
	return h.client.Publish(ctx, h.ProjectID, h.ID)
}

// StreamToken returns a token with which a browser, which must not have the key, follows this
// job and nothing else, for five minutes.
func (h Handle) StreamToken(ctx context.Context) (token api.StreamToken, err error) {
	err = h.client.ask(ctx, http.MethodPost, h.path("events/token"), nil, &token)
	return token, err
}
