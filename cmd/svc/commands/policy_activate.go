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

const (
	// rehearsed is how far back decisions are made again before an activation.
	rehearsed = time.Hour
	// previewTimeout bounds how long it may take to find out what a policy changes.
	previewTimeout = 3 * time.Minute
)

// errNotActivated is the error of an activation that nobody said yes to.
var errNotActivated = errors.New("not activated: read the changes, then confirm with --yes")

func policyActivateCommand(o *localOptions) *cobra.Command {
	var older, yes bool
	c := &cobra.Command{
		Use:   "activate DIR|BUNDLE [--yes]",
		Short: "Show what a policy changes, and activate it in the running service",
		Long: `Show what a policy changes, and activate it in the running service if it passes every
step: its signature where the service requires one, its sequence, compilation, its own
tests, and a table of decisions. If a step fails, the active policy stays. The policy is
active until the service's source of policies changes.

The command shows the difference to the active policy, as svc policy diff does, whether
the table in testdata matches the rules, and which decisions of the last hour would
have been different. If anything changes, the command asks; without a terminal it needs
--yes. With --yes the policy is activated even if the changes can't be shown within
three minutes. A policy that changes more recorded decisions than the service's
threshold, or that needs another person's approval, waits in shadow for svc policy
approve; the exit code is then 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			files, err := o.files(c.Context(), args[0])
			if err != nil {
				return err
			}
			status, err := o.client().PolicyStatus(c.Context())
			if err != nil {
				return err
			}
			from := status.Base().Revision
			changes, err := o.show(c, from, files, yes)
			if err != nil {
				return err
			}
			if !yes && changes && !confirmed(c, "activate") {
				return errNotActivated
			}
			info, err := o.client().ActivatePolicy(c.Context(), files, args[0], from, older)
			err = o.print(c, info, err, func(w io.Writer) { printActive(w, info) })
			if err == nil && info.Held != nil {
				err = errWaits
			}
			return err
		},
	}
	c.Flags().BoolVar(&older, "older", false, "accept a sequence below the highest that was ever active")
	c.Flags().BoolVar(&yes, "yes", false, "activate without asking")
	return c
}

// show prints what an activation would change, and reports whether it would change anything.
// Where that can't be found out it fails, unless it is agreed to already: then it says so
// on standard error, as what runs may have to be replaced at once.
func (o *localOptions) show(c *cobra.Command, from string, files bundle.Snapshot, agreed bool) (changes bool, err error) {
	next, err := policy.NewEvaluator(files)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(c.Context(), previewTimeout)
	defer cancel()
	p, err := o.preview(ctx, from, next, files)
	switch {
	case err == nil:
		out := c.OutOrStdout()
		if o.json {
			out = c.ErrOrStderr()
		}
		return !p.none(), written(out, p.print)
	case c.Context().Err() != nil:
		return false, err
	case agreed:
		fmt.Fprintln(c.ErrOrStderr(), printableText("what changes can't be shown: "+sentence(o.failed(err))))
		return true, nil
	}
	return false, fmt.Errorf("the changes can't be shown; --yes activates without them: %w", err)
}

// preview is what an activation would change.
type preview struct {
	diff   verify.Difference
	replay *replay.Report // nil: there is no decision log here
	silent []string       // sidecars whose logs could not be read
	table  []string       // why the table that the policy carries is not that of its rules
}

// preview compares files, of which next is made, with the active policy.
func (o *localOptions) preview(ctx context.Context, from string, next *policy.Evaluator, files bundle.Snapshot) (*preview, error) {
	active, err := o.client().PolicyFiles(ctx, from)
	if err != nil {
		return nil, err
	}
	before, err := policy.NewEvaluator(active)
	if err != nil {
		return nil, fmt.Errorf("the active policy: %w", err)
	}
	p := &preview{}
	if p.replay, p.silent, err = o.rehearse(ctx, next, before); err != nil {
		return nil, err
	}
	if p.diff, err = verify.Diff(ctx, active, files); err != nil {
		return nil, err
	}
	if _, carried := files[verify.TableFile]; carried && next.Revision() != from {
		_, p.table = verify.CheckTable(ctx, files, next)
	}
	return p, nil
}

// rehearse has both policies make the decisions of the last hour again, those of all sidecars
// with one store; nil without a log. silent are those that did not say what they have.
func (o *localOptions) rehearse(ctx context.Context, next, active *policy.Evaluator) (r *replay.Report, silent []string, err error) {
	since := time.Now().Add(-rehearsed)
	log, err := decisionlog.OpenSince(o.logPath(""), since)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	others, err := o.gather(ctx, decisionlog.Query{Filter: decisionlog.Filter{Since: since}})
	if err != nil {
		return nil, nil, err
	}
	all, err := joined(log, others.Parts)
	if err != nil {
		return nil, nil, err
	}
	report, err := replay.Run(ctx, all, next, replay.Options{Since: since, Against: active})
	return &report, others.Silent, err
}

// none reports whether the policy decides as the active one does, and as its own table says.
func (p *preview) none() bool {
	return p.diff.None() && len(p.table) == 0 && (p.replay == nil || len(p.replay.Changes) == 0)
}

func (p *preview) print(w io.Writer) {
	if p.diff.None() {
		fmt.Fprintln(w, nothingChanges(p.diff))
	}
	printDifference(w, p.diff)
	if len(p.table) > 0 {
		fmt.Fprintln(w, "\nthe table that the policy carries, which reviewers read, is not that of its rules:")
	}
	for _, finding := range p.table {
		fmt.Fprintln(w, "  "+finding)
	}
	if p.replay == nil {
		fmt.Fprintln(w, "\nthere is no decision log in the data directory: no decision was made again")
		return
	}
	fmt.Fprintf(w, "\nof the decisions of the last hour change %d:\n", p.replay.Changed())
	if len(p.silent) > 0 {
		fmt.Fprintln(w, silentSidecars(p.silent))
	}
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
