package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy/change"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/replay"
)

func policyReplayCommand(o *localOptions) *cobra.Command {
	var logFile, name, expectFile, since, against string
	c := &cobra.Command{
		Use:   "replay --policy DIR [--against DIR] [--since TIME] [--log FILE] [--expect FILE]",
		Short: "Evaluate recorded decisions again and show which would have been different",
		Long: `Evaluate recorded decisions again and show which would have been different. The
log has one decision a line, as JSON, with the field names of OPA's decision log;
without --log it is the service's log in the data directory, rotated files
included, with what other sidecars with the same store recorded, of each the last
32 MiB. FILE may be "-" for standard input. --since takes a time,
2026-11-20T12:00:00Z, or a duration before now, 90m; --against compares with
another policy instead of the recorded decisions.

Each line of the file of expected changes is "ACTION: OLD -> NEW", worded like
the output, for example "status: 403 project.forbidden -> 200 allowed"; ACTION
may be "*". Exit code 1 when a change is not expected.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := o.evaluator(c.Context(), name)
			if err != nil {
				return err
			}
			options, err := o.replayOptions(c.Context(), expectFile, since, against)
			if err != nil {
				return err
			}
			log, err := o.openLog(c, logFile)
			if err != nil {
				return err
			}
			defer log.Close()
			all, err := joined(log, o.others(c, logFile, decisionlog.Query{Filter: decisionlog.Filter{Since: options.Since}}))
			if err != nil {
				return err
			}
			report, err := replay.Run(c.Context(), all, e, options)
			err = o.print(c, report, err, func(w io.Writer) { printReplay(w, report) })
			if err == nil && report.Unexpected() {
				err = errors.New("decisions change unexpectedly")
			}
			return err
		},
	}
	logFlag(c, &logFile)
	c.Flags().StringVar(&name, "policy", "", `the policy to decide with: a directory, a bundle, "active" or "embedded"`)
	c.Flags().StringVar(&against, "against", "", `the policy to compare with, given like --policy (default the recorded decisions)`)
	c.Flags().StringVar(&since, "since", "", "only decisions since this time, or since so long ago")
	c.Flags().StringVar(&expectFile, "expect", "", "file of expected changes")
	require(c, "policy")
	return c
}

// replayOptions reads the flags of a replay.
func (o *localOptions) replayOptions(ctx context.Context, expectFile, since, against string) (replay.Options, error) {
	var options replay.Options
	var err error
	if options.Expected, err = readExpectations(expectFile); err != nil {
		return options, err
	}
	if options.Since, err = readTime("since", since); err != nil {
		return options, err
	}
	if against != "" {
		options.Against, err = o.evaluator(ctx, against)
	}
	return options, err
}

// readTime reads a flag with a time, or how long ago that is; "" is the zero time.
func readTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		err = misused("--%s wants a time like 2026-11-20T12:00:00Z or a duration like 90m, is %s", flag, text)
	}
	return at, err
}

func logFlag(c *cobra.Command, logFile *string) {
	c.Flags().StringVar(logFile, "log", "",
		`the decision log, or "-" for standard input (default `+decisionlog.FileName+` of the data directory)`)
}

// logPath returns where a decision log is: the service's own without a name.
func (o *localOptions) logPath(name string) string {
	if name == "" {
		return filepath.Join(o.dataDir, decisionlog.FileName)
	}
	return name
}

// openLog opens a decision log.
func (o *localOptions) openLog(c *cobra.Command, name string) (io.ReadCloser, error) {
	switch name {
	case "":
		path := o.logPath("")
		log, err := decisionlog.OpenAll(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no decision log %s: name one with --log, or the data directory of the service with --data-dir", path)
		}
		return log, err
	case "-":
		return io.NopCloser(c.InOrStdin()), nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening the decision log: %w", err)
	}
	return file, nil
}

func readExpectations(name string) (replay.Expectations, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening the expected changes: %w", err)
	}
	defer file.Close()
	return replay.ReadExpectations(file)
}

func printReplay(out io.Writer, report replay.Report) {
	if report.Unreadable > 0 {
		fmt.Fprintf(out, "%d lines could not be decided again; the first: %s\n", report.Unreadable, report.FirstUnreadable)
	}
	if report.Ledger > 0 {
		fmt.Fprintf(out, "%s left out: the ledger's, which no policy decides\n", change.Count(report.Ledger, "record"))
	}
	if report.Refused > 0 {
		fmt.Fprintf(out, "%s left out: refusals of the console and of gateways, which no policy decides\n", change.Count(report.Refused, "record"))
	}
	if report.Asked > 0 {
		fmt.Fprintf(out, "%s left out: what others asked over OPA's API or AuthZEN's\n", change.Count(report.Asked, "record"))
	}
	for _, group := range report.Changes {
		expected := ""
		if group.Expected {
			expected = ", expected"
		}
		fmt.Fprintf(out, "%s%s\n", group, expected)
	}
	fmt.Fprintf(out, "%s in %s\n", change.Count(report.Decisions, "decision"), report.Duration.Round(time.Millisecond))
}
