package commands

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy/change"
	"github.com/svc-games/svc/sidecar/activation"
)

// errDegraded is the error of svc policy status while the policy is not the
// one that is wanted.
var errDegraded = errors.New("the policy of the source is not active")

func policyStatusCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the active policy, any problem with the newest one, and earlier policies",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			status, err := o.client().PolicyStatus(c.Context())
			err = o.print(c, status, err, func(w io.Writer) { printPolicyStatus(w, status) })
			if err == nil && status.Degraded {
				err = errDegraded
			}
			return err
		},
	}
}

func printPolicyStatus(out io.Writer, s activation.Status) {
	state := "ok"
	if s.Degraded {
		state = "degraded"
	}
	signed := "not required"
	if s.Signed {
		signed = "required"
	}
	fields := [][2]string{
		{"state", state}, {"active", s.Active.Revision}, {"wanted", s.Wanted}, {"source", s.Source}, {"signature", signed},
	}
	if p := s.Problem; p != nil {
		fields = append(fields,
			[2]string{"problem", "step " + p.Step + " at " + printTime(p.At)}, [2]string{"advice", p.Advice})
	}
	if s.Waiting != nil && s.Waiting.Held != nil {
		fields = append(fields, [2]string{"waiting", fmt.Sprintf("%s of %s, by %s since %s: %s; see svc policy approve", s.Waiting.Revision,
			s.Waiting.Source, s.Waiting.ActivatedBy, printTime(s.Waiting.ActivatedAt), *s.Waiting.Held)})
	}
	if s.Shadow != nil {
		fields = append(fields, [2]string{"shadow", fmt.Sprintf("%s of %s since %s, %g of the decisions",
			s.Shadow.Revision, s.Shadow.Source, printTime(s.Shadow.Since), s.Shadow.Sample)})
	}
	printFields(out, fields)
	if p := s.Problem; p != nil {
		fmt.Fprintf(out, "\n%s\n", p.Error)
	}
	rows := [][]string{{"", "NO", "REVISION", "SEQUENCE", "ACTIVATED", "BY", "FROM"}}
	for i := len(s.Generations) - 1; i >= 0; i-- {
		g := s.Generations[i]
		mark, sequence := "", "-"
		if g.Number == s.Active.Number {
			mark = "*"
		}
		if g.Sequence > 0 {
			sequence = strconv.FormatInt(g.Sequence, 10)
		}
		rows = append(rows, []string{
			mark, strconv.FormatInt(g.Number, 10), g.Revision, sequence, printTime(g.ActivatedAt), g.ActivatedBy, g.Source,
		})
	}
	fmt.Fprintln(out)
	printTable(out, rows)
	printSidecars(out, s)
}

// printSidecars prints by what the sidecars with one store decide, and which of them not by
// what all are to; nothing where there is but one.
func printSidecars(out io.Writer, s activation.Status) {
	if len(s.Sidecars) < 2 {
		return
	}
	rows := [][]string{{"SIDECAR", "REVISION", "SEEN", ""}}
	for _, one := range s.Sidecars {
		differs := ""
		if one.Revision != s.Base().Revision {
			differs = "differs"
		}
		rows = append(rows, []string{one.Name, one.Revision, printTime(one.SeenAt), differs})
	}
	fmt.Fprintln(out)
	printTable(out, rows)
}

// printActive says also what the service counted in its own decision log, which the command
// may not have.
func printActive(w io.Writer, info activation.Info) {
	switch {
	case info.Held != nil:
		fmt.Fprintf(w, "waiting: %s, generation %d: %s\n", info.Revision, info.Number, *info.Held)
	case info.Changes != nil:
		fmt.Fprintf(w, "active: %s, generation %d: %s\n", info.Revision, info.Number, *info.Changes)
	default:
		fmt.Fprintf(w, "active: %s, generation %d\n", info.Revision, info.Number)
	}
}

func policyShadowCommand(o *localOptions) *cobra.Command {
	var off, report bool
	var sample float64
	c := &cobra.Command{
		Use:   "shadow DIR|BUNDLE [--sample R] | --report | --off",
		Short: "Run a policy in shadow in the running service, without effect",
		Long: `Run a policy in shadow in the running service: it sees the same facts and has no
effect on any answer. --report shows which decisions would have been different
since it began, --off ends it and shows the last report. A policy that waits for svc policy
approve is in shadow at each sidecar with the same store, another one at this one alone:
the report is of all that have it in shadow, but for the last one of --off.`,
		Args: func(_ *cobra.Command, args []string) error {
			wanted := 1
			if off || report {
				wanted = 0
			}
			if len(args) != wanted {
				return errors.New("want a policy, --report or --off")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			client := o.client()
			if off || report {
				ask := client.ShadowReport
				if off {
					ask = client.EndShadow
				}
				r, err := ask(c.Context())
				return o.print(c, r, err, func(w io.Writer) { printReport(w, r) })
			}
			files, err := o.files(c.Context(), args[0])
			if err != nil {
				return err
			}
			candidate, err := client.ShadowPolicy(c.Context(), files, args[0], sample)
			return o.print(c, candidate, err, func(w io.Writer) {
				fmt.Fprintf(w, "in shadow: %s; see svc policy shadow --report\n", candidate.Revision)
			})
		},
	}
	c.Flags().BoolVar(&off, "off", false, "end the shadow")
	c.Flags().BoolVar(&report, "report", false, "show which decisions would have been different in shadow")
	c.Flags().Float64Var(&sample, "sample", 1, "share of the decisions, above 0 and at most 1")
	c.MarkFlagsMutuallyExclusive("off", "report", "sample")
	return c
}

func printReport(out io.Writer, r activation.Report) {
	at := ""
	if r.Sidecars > 0 {
		at = " at " + change.Count(r.Sidecars, "sidecar")
	}
	fmt.Fprintf(out, "%s since %s: %d decisions compared%s, %d failed, %d without time for it\n",
		r.Revision, printTime(r.Since), r.Compared, at, r.Failed, r.Dropped)
	if len(r.Silent) > 0 {
		fmt.Fprintln(out, printableText(silentSidecars(r.Silent)))
	}
	for _, difference := range r.Differences {
		fmt.Fprintln(out, "would change: "+difference.String())
	}
	if len(r.Differences) == 0 {
		fmt.Fprintln(out, "no decision would change")
	}
}
