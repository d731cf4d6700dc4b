package commands

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

// follow shows a job's events until it has ended and returns its record. Programs get each
// event as a line of JSON in lines, unless that is nil. When ctx is interrupted it says how to
// come back: the job goes on.
func follow(ctx context.Context, job client.Handle, d display, lines io.Writer) (api.Job, error) {
	for event, err := range job.Events(ctx, 0) {
		if err != nil {
			return api.Job{}, detached(ctx, err, job.Job, d)
		}
		d.event(event)
		if lines == nil {
			continue
		}
		if err := printLine(lines, event.Raw()); err != nil {
			return api.Job{}, err
		}
	}
	record, err := job.Wait(ctx)
	if err != nil {
		return api.Job{}, detached(ctx, err, job.Job, d)
	}
	return record, nil
}

func detached(ctx context.Context, err error, job client.Job, d display) error {
	if ctx.Err() == nil {
		return err
	}
	project := ""
	if job.ProjectID != "" {
		project = " -p " + job.ProjectID
	}
	d.note(fmt.Sprintf("The job goes on. To follow it again:  svc watch %s%s", job.ID, project))
	d.note(fmt.Sprintf("To cancel it:                         svc cancel %s%s", job.ID, project))
	return &codedError{exitInterrupted, errors.New("interrupted")}
}
