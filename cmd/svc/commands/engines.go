package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
)

// enginesOptions are common to the commands under engines.
type enginesOptions struct{ localOptions }

func (o *enginesOptions) operator() *remote.Operator { return remote.NewOperator(o.dataDir) }

// failed says what an error of the operator means for who runs the command.
func (o *enginesOptions) failed(err error) error {
	switch {
	case errors.Is(err, engineproxy.ErrAbsent):
		return errors.New("No engine of this project is known.")
	case errors.Is(err, peer.ErrNotListening):
		return fmt.Errorf("no engine proxy works on %s: %w", o.dataDir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: run the command as the user that runs the service", err)
	}
	return err
}

// enginesCommand shows and stops engines over the engine proxy's socket.
func enginesCommand() *cobra.Command {
	o := new(enginesOptions)
	cmd := group("engines", "Show and stop engines",
		enginesListCommand(o), enginesShowCommand(o), enginesLogsCommand(o), enginesStopCommand(o), enginesResetCommand(o))
	for _, sub := range cmd.Commands() {
		run := sub.RunE
		sub.RunE = func(cmd *cobra.Command, args []string) error { return o.failed(run(cmd, args)) }
	}
	o.register(cmd.PersistentFlags())
	return cmd
}

func enginesListCommand(o *enginesOptions) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the engines, and why each is kept",
		Long: "List shows every engine that is not absent, why it is kept, and when it would be stopped if\n" +
			"nothing came until then. With --watch it shows them again whenever something has changed,\n" +
			"until it is interrupted; as JSON that is one line each time.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return o.watch(cmd)
			}
			list, err := o.operator().List(cmd.Context())
			if err != nil {
				return err
			}
			return o.printEngines(cmd.OutOrStdout(), list, time.Now())
		},
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "keep showing changes")
	return cmd
}

func enginesShowCommand(o *enginesOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "show PROJECT",
		Short: "Show a project's engine and its history",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkProject(args[0]); err != nil {
				return err
			}
			details, err := o.operator().Show(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return o.printEngine(cmd.OutOrStdout(), details, time.Now())
		},
	}
}

func enginesLogsCommand(o *enginesOptions) *cobra.Command {
	var limit int64
	cmd := &cobra.Command{
		Use:   "logs PROJECT",
		Short: "Show what a project's engine wrote last",
		Long: "Logs shows the end of what the project's engine wrote to standard output and error, or the\n" +
			"one that ran last. Engines run untrusted code: control characters are shown as \"?\".",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkProject(args[0]); err != nil {
				return err
			}
			if limit < 1 || limit > engineproxy.MaxLog {
				return &codedError{code: exitUsage, err: fmt.Errorf("--bytes must be from 1 to %d", engineproxy.MaxLog)}
			}
			text, err := o.operator().Logs(cmd.Context(), args[0], limit)
			if err != nil {
				return err
			}
			return o.printLog(cmd.OutOrStdout(), string(text))
		},
	}
	cmd.Flags().Int64Var(&limit, "bytes", engineproxy.MaxLog, "how much of its end to show")
	return cmd
}

func enginesStopCommand(o *enginesOptions) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "stop PROJECT",
		Short: "Stop a project's engine once its work has ended",
		Long: "Stop drains a project's engine and stops it once its work has ended. With --force it is\n" +
			"stopped at once; an engine with unfinished jobs is then started again, and its running\n" +
			"job fails with engine_restarted. --force also clears the memory of failed starts. Where no\n" +
			"engine runs it says so; a project that never had one is an error.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkProject(args[0]); err != nil {
				return err
			}
			ctx, cancel := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer cancel()
			before, err := o.operator().Show(ctx, args[0])
			if err != nil {
				return err
			}
			if before.State == engineproxy.StateAbsent || before.State == engineproxy.StateFailed {
				fmt.Fprintln(cmd.ErrOrStderr(), "svc: no engine of this project runs")
			} else if !force {
				note := time.AfterFunc(2*time.Second, func() {
					fmt.Fprintln(cmd.ErrOrStderr(), "svc: waiting for the engine's work to end; --force stops it now")
				})
				defer note.Stop()
			}
			err = o.operator().Stop(ctx, args[0], force)
			if context.Cause(ctx) != nil && err != nil {
				return fmt.Errorf("interrupted; the engine works on")
			}
			if err != nil {
				return err
			}
			return o.printDone(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "do not wait for work")
	return cmd
}

func enginesResetCommand(o *enginesOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "reset PROJECT",
		Short: "Forget why a project's engine failed to start",
		Long: "Reset forgets that a project's engine failed: the next submission starts it, also if the\n" +
			"failure was one that would not have been tried again.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkProject(args[0]); err != nil {
				return err
			}
			if err := o.operator().Reset(cmd.Context(), args[0]); err != nil {
				return err
			}
			return o.printDone(cmd.OutOrStdout(), args[0])
		},
	}
}

func checkProject(id string) error {
	if err := api.CheckProjectID(id); err != nil {
		return &codedError{code: exitUsage, err: fmt.Errorf("%q is not a project id: want 24 lower-case hexadecimal characters", id)}
	}
	return nil
}

// printDone says nothing to a person: what was asked for is done.
func (o *enginesOptions) printDone(w io.Writer, projectID string) error {
	if !o.json {
		return nil
	}
	return printJSON(w, map[string]string{"projectId": projectID})
}
