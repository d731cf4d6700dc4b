package commands

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
)

// barWidth is how many characters a full usage bar has.
const barWidth = 20

// printFields prints names and values, aligned.
func printFields(w io.Writer, fields [][2]string) {
	rows := make([][]string, len(fields))
	for i := range fields {
		rows[i] = fields[i][:]
	}
	printTable(w, rows)
}

// printTable prints rows of as many cells each, aligned. What is in a cell stays
// there: users name their keys and projects.
func printTable(w io.Writer, rows [][]string) {
	var aligned strings.Builder
	tw := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable(cell)
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	tw.Flush()
	for line := range strings.Lines(aligned.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

func keyFields(k keys.Key) [][2]string {
	return [][2]string{
		{"key", k.ID},
		{"name", k.Name},
		{"user", k.UserID},
		{"masked", k.Masked},
		{"state", k.State},
		{"scopes", strings.Join(k.Scopes, " ")},
		{"labels", printTexts(k.Labels)},
		{"jobs per day", printLimit(k.Limits.JobsPerDay)},
		{"jobs per month", printLimit(k.Limits.JobsPerMonth)},
		{"max concurrent jobs", printLimit(k.Limits.MaxConcurrentJobs)},
		{"TIK per month", printLimit(k.Limits.TIKPerMonth)},
		{"created", printTime(k.CreatedAt)},
		{"last used", printUsed(k.LastUsedAt)},
	}
}

// printTexts writes names and values in the order of their names.
func printTexts(texts map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		words = append(words, name+"="+texts[name])
	}
	return strings.Join(words, " ")
}

func printKeys(w io.Writer, list []keys.Key) {
	rows := [][]string{{"ID", "USER", "NAME", "MASKED", "STATE", "DAY", "MONTH", "AT ONCE", "TIK/MONTH", "LAST USED"}}
	for _, k := range list {
		rows = append(rows, []string{
			k.ID, k.UserID, k.Name, k.Masked, k.State,
			printLimit(k.Limits.JobsPerDay), printLimit(k.Limits.JobsPerMonth),
			printLimit(k.Limits.MaxConcurrentJobs), printLimit(k.Limits.TIKPerMonth), printUsed(k.LastUsedAt),
		})
	}
	printTable(w, rows)
}

// printUsage prints what a key used, with a bar for each limit it has.
func printUsage(w io.Writer, u keys.Usage) {
	fmt.Fprintf(w, "%s  %s  (%s, user %s, %s)\n", u.KeyID, printable(u.Name), u.Masked, u.UserID, u.State)
	day, month := "resets "+printTime(u.DayResetsAt), "resets "+printTime(u.MonthResetsAt)
	count := func(name string, used int64, limit *int64, reset string) []string {
		return []string{name, fmt.Sprintf("%d of %s", used, printLimit(limit)), bar(used, limit), reset}
	}
	printTable(w, [][]string{
		count("jobs today", u.JobsToday, u.Limits.JobsPerDay, day),
		count("jobs this month", u.JobsThisMonth, u.Limits.JobsPerMonth, month),
		count("running jobs", u.RunningJobs, u.Limits.MaxConcurrentJobs, ""),
		{
			"TIK this month", fmt.Sprintf("%s of %s", u.TIKThisMonth, printLimit(u.Limits.TIKPerMonth)),
			bar(int64(u.TIKThisMonth), (*int64)(u.Limits.TIKPerMonth)), month,
		},
		{"TIK in all", u.TIKSpent.String(), "", ""},
	})
}

// bar draws used out of limit, or nothing for no limit.
func bar(used int64, limit *int64) string {
	if limit == nil {
		return ""
	}
	full := barWidth
	if used < *limit {
		full = int(float64(used) / float64(*limit) * barWidth)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

func printLimit[T int64 | api.TIK](n *T) string {
	if n == nil {
		return unlimited
	}
	return fmt.Sprint(*n)
}

func printUsed(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return printTime(*t)
}

func printTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
