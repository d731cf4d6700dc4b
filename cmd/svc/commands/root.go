// Package commands holds the commands of svc, one file per topic.
package commands

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/peer/cli"
)

// Exit codes of svc.
const (
	exitOK             = 0
	exitError          = 1
	exitUsage          = 2
	exitAuthentication = 4
	exitJobFailed      = 5
	exitJobCancelled   = 6
	exitLimitExceeded  = 7
	exitNoCapacity     = 8
	exitInterrupted    = 130
)

// codedError carries an exit code other than exitError through cobra.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// misused is the error of a command line that is not understood.
func misused(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

// newRoot returns svc with all its commands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "svc",
		Short: "Generate browser games from briefs, and run the service that does",
		Long: `svc generates browser games from briefs, and runs the service that does.

Exit codes: 0 ok, 1 error, 2 wrong usage, 4 the API key is not accepted, 5 the
job failed, 6 the job was cancelled, 7 a limit of the key is hit, 8 the engine
did not start in time, 130 interrupted.`,
		Version:       cli.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(clientCommands()...)
	root.AddCommand(adminCommand(), enginesCommand(), policyCommand(), doctorCommand(), traceCommand(), certsCommand(), versionCommand())
	return root
}

// versionCommand prints what --version does.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			fmt.Fprintln(c.OutOrStdout(), "svc version", c.Root().Version)
			return nil
		},
	}
}

// Execute runs svc with args and returns its exit code. Results go to stdout,
// everything for people to stderr.
func Execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &output{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)

	ran := false // an error without that is one of the command line
	eachRun(root, func(run func() error) error {
		ran = true
		return run()
	})
	failed, err := root.ExecuteC()
	if out.err != nil && !errors.Is(err, out.err) {
		err = errors.Join(err, fmt.Errorf("writing the result: %w", out.err))
	}
	if err == nil {
		return exitOK
	}
	ran = ran || out.err != nil // it was understood
	said := "svc: " + sentence(err)
	if !ran {
		said += "; " + usage(failed)
	}
	fmt.Fprintln(stderr, printableText(said)) // a service's words may be in it, or an engine's
	if coded, ok := errors.AsType[*codedError](err); ok {
		return coded.code
	}
	if !ran {
		return exitUsage
	}
	return exitError
}

// usage says how a command is written.
func usage(c *cobra.Command) string {
	if c.HasSubCommands() {
		return "see " + c.CommandPath() + " --help"
	}
	return "usage: " + c.UseLine()
}

// eachRun wraps what the command c, and those below it, do.
func eachRun(c *cobra.Command, wrap func(run func() error) error) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			return wrap(func() error { return run(c, args) })
		}
	}
	for _, sub := range c.Commands() {
		eachRun(sub, wrap)
	}
}
