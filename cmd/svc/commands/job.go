package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

// jobOptions are the flags of the commands about one job.
type jobOptions struct {
	clientOptions
	project string
}

// jobCommand makes a command whose argument is a job.
func jobCommand(use, short string, o *jobOptions, run func(c *cobra.Command, job client.Job) error) *cobra.Command {
	c := &cobra.Command{
		Use:   use + " JOB",
		Short: short,
		Args:  cobra.ExactArgs(1),

		ValidArgsFunction: completeJobs(&o.clientOptions),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkGiven(o.project); err != nil {
				return err
			}
			return run(c, client.Job{ID: args[0], ProjectID: o.project})
		},
	}
	o.register(c)
	c.Flags().StringVarP(&o.project, "project", "p", "", "the job's `PROJECT`; finds the job when the service was restarted")
	completeFlag(c, "project", completeProjects(&o.clientOptions))
	return c
}

func statusCommand() *cobra.Command {
	return recordCommand("status", "Show the progress of a job", (*client.Client).Status)
}

func cancelCommand() *cobra.Command {
	return recordCommand("cancel", "Cancel a job", (*client.Client).Cancel)
}

// recordCommand is a command that prints what a call says of a job.
func recordCommand(use, short string, call func(*client.Client, context.Context, client.Job) (api.Job, error)) *cobra.Command {
	o := &jobOptions{}
	return jobCommand(use, short, o, func(c *cobra.Command, job client.Job) error {
		return o.call(c, func(ctx context.Context, service *client.Client) error {
			record, err := call(service, ctx, job)
			if err != nil {
				return err
			}
			return o.print(c.OutOrStdout(), record, recordText(record))
		})
	})
}

func watchCommand() *cobra.Command {
	o := &jobOptions{}
	c := jobCommand("watch", "Follow a job to its end", o, func(c *cobra.Command, job client.Job) error {
		d := newDisplay(c.ErrOrStderr())
		return o.callShown(c, d, func(ctx context.Context, service *client.Client) error {
			record, err := follow(ctx, service.Job(job.ID, job.ProjectID), d, o.lines(c.OutOrStdout()))
			d.close()
			if err != nil {
				return err
			}
			return errors.Join(o.printLast(c.OutOrStdout(), record, recordText(record)), endOf(record))
		})
	})
	c.Long = "Watch follows a job to its end. With --json each event is a line of JSON; the last line is the job's record."
	return c
}

// recordText is a job's record in one line, and one more for each wish that the
// game does not fulfil.
func recordText(record api.Job) string {
	text := fmt.Sprintf("%s %s", record.JobID, record.Status)
	if !record.Status.Terminal() {
		text += fmt.Sprintf(" %d %% %s: %s", record.Progress.Percent, record.Progress.Stage, printable(record.Progress.Message))
	}
	return strings.Join(append([]string{text}, unmetLines(record)...), "\n")
}

// unmetLines are the wishes that the game does not fulfil, one a line.
func unmetLines(record api.Job) (lines []string) {
	for _, wish := range record.Unmet {
		lines = append(lines, "Not in the game: "+printable(strings.TrimSuffix(wish.Phrase+": "+wish.Why, ": ")))
	}
	return lines
}

// endOf returns the error that a job's end means to a command that waited for it.
func endOf(record api.Job) error {
	switch {
	case record.Status == api.JobFailed && record.Failure != nil:
		err := fmt.Errorf("the job failed: %s (%s)", printable(record.Failure.Message), record.Failure.Code)
		return &codedError{exitJobFailed, err}
	case record.Status == api.JobFailed:
		return &codedError{exitJobFailed, errors.New("the job failed")}
	case record.Status == api.JobCancelled:
		return &codedError{exitJobCancelled, errors.New("the job was cancelled")}
	}
	return nil
}
