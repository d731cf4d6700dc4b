package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/client"
)

// clientCommands are the commands of an API client.
func clientCommands() []*cobra.Command {
	return []*cobra.Command{
		generateCommand(), batchCommand(), jobsCommand(), statusCommand(), watchCommand(), cancelCommand(), downloadCommand(), openCommand(),
		projectsCommand(), modelsCommand(), publishCommand(), unpublishCommand(), ownGameCommand(), analyticsCommand(), experimentsCommand(),
		boardCommand(), webhooksCommand(),
	}
}

// clientOptions are the flags of every command that talks to /v1.
type clientOptions struct {
	baseURL string
	keyFile string
	json    bool
}

func (o *clientOptions) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&o.baseURL, "base-url", cmp.Or(os.Getenv("SVC_BASE_URL"), client.DefaultBaseURL),
		"address of the service, without /v1 ($SVC_BASE_URL)")
	flags.StringVar(&o.keyFile, "api-key-file", "", "`FILE` that holds the API key (default: the key in $SVC_API_KEY)")
	flags.BoolVar(&o.json, "json", false, "print the result as JSON")
}

// client returns the client that the flags and the environment describe.
func (o *clientOptions) client(onRetry func(client.Retry)) (*client.Client, error) {
	key := os.Getenv("SVC_API_KEY")
	if o.keyFile != "" {
		text, err := os.ReadFile(o.keyFile)
		if err != nil {
			return nil, fmt.Errorf("reading API key: %w", err)
		}
		key = string(text)
	}
	key = strings.TrimSpace(key)
	if key == "" {
		return nil, &codedError{exitAuthentication, errors.New("no API key: set SVC_API_KEY or give --api-key-file")}
	}
	c, err := client.New(client.Options{APIKey: key, BaseURL: o.baseURL, OnRetry: onRetry})
	if err != nil {
		return nil, &codedError{exitUsage, err}
	}
	return c, nil
}

// call makes a client that shows on standard error that a call is tried again later,
// and calls run with it and a context that ends at the first Ctrl-C.
func (o *clientOptions) call(c *cobra.Command, run func(ctx context.Context, service *client.Client) error) error {
	return o.callShown(c, &plainDisplay{w: c.ErrOrStderr(), now: time.Now}, run)
}

// callShown is call with a display of one's own, which is closed at the end.
func (o *clientOptions) callShown(c *cobra.Command, d display, run func(ctx context.Context, service *client.Client) error) error {
	defer d.close()
	service, err := o.client(d.wait)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c)
	defer stop()
	return coded(run(ctx, service))
}

// callCommand makes a command that calls the service and prints what it answers: as JSON,
// or as people wants it.
func callCommand[T any](o *clientOptions, use, short string, args cobra.PositionalArgs,
	call func(ctx context.Context, service *client.Client, args []string) (T, error), people func(c *cobra.Command, answer T),
) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  args,
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				answer, err := call(ctx, service, args)
				switch {
				case err != nil:
					return err
				case o.json:
					return printJSON(c.OutOrStdout(), answer)
				}
				people(c, answer)
				return nil
			})
		},
	}
	o.register(c)
	return c
}

// readCommand is callCommand of what is asked of a project.
func readCommand[T any](o *clientOptions, use, short string,
	call func(service *client.Client, ctx context.Context, project string) (T, error), people func(c *cobra.Command, answer T),
) *cobra.Command {
	c := callCommand(o, use+" PROJECT", short, oneProject, func(ctx context.Context, service *client.Client, args []string) (T, error) {
		return call(service, ctx, args[0])
	}, people)
	c.ValidArgsFunction = completeProjects(o)
	return c
}

// all collects what is listed.
func all[T any](list iter.Seq2[T, error]) ([]T, error) {
	found := []T{}
	for one, err := range list {
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

// interruptible returns a context that ends at the first Ctrl-C; a second one
// ends the program at once.
func interruptible(c *cobra.Command) (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// coded gives an error of the client the exit code it is documented with.
func coded(err error) error {
	var already *codedError
	switch {
	case err == nil || errors.As(err, &already):
		return err
	case errors.Is(err, client.ErrUnauthorized):
		return &codedError{exitAuthentication, err}
	case errors.Is(err, client.ErrLimitExceeded):
		return &codedError{exitLimitExceeded, err}
	case errors.Is(err, context.Canceled):
		return &codedError{exitInterrupted, err}
	}
	return err
}

// print writes a result as JSON, or as a text for people.
func (o *clientOptions) print(w io.Writer, result any, text string) error {
	if o.json {
		return printJSON(w, result)
	}
	if _, err := fmt.Fprintln(w, text); err != nil {
		return fmt.Errorf("printing result: %w", err)
	}
	return nil
}

// lines returns where a command that follows a job writes its events for programs, nil
// without --json.
func (o *clientOptions) lines(w io.Writer) io.Writer {
	if o.json {
		return w
	}
	return nil
}

// printLast is print of what comes after the events: one more line.
func (o *clientOptions) printLast(w io.Writer, result any, text string) error {
	if o.json {
		return printLine(w, result)
	}
	return o.print(w, result, text)
}

// printLine writes one of several values for programs.
func printLine(w io.Writer, v any) error { return printIndented(w, v, "") }

// printJSON writes a result for programs.
func printJSON(w io.Writer, v any) error { return printIndented(w, v, "  ") }

func printIndented(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("printing result: %w", err)
	}
	return nil
}
