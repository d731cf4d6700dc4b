package commands

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/change"
	"github.com/svc-games/svc/policy/decisionlog"
)

// defaultLog is how many decisions svc policy log shows.
const defaultLog = 100

func policyLogCommand(o *localOptions) *cobra.Command {
	var f decisionlog.Filter
	var logFile, since, until, action string
	var last int
	var follow bool
	c := &cobra.Command{
		Use:   "log [--who ID] [--rule RULE] [--status N] [--since TIME] …",
		Short: "Show recorded decisions: who asked, for what, and which rule decided",
		Long: `Show recorded decisions, the newest last: who asked, for what, and which rule decided.
All given filters must match. --who is the id of a key or of a user; --status 503 means
that no decision was made. A record may stand for several similar decisions, with their
count. "(asked)" marks decisions that were asked for over OPA's API or AuthZEN's, on facts
that are the asker's. Where several sidecars share a store, the running service asks the
others for what their logs have; with --log only that file is read.

--follow prints each record as a line of JSON, those that the newest file of the log holds
and all that come, until it is interrupted.`,
		Example: "  svc policy log --who alice --refused --since 24h\n  svc policy log --request 6f1c2f6e-8a2d-4c55-9d0b-1c7c2e0f6a11",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if last < 0 {
				return misused("--last can't be negative: want a number of decisions, or 0 for all")
			}
			var err error
			if f.Since, err = readTime("since", since); err != nil {
				return err
			}
			if f.Until, err = readTime("until", until); err != nil {
				return err
			}
			f.Action = policy.Action(action)
			if follow {
				return o.followLog(c, logFile, f)
			}
			log, err := o.openLog(c, logFile)
			if err != nil {
				return err
			}
			defer log.Close()
			selection, err := decisionlog.Select(log, f, last)
			for _, part := range o.others(c, logFile, decisionlog.Query{Filter: f, Last: last}) {
				if err == nil {
					err = selection.Add(part, f, last)
				}
			}
			return o.print(c, selection, err, func(w io.Writer) { printSelection(w, selection) })
		},
	}
	logFlag(c, &logFile)
	c.Flags().StringVar(&f.Who, "who", "", "only decisions about this key, or this user's keys")
	c.Flags().StringVar(&f.Project, "project", "", "only decisions about this project, even one that does not exist")
	c.Flags().StringVar(&action, "action", "", "only decisions on this action")
	c.Flags().StringVar(&f.Rule, "rule", "", "only decisions by this rule")
	c.Flags().IntVar(&f.Status, "status", 0, "only decisions with this status")
	c.Flags().BoolVar(&f.Refused, "refused", false, "only refusals")
	c.Flags().StringVar(&f.RequestID, "request", "", "only decisions on this request, by its X-Request-Id")
	c.Flags().StringVar(&f.Revision, "revision", "", "only decisions of this policy, by its revision or the start of it")
	c.Flags().StringVar(&since, "since", "", "only decisions since this time, or since so long ago")
	c.Flags().StringVar(&until, "until", "", "only decisions before this time, or before so long ago")
	c.Flags().BoolVar(&follow, "follow", false, "print decisions as they are recorded, as lines of JSON")
	c.Flags().IntVar(&last, "last", defaultLog, "how many of the newest decisions; 0 for all")
	return c
}

// followLog prints records until the command is interrupted, and those of that moment.
func (o *localOptions) followLog(c *cobra.Command, logFile string, f decisionlog.Filter) error {
	if logFile == "-" {
		return misused("standard input can't be followed: name a file with --log")
	}
	ctx, cancel := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	return decisionlog.Follow(ctx, o.logPath(logFile), f, func(line []byte) error {
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n", line)
		return err
	})
}

func printSelection(w io.Writer, s decisionlog.Selection) {
	printLogTable(w, s.Records)
	if s.Unreadable > 0 {
		fmt.Fprintf(w, "%d lines are not records\n", s.Unreadable)
	}
	shown := ""
	if len(s.Records) < s.Matched {
		shown = fmt.Sprintf(", of %d records the last %d are shown", s.Matched, len(s.Records))
	}
	fmt.Fprintf(w, "%s%s\n", change.Count(s.Decisions, "decision"), shown)
}

// printLogTable prints nothing without a record.
func printLogTable(w io.Writer, records []decisionlog.Record) {
	if len(records) == 0 {
		return
	}
	rows := [][]string{{"TIME", "STATUS", "RULE", "ACTION", "USER", "KEY", "PROJECT", "COUNT", "DECISION", "REQUEST"}}
	for _, r := range records {
		status, rule := r.Outcome()
		key, user := r.Subject()
		action := string(r.Input.Action)
		if r.Path == decisionlog.AskedPath {
			action += " (asked)"
		}
		rows = append(rows, []string{
			r.Timestamp.UTC().Format(time.RFC3339), orDash(status), orDash(rule), action, orDash(user), orDash(key), orDash(r.Project()),
			strconv.FormatInt(max(1, r.Count), 10), r.DecisionID, orDash(r.RequestID),
		})
	}
	printTable(w, rows)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
