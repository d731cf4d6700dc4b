// Package tables writes usage and statements as tables: CSV for programs and
// spreadsheets, rows for whoever prints them otherwise.
package tables

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/keys"
)

// WriteCSV writes a header and rows.
func WriteCSV(w io.Writer, header []string, rows [][]string) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	return out.WriteAll(rows)
}

// text is what somebody typed, such that a spreadsheet doesn't take it for a
// formula.
func text(s string) string {
	if strings.HasPrefix(s, "=") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "@") {
		return "'" + s
	}
	return s
}

// Limit writes a limit, of jobs or TIK; "" is unlimited.
func Limit[N int64 | api.TIK](n *N) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// Time writes an instant as CSV has it.
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// UsageHeader names the columns of Usage.
var UsageHeader = []string{
	"key", "name", "user", "masked", "state", "jobsToday", "jobsPerDay", "jobsThisMonth", "jobsPerMonth",
	"runningJobs", "maxConcurrentJobs", "tikThisMonth", "tikPerMonth", "tikSpent", "dayResetsAt", "monthResetsAt",
}

// Usage returns a row for each key's usage; a limit that the key doesn't have
// is empty.
func Usage(usages []keys.Usage) [][]string {
	rows := make([][]string, len(usages))
	for i, u := range usages {
		rows[i] = []string{
			u.KeyID, text(u.Name), u.UserID, u.Masked, u.State,
			strconv.FormatInt(u.JobsToday, 10), Limit(u.Limits.JobsPerDay),
			strconv.FormatInt(u.JobsThisMonth, 10), Limit(u.Limits.JobsPerMonth),
			strconv.FormatInt(u.RunningJobs, 10), Limit(u.Limits.MaxConcurrentJobs),
			u.TIKThisMonth.String(), Limit(u.Limits.TIKPerMonth),
			u.TIKSpent.String(), Time(u.DayResetsAt), Time(u.MonthResetsAt),
		}
	}
	return rows
}

// DailyHeader names the columns of Daily.
var DailyHeader = []string{"date", "key", "name", "jobs", "tik"}

// Daily returns a row for each day of each key; names are the keys' by id.
func Daily(days []keys.Day, names map[string]string) [][]string {
	rows := make([][]string, len(days))
	for i, d := range days {
		rows[i] = []string{d.Date, d.KeyID, text(names[d.KeyID]), strconv.FormatInt(d.Jobs, 10), d.TIK.String()}
	}
	return rows
}

// StatementHeader names the columns of Statement.
var StatementHeader = []string{"at", "kind", "tik", "sum", "key", "project", "job", "units"}

// Statement returns a row for each entry, with its time written by at. sum is
// of the entries up to each: for a whole statement, the balance.
func Statement(entries []keys.Entry, at func(time.Time) string) [][]string {
	var sum api.TIK
	rows := make([][]string, len(entries))
	for i, e := range entries {
		sum += e.TIK
		rows[i] = []string{
			at(e.At), e.Kind, e.TIK.String(), sum.String(), e.KeyID, e.ProjectID, e.JobID, Units(e.Units),
		}
	}
	return rows
}

// Units writes what was charged as people read it.
func Units(units []contract.Unit) string {
	list := make([]string, len(units))
	for i, u := range units {
		list[i] = fmt.Sprintf("%d %s", u.Quantity, u.Name)
	}
	return strings.Join(list, ", ")
}
