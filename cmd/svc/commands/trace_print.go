package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

func printTrace(w io.Writer, t traced) {
	for _, line := range t.Access {
		var a accessLine
		if json.Unmarshal(line, &a) != nil {
			continue
		}
		fmt.Fprintf(w, "%s  %s %s  %d in %s\n", time.UnixMicro(int64(a.Time*1e6)).UTC().Format(time.RFC3339Nano),
			printable(a.Request.Method), printable(a.Request.URI), a.Status, time.Duration(a.Duration*float64(time.Second)).Round(time.Microsecond))
		fmt.Fprintf(w, "user %s, key %s, project %s, job %s, rule %s\n", orDash(printable(a.UserID)), orDash(printable(a.KeyID)),
			orDash(printable(a.ProjectID)), orDash(printable(a.JobID)), orDash(printable(a.Rule)))
	}
	printLogTable(w, slices.Clip(t.Decisions))
	for _, j := range t.Ledger {
		fmt.Fprintf(w, "ledger: job %s of key %s in project %s is %s (%s), %s TIK\n", j.JobID, j.KeyID, j.ProjectID, j.Status, j.State, j.TIKSpent)
	}
	if t.Unread != "" {
		fmt.Fprintln(w, "ledger: not read: "+printableText(t.Unread))
	}
	for _, line := range t.Engine {
		fmt.Fprintln(w, "engine: "+printableText(line))
	}
}
