package commands

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
	"github.com/svc-games/svc/sidecar/admin"
)

// localOptions are the flags of commands about the service on this machine.
type localOptions struct {
	dataDir string
	json    bool
}

// register adds the flags to a command and those below it, and has their errors
// say what is wrong with the data directory.
func (o *localOptions) register(c *cobra.Command) {
	c.PersistentFlags().StringVar(&o.dataDir, "data-dir", cmp.Or(os.Getenv("SVC_DATA_DIR"), "data"),
		"data directory of the service ($SVC_DATA_DIR)")
	c.PersistentFlags().BoolVar(&o.json, "json", false, "print the result as JSON")
	eachRun(c, func(run func() error) error { return o.failed(run()) })
}

// failed says what an error of a part on the data directory means for who runs the
// command.
func (o *localOptions) failed(err error) error {
	switch {
	case errors.Is(err, engineproxy.ErrAbsent):
		return errors.New("this project has no engine: see svc engines list")
	case errors.Is(err, peer.ErrNotListening):
		return fmt.Errorf("no engine proxy uses %s: %w", o.dataDir, admin.ErrNotRunning)
	case o.inside(err) && errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is not a directory: name the data directory of the service with --data-dir", o.dataDir)
	case (o.inside(err) || errors.Is(err, rpc.ErrUnreachable)) && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user has no access to the service of %s: run the command as the user that runs the service", o.dataDir)
	case errors.Is(err, rpc.ErrUnreachable):
		_, why, _ := strings.Cut(err.Error(), rpc.ErrUnreachable.Error()+": ")
		return fmt.Errorf("the engine proxy of %s does not answer: %s", o.dataDir, why)
	}
	return err
}

// inside reports whether an error is about a file in the data directory.
func (o *localOptions) inside(err error) bool {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return false
	}
	rel, err := filepath.Rel(o.dataDir, path.Path)
	return err == nil && filepath.IsLocal(rel)
}

// client is of the service's admin socket.
func (o *localOptions) client() *admin.Client {
	return admin.NewClient(filepath.Join(o.dataDir, admin.SocketFile))
}

// command makes a command that prints what a call returns: as JSON, or as people
// writes it.
func command[T any](o *localOptions, use, short string, args cobra.PositionalArgs,
	call func(ctx context.Context, args []string) (T, error), people func(io.Writer, T),
) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  args,
		RunE: func(c *cobra.Command, args []string) error {
			result, err := call(c.Context(), args)
			return o.print(c, result, err, func(w io.Writer) { people(w, result) })
		},
	}
}

// print writes the result of a call as JSON, or as people writes it, unless the call
// failed with err.
func (o *localOptions) print(c *cobra.Command, result any, err error, people func(w io.Writer)) error {
	switch {
	case err != nil:
		return err
	case o.json:
		return printJSON(c.OutOrStdout(), result)
	}
	return written(c.OutOrStdout(), people)
}

// written has people's text written to w, and returns the first error of that, for
// those who have to know before they go on.
func written(w io.Writer, people func(w io.Writer)) error {
	out := bufio.NewWriter(w) // it keeps the error
	people(out)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// require marks flags that the command can't do without.
func require(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is not defined
		}
	}
}
