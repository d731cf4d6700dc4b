package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

// one brings a line to its end, from wherever it is. Its error stops the batch; what
// became of a job does not.
func (b *batch) one(ctx context.Context, line batchLine) error {
	e := b.book.of(line.ID)
	e.ID, e.Line = line.ID, line.sum
	if b.again && e.Status.Terminal() && e.Status != api.JobCompleted {
		e.Attempt, e.JobID, e.Status, e.Said, e.TIK = e.Attempt+1, "", "", "", 0
		if err := b.book.set(e); err != nil {
			return err
		}
	}
	dir := filepath.Join(b.dir, line.ID)
	if _, err := os.Stat(dir); err == nil && e.Unpacked || e.Status.Terminal() && e.Status != api.JobCompleted {
		return nil
	}
	if err := checkTarget(dir, false); err != nil {
		return b.without(e, err)
	}
	if e.JobID == "" {
		if err := b.submit(ctx, line, &e); err != nil {
			return b.refused(ctx, e, err)
		}
	}
	job := client.Job{ID: e.JobID, ProjectID: e.ProjectID}
	var record api.Job
	err := b.patient(ctx, line.ID, func() (err error) {
		record, err = b.service.Wait(ctx, job)
		return err
	})
	if err != nil {
		return b.refused(ctx, e, err)
	}
	e.Status, e.TIK = record.Status, record.TIKSpent
	if record.Failure != nil {
		e.Said = record.Failure.Message
	}
	if record.Status == api.JobCompleted {
		game := generated{Job: record}
		err := b.patient(ctx, line.ID, func() error { return game.unpack(ctx, b.service, job, dir, false) })
		if err != nil && ctx.Err() == nil {
			return b.without(e, err)
		}
		e.Unpacked, e.Said = err == nil, ""
	}
	b.display.note(fmt.Sprintf("%s: %s", line.ID, recordText(record)))
	return b.book.set(e)
}

// mostFailures is after how many lines in a row, for which the service failed, it is taken
// for broken.
const mostFailures = 3

// refused notes what the service says against one line, so that the others go on.
func (b *batch) refused(ctx context.Context, e batchEntry, err error) error {
	var refused *client.Error
	if errors.As(err, &refused) && refused.StatusCode >= 500 && ctx.Err() == nil && b.failures.Add(1) <= mostFailures {
		return b.without(e, refused) // it may pass: the line goes on when it is run again
	}
	own := errors.Is(err, client.ErrBadRequest) || errors.Is(err, client.ErrNotFound) ||
		errors.Is(err, client.ErrForbidden) && e.ProjectID != "" // which is another user's, or gone
	if !errors.As(err, &refused) || !own || errors.Is(err, client.ErrForeign) {
		return ignored(ctx, err)
	}
	e.Status = api.JobFailed
	return b.without(e, refused)
}

// without notes why a line has no game for now.
func (b *batch) without(e batchEntry, why error) error {
	e.Said = sentence(why)
	b.display.note(printable(e.ID + ": " + e.Said))
	return b.book.set(e)
}

// ignored is the error of a step, or nil where a person interrupted it.
func ignored(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// submit has the service accept a line's job, once however often it is interrupted.
func (b *batch) submit(ctx context.Context, line batchLine, e *batchEntry) error {
	key := func(what string) client.GenerateOption {
		return client.WithIdempotencyKey(b.book.salt + "-" + line.ID + "-" + what + strconv.Itoa(e.Attempt))
	}
	req, made := line.GenerateRequest, false
	if req.ProjectID = cmp.Or(req.ProjectID, e.ProjectID); req.ProjectID == "" {
		name := cmp.Or(line.Name, (&generateOptions{}).projectName(req.Prompt))
		err := b.patient(ctx, line.ID, func() error {
			project, err := b.service.CreateProject(ctx, api.ProjectRequest{Name: name}, key("project"))
			e.ProjectID, made = project.ID, true
			return err
		})
		if err != nil {
			return err
		}
		req.ProjectID = e.ProjectID
	}
	e.ProjectID = req.ProjectID
	err := b.patient(ctx, line.ID, func() error {
		submission, err := b.service.Generate(ctx, req, key("job"))
		if err != nil {
			return err
		}
		b.failures.Store(0)
		b.display.note(fmt.Sprintf("%s: %s", line.ID, submission.JobID))
		e.JobID, e.Status = submission.JobID, submission.Status
		return b.book.set(*e)
	})
	if made && acceptsNothing(err) {
		err = errors.Join(err, removed(context.WithoutCancel(ctx), b.service, e.ProjectID)) // nobody asked for an empty one
		e.ProjectID, e.Attempt = "", e.Attempt+1                                            // its Idempotency-Key names a project that is gone
		err = errors.Join(err, b.book.set(*e))
	}
	return err
}

// resets are the limits that nothing but time raises.
var resets = []string{api.LimitJobsPerDay, api.LimitJobsPerMonth, api.LimitTIKPerMonth}

// patient does a call again while the key has as many jobs, or made as many requests, as it
// may.
func (b *batch) patient(ctx context.Context, id string, call func() error) error {
	said := false
	for {
		err := call()
		var refused *client.Error
		if !errors.As(err, &refused) || !errors.Is(err, client.ErrLimitExceeded) || slices.Contains(resets, refused.Limit) {
			return err
		}
		if !said {
			b.display.note(id + " waits: " + refused.Message)
			said = true
		}
		select {
		case <-time.After(max(refused.RetryAfter, time.Second)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
