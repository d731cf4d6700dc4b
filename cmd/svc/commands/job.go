package commands

import (
	"errors"
	"fmt"
	"io"

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
		RunE: func(c *cobra.Command, args []string) error {
			return coded(run(c, client.Job{ID: args[0], ProjectID: o.project}))
		},
	}
	o.register(c)
	c.Flags().StringVarP(&o.project, "project", "p", "", "the job's `PROJECT`; finds the job when the service was restarted")
	return c
}

func statusCommand() *cobra.Command {
	o := &jobOptions{}
	return jobCommand("status", "Show how far a job is", o, func(c *cobra.Command, job client.Job) error {
		service, err := o.client(waits(c))
		if err != nil {
			return err
		}
		ctx, stop := interruptible(c)
		defer stop()
		record, err := service.Status(ctx, job)
		if err != nil {
			return err
		}
		return o.print(c.OutOrStdout(), record)
	})
}

func cancelCommand() *cobra.Command {
	o := &jobOptions{}
	return jobCommand("cancel", "Cancel a job", o, func(c *cobra.Command, job client.Job) error {
		service, err := o.client(waits(c))
		if err != nil {
			return err
		}
		ctx, stop := interruptible(c)
		defer stop()
		record, err := service.Cancel(ctx, job)
		if err != nil {
			return err
		}
		return o.print(c.OutOrStdout(), record)
	})
}

func watchCommand() *cobra.Command {
	o := &jobOptions{}
	return jobCommand("watch", "Follow a job to its end", o, func(c *cobra.Command, job client.Job) error {
		d := newDisplay(c.ErrOrStderr())
		defer d.close()
		service, err := o.client(d.wait)
		if err != nil {
			return err
		}
		ctx, stop := interruptible(c)
		defer stop()
		record, err := follow(ctx, service, job, d)
		d.close()
		if err != nil {
			return err
		}
		return errors.Join(o.print(c.OutOrStdout(), record), endOf(record))
	})
}

// print writes a job's record as JSON, or in a line or two.
func (o *clientOptions) print(w io.Writer, record api.Job) error {
	if o.json {
		return printJSON(w, record)
	}
	text := fmt.Sprintf("%s %s", record.JobID, record.Status)
	if !record.Status.Terminal() {
		text += fmt.Sprintf(" %d %% %s: %s", record.Progress.Percent, record.Progress.Stage, printable(record.Progress.Message))
	}
	if _, err := fmt.Fprintln(w, text); err != nil {
		return fmt.Errorf("printing result: %w", err)
	}
	return nil
}

// endOf returns the error that a job's end is to whoever waited for it.
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
