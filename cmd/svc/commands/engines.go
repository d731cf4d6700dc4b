package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
)

// operator asks the engine proxy that works on the data directory.
func (o *localOptions) operator() *remote.Operator { return remote.NewOperator(o.dataDir) }

// enginesCommand shows and stops engines over the engine proxy's socket.
func enginesCommand() *cobra.Command {
	o := new(localOptions)
	c := group("engines", "Show and stop engines",
		enginesListCommand(o),
		command(o, "show PROJECT", "Show a project's engine and its history", oneProject,
			func(ctx context.Context, args []string) (engineproxy.Details, error) {
				return o.operator().Show(ctx, args[0])
			}, printEngine),
		enginesLogsCommand(o), enginesStopCommand(o), enginesResetCommand(o))
	o.register(c)
	return c
}

func enginesListCommand(o *localOptions) *cobra.Command {
	c := command(o, "list", "List the engines, and why each is kept", cobra.NoArgs,
		func(ctx context.Context, _ []string) ([]engineproxy.Info, error) { return o.engines(ctx) }, printEngines)
	c.Long = "List shows every engine, why it is kept, and when it will be stopped if nothing else is\n" +
		"submitted. With --watch it prints the list again at each change until it is interrupted;\n" +
		"with --json that is one line each time."
	watch, list := c.Flags().BoolP("watch", "w", false, "keep showing changes"), c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if *watch {
			return o.watch(c)
		}
		return list(c, args)
	}
	return c
}

// engines lists the engines that are not absent; as JSON none is [], not null.
func (o *localOptions) engines(ctx context.Context) ([]engineproxy.Info, error) {
	list, err := o.operator().List(ctx)
	return append([]engineproxy.Info{}, list...), err
}

// engineLog is what svc engines logs prints as JSON.
type engineLog struct {
	Log string `json:"log"`
}

func enginesLogsCommand(o *localOptions) *cobra.Command {
	var limit int64
	c := command(o, "logs PROJECT", "Show what a project's engine wrote last", oneProject,
		func(ctx context.Context, args []string) (engineLog, error) {
			if limit < 1 || limit > engineproxy.MaxLog {
				return engineLog{}, misused("--bytes must be from 1 to %d", engineproxy.MaxLog)
			}
			text, err := o.operator().Logs(ctx, args[0], limit)
			return engineLog{string(text)}, err
		}, printLog)
	c.Long = "Logs shows the end of what the project's engine wrote to standard output and error, or the\n" +
		"one that ran last. Engines run untrusted code: control characters are shown as \"?\"."
	c.Flags().Int64Var(&limit, "bytes", engineproxy.MaxLog, "how many bytes of its end to show")
	return c
}

// changed is what the commands that change an engine print as JSON.
type changed struct {
	ProjectID string `json:"projectId"`
}

// printDone says nothing to a person: what was asked for is done.
func printDone(io.Writer, changed) {}

func enginesStopCommand(o *localOptions) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "stop PROJECT",
		Short: "Stop a project's engine once its work has ended",
		Long: "Stop drains a project's engine and stops it once its work has ended. With --force it is\n" +
			"stopped at once; an engine with unfinished jobs is then started again, and its running\n" +
			"job fails with engine_restarted. --force also forgets failed starts. A project that never\n" +
			"had an engine is an error.",
		Args: oneProject,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer cancel()
			before, err := o.operator().Show(ctx, args[0])
			if err != nil {
				return err
			}
			if before.State == engineproxy.StateAbsent || before.State == engineproxy.StateFailed {
				fmt.Fprintln(c.ErrOrStderr(), "svc: no engine of this project runs")
			} else if !force {
				note := time.AfterFunc(2*time.Second, func() {
					fmt.Fprintln(c.ErrOrStderr(), "svc: waiting for the engine's work to end; --force stops it now")
				})
				defer note.Stop()
			}
			err = o.operator().Stop(ctx, args[0], force)
			if context.Cause(ctx) != nil && err != nil {
				return fmt.Errorf("interrupted; the engine goes on with its work")
			}
			return o.print(c, changed{args[0]}, err, func(io.Writer) {}) // as printDone
		},
	}
	c.Flags().BoolVar(&force, "force", false, "do not wait for work")
	return c
}

func enginesResetCommand(o *localOptions) *cobra.Command {
	c := command(o, "reset PROJECT", "Forget why a project's engine failed to start", oneProject,
		func(ctx context.Context, args []string) (changed, error) {
			return changed{args[0]}, o.operator().Reset(ctx, args[0])
		}, printDone)
	c.Long = "Reset forgets that a project's engine failed: the next submission starts it, even after a\n" +
		"failure that is not retried by itself."
	return c
}
