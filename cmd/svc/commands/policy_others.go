package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/admin"
)

// gather has the running service ask the other sidecars with its store for what their logs
// have. Without a service there is nobody to ask.
func (o *localOptions) gather(ctx context.Context, q decisionlog.Query) (activation.Gathered, error) {
	status, err := o.client().PolicyStatus(ctx)
	if errors.Is(err, admin.ErrNotRunning) {
		return activation.Gathered{}, nil
	}
	if err != nil || len(status.Sidecars) < 2 {
		return activation.Gathered{}, err
	}
	return o.client().PolicyDecisions(ctx, q)
}

// others is gather for a command that goes on with the log that is here: what is left out is
// said on standard error. Of a log that was named there are no others.
func (o *localOptions) others(c *cobra.Command, logFile string, q decisionlog.Query) []decisionlog.Part {
	if logFile != "" {
		return nil
	}
	all, err := o.gather(c.Context(), q)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), printableText("the decisions of other sidecars are left out: "+sentence(o.failed(err))))
	}
	if len(all.Silent) > 0 {
		fmt.Fprintln(c.ErrOrStderr(), printableText(silentSidecars(all.Silent)))
	}
	return all.Parts
}

func silentSidecars(names []string) string {
	return "the decisions of sidecars that did not answer are left out: " + strings.Join(names, ", ")
}

// joined is a log with the parts of others behind it.
func joined(log io.Reader, parts []decisionlog.Part) (io.Reader, error) {
	all := []io.Reader{log}
	for _, part := range parts {
		lines, err := part.Open()
		if err != nil {
			return nil, err
		}
		all = append(all, strings.NewReader("\n"), lines) // the log may end within a line
	}
	return io.MultiReader(all...), nil
}
