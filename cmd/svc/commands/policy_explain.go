package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/replay"
)

// explained is an explanation, and the other decisions on the request that was
// asked for.
type explained struct {
	replay.Explanation
	Request []decisionlog.Record `json:"request,omitempty"`
}

func policyExplainCommand(o *localOptions) *cobra.Command {
	var logFile, name string
	c := &cobra.Command{
		Use:   "explain DECISION_ID|REQUEST_ID [--log FILE] [--policy DIR]",
		Short: "Explain a recorded decision: its rules and the trace",
		Long: `Explain a recorded decision: its rules and the trace. For a request, named by the
X-Request-Id of its answer, all decisions are listed and the one that determined the
answer is explained: a replay if there is one, else the first refusal, else the last
decision. Projects left out of a list do not count as refusals. The policy is the one
that decided; it is kept as long as the log has a decision of it. Where several sidecars
share a store, the running service asks the others; with --log only that file is read.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			log, err := o.openLog(c, logFile)
			if err != nil {
				return err
			}
			defer log.Close()
			records, err := decisionlog.Find(log, args[0])
			if errors.Is(err, decisionlog.ErrNotFound) || err == nil && records[0].DecisionID != args[0] {
				records, err = findAll(records, err, o.others(c, logFile, decisionlog.Query{ID: args[0]}), args[0])
			}
			if err != nil {
				return err
			}
			record := answering(records)
			e, err := o.explainer(c.Context(), name, o.logPath(logFile), record)
			if err != nil {
				return err
			}
			var x explained
			if x.Explanation, err = replay.Explain(c.Context(), e, record); len(records) > 1 {
				x.Request = records
			}
			return o.print(c, x, err, func(w io.Writer) {
				printLogTable(w, x.Request)
				printExplanation(w, x.Explanation)
			})
		},
	}
	logFlag(c, &logFile)
	c.Flags().StringVar(&name, "policy", "",
		`the policy to explain with: a directory, a bundle, "active" or "embedded" (default the one that decided)`)
	return c
}

// findAll adds the records that other sidecars have of a decision or request; err is that of
// the log here.
func findAll(records []decisionlog.Record, err error, parts []decisionlog.Part, id string) ([]decisionlog.Record, error) {
	for _, part := range parts {
		lines, failed := part.Open()
		var more []decisionlog.Record
		if failed == nil {
			more, failed = decisionlog.Find(lines, id)
		}
		switch {
		case failed == nil:
			records, err = append(records, more...), nil
		case !errors.Is(failed, decisionlog.ErrNotFound):
			return nil, failed
		}
	}
	slices.SortStableFunc(records, func(a, b decisionlog.Record) int { return a.Timestamp.Compare(b.Timestamp) })
	return records, err
}

// answering returns which of the decisions on a request its answer was.
func answering(records []decisionlog.Record) decisionlog.Record {
	if i := slices.IndexFunc(records, func(r decisionlog.Record) bool { return r.Path == decisionlog.ReplayPath }); i >= 0 {
		return records[i]
	}
	list := slices.IndexFunc(records, isList)
	refused := func(r decisionlog.Record) bool {
		return r.Result == nil || !r.Result.Allow && (list < 0 || r.Input.Action != policy.ActionGetProject)
	}
	switch i := slices.IndexFunc(records, refused); {
	case i >= 0:
		return records[i]
	case list >= 0:
		return records[list]
	}
	return records[len(records)-1]
}

// isList reports whether a list was allowed, which then asks of each project whether it may
// be got, and leaves out those that may not.
func isList(r decisionlog.Record) bool {
	return r.Result != nil && r.Result.Allow && (r.Input.Action == policy.ActionListProjects || r.Input.Action == policy.ActionListJobs)
}

// explainer returns the policy to explain a decision with: the one that is
// named, else the one that decided, which is kept with the log, or svc has, or the
// running service.
func (o *localOptions) explainer(ctx context.Context, name, logPath string, r decisionlog.Record) (*policy.Evaluator, error) {
	if name != "" {
		return o.evaluator(ctx, name)
	}
	for _, open := range []func() (fs.FS, error){
		func() (fs.FS, error) { return decisionlog.Policy(logPath, r.Revision()) },
		func() (fs.FS, error) { return policy.Embedded(), nil },
	} {
		if files, err := open(); err == nil {
			if e, err := policy.NewEvaluator(files); err == nil && e.Revision() == r.Revision() {
				return e, nil
			}
		}
	}
	files, err := o.client().DecidedPolicy(ctx, r.Revision())
	if err != nil {
		return nil, fmt.Errorf("getting policy %s, which decided: %w; or name another with --policy", r.Revision(), err)
	}
	return policy.NewEvaluator(files)
}

// notOfThePolicy says of each path of records that are no decisions on requests what they
// are, and what the explanation shows.
var notOfThePolicy = map[string]string{
	decisionlog.LedgerPath:  "refused by the ledger, which looks again when it admits a job; below is the policy on the facts of just after",
	decisionlog.ReplayPath:  "answered with the job of an earlier submission with the same Idempotency-Key; below is the policy on the facts of just after",
	decisionlog.RefusalPath: "refused by the console or a gateway; below is the policy, which was not asked about what was refused",
	decisionlog.AskedPath:   "asked for over OPA's API or AuthZEN's, on facts that are the asker's",
}

func printExplanation(out io.Writer, x replay.Explanation) {
	fmt.Fprintf(out, "decision %s of %s, action %s\n", x.Record.DecisionID, x.Record.Timestamp.Format(time.RFC3339), x.Record.Input.Action)
	if recorded := x.Record.Revision(); recorded != x.Revision {
		fmt.Fprintf(out, "decided by policy %s, explained by %s\n", recorded, x.Revision)
	}
	if of := notOfThePolicy[x.Record.Path]; of != "" {
		fmt.Fprintln(out, of)
	}
	if x.Record.Result != nil {
		fmt.Fprintf(out, "recorded: %d %s %s\n", x.Record.Result.Status, x.Record.Result.Rule, x.Record.Result.Error)
	}
	if x.Decision != nil {
		fmt.Fprintf(out, "now:      %d %s %s\n", x.Decision.Status, x.Decision.Rule, x.Decision.Error)
	} else {
		fmt.Fprintf(out, "now:      %s\n", x.Error)
	}
	fmt.Fprintln(out, "\nrules:")
	for _, rule := range x.Rules {
		held := "-"
		if rule.Held {
			held = "+"
		}
		fmt.Fprintf(out, "%s %s  %s\n", held, rule.Name, rule.Place)
	}
	fmt.Fprintf(out, "\ntrace:\n%s", x.Trace)
}
