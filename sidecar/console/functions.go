package console

import (
	"fmt"
	"html/template"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/tables"
)

// buildTime is unknown: static files are told apart by their ETag.
var buildTime time.Time

// functions are those that templates call.
var functions = template.FuncMap{
	"when":  func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 MST") },
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"bytes": humanBytes,
	"count": count,
	"inc":   func(n int) int { return n + 1 },
	"units": tables.Units,
	"number": func(n *float64) string {
		if n == nil {
			return ""
		}
		return api.CellText(*n)
	},
	"capital": capital, "isNumber": isNumber,
	"states": func() []string {
		return []string{policy.KeyActive, policy.KeyDisabled, policy.KeyRevoked}
	},
}

// count writes an integer with its noun.
func count(n any, noun string) string {
	text := fmt.Sprint(n)
	if text != "1" {
		noun += "s"
	}
	return text + " " + noun
}

func humanBytes(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return count(n, "byte")
}

// ago says how long ago an instant was, roughly.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return count(int(d/time.Hour), "hour") + " ago"
	}
	return count(int(d/(24*time.Hour)), "day") + " ago"
}

// until says how long it is to an instant, roughly.
func until(now, t time.Time) string {
	d := t.Sub(now)
	switch {
	case d < time.Minute:
		return "in less than a minute"
	case d < time.Hour:
		return "in " + count(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return "in " + count(int(d/time.Hour), "hour")
	}
	return "in " + count(int(d/(24*time.Hour)), "day")
}
