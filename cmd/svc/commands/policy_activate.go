package commands

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/replay"
	"github.com/svc-games/svc/policy/verify"
)

// rehearsed is how far back decisions are made again before an activation.
const rehearsed = time.Hour

// errNotActivated is the error of an activation that nobody said yes to.
var errNotActivated = errors.New("not activated: read what would change, and say so with --yes")

func policyActivateCommand(o *localOptions) *cobra.Command {
	var older, yes bool
	c := &cobra.Command{
		Use:   "activate DIR|BUNDLE [--yes]",
		Short: "Show what a policy changes, and activate it in the running service",
		Long: `Show what a policy changes, and activate it in the running service, once it
passed every step: its signature where the service asks for one, its sequence,
compilation, its own tests, and a table of decisions. Otherwise the active policy
stays. It holds until the service's source of policies changes.

Shown is the difference to the active policy, as by svc policy diff, and which
decisions of the last hour it would have made otherwise. Where something changes the
command asks, or without a terminal needs --yes. One that changes more of what was
decided than the service's threshold, or needs a second person's approval, waits in
shadow for svc policy approve; the exit code is then 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			files, err := o.files(c.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := o.preview(c.Context(), files)
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			if o.json {
				out = c.ErrOrStderr()
			}
			if err := written(out, p.print); err != nil {
				return err
			}
			if !yes && !p.none() && !confirmed(c, "activate") {
				return errNotActivated
			}
			info, err := o.client().ActivatePolicy(c.Context(), files, args[0], p.from, older)
			err = o.print(c, info, err, func(w io.Writer) { printActive(w, info) })
			if err == nil && info.Held != nil {
				err = errWaits
			}
			return err
		},
	}
	c.Flags().BoolVar(&older, "older", false, "accept a sequence below the highest that was ever active")
	c.Flags().BoolVar(&yes, "yes", false, "activate without a question")
	return c
}

// preview is what an activation would change.
type preview struct {
	from   string // the revision that is active
	diff   verify.Difference
	replay *replay.Report // nil: there is no decision log here
}

// preview compares files with the active policy.
func (o *localOptions) preview(ctx context.Context, files bundle.Snapshot) (*preview, error) {
	next, err := policy.NewEvaluatorFS(files)
	if err != nil {
		return nil, err
	}
	active, err := o.client().PolicyFiles(ctx, "")
	if err != nil {
		return nil, err
	}
	before, err := policy.NewEvaluatorFS(active)
	if err != nil {
		return nil, err
	}
	p := &preview{from: before.Revision()}
	if p.diff, err = verify.Diff(ctx, active, files); err != nil {
		return nil, err
	}
	since := time.Now().Add(-rehearsed)
	log, err := decisionlog.OpenSince(o.logPath(""), since)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	defer log.Close()
	report, err := replay.Run(ctx, log, next, replay.Options{Since: since, Against: before})
	p.replay = &report
	return p, err
}

// none reports whether the policy decides as the active one does.
func (p *preview) none() bool {
	return p.diff.None() && (p.replay == nil || len(p.replay.Changes) == 0)
}

func (p *preview) print(w io.Writer) {
	if p.diff.None() {
		fmt.Fprintln(w, "no decision of the table changes, and allow holds under the same conditions")
	}
	printDifference(w, p.diff)
	if p.replay == nil {
		fmt.Fprintln(w, "\nthere is no decision log in the data directory: no decision was made again")
		return
	}
	fmt.Fprintf(w, "\nof the decisions of the last hour change %d:\n", p.replay.Changed())
	printReplay(w, *p.replay)
}

// confirmed asks on standard error, where there is someone to answer.
func confirmed(c *cobra.Command, what string) bool {
	if file, ok := c.InOrStdin().(*os.File); ok && !term.IsTerminal(int(file.Fd())) {
		return false
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s it? [y/N] ", what)
	answer, _ := bufio.NewReader(c.InOrStdin()).ReadString('\n') // an end of the input is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}
