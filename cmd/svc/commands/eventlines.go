package commands

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/svc-games/svc/client"
)

// maxDetail bounds a line made of an event, in characters.
const maxDetail = 160

// progress is what the status line shows.
type progress struct {
	stage, message string
	percent        int
}

// progressOf reads a job.progress event.
func progressOf(e client.Event) (progress, bool) {
	p, ok := e.(client.JobProgress)
	return progress{
		stage: printable(string(p.Stage)), message: printable(p.Message), percent: min(max(p.Percent, 0), 100),
	}, ok
}

// linesOf says what an event means to people. An event without lines, such as
// the parts of a message that comes whole later, is not shown.
func linesOf(e client.Event) []string {
	switch e := e.(type) {
	case client.AssistantMessage:
		return strings.Split(printableText(e.Text), "\n")
	case client.ToolCall:
		path, _ := e.Args["path"].(string)
		return []string{detail("·", e.Name, path)}
	case client.ToolResult:
		if e.OK != nil && !*e.OK {
			return []string{detail("✗", e.Name, e.Summary)}
		}
	case client.BuildResult:
		return buildLines(e)
	case client.AuditResult:
		return auditLines(e)
	case client.PlaytestResult:
		return playtestLines(e)
	case client.FixApplied:
		return []string{detail("↻", "fixed", e.Change)}
	case client.Warning:
		return []string{detail("!", e.Message, "")}
	}
	return nil
}

func buildLines(e client.BuildResult) []string {
	if e.OK {
		return []string{detail("✓", "build", fmt.Sprintf("%d bytes", e.Bytes))}
	}
	lines := []string{detail("✗", "build", "")}
	for _, p := range e.Problems {
		place := p.File
		if place != "" && p.Line > 0 {
			place += fmt.Sprintf(":%d", p.Line)
		}
		lines = append(lines, detail("   ", place, p.Text))
	}
	return lines
}

func auditLines(e client.AuditResult) []string {
	if e.OK {
		return []string{detail("✓", "audit", "")}
	}
	lines := []string{detail("✗", "audit", "")}
	for _, f := range e.Findings {
		lines = append(lines, detail("   ", f.File, f.Message))
	}
	return lines
}

func playtestLines(e client.PlaytestResult) []string {
	if !e.OK {
		lines := []string{detail("✗", "playtest", "")}
		for _, problem := range e.Problems {
			lines = append(lines, detail("   ", problem, ""))
		}
		return lines
	}
	if e.BestScore == 0 {
		return []string{detail("✓", "playtest", "")}
	}
	return []string{detail("✓", "playtest", fmt.Sprintf("best score %.0f", e.BestScore))}
}

// detail is one line below the job's: a mark, and what is before and after a colon, either of
// which may be missing.
func detail(mark, what, more string) string {
	separator := ": "
	if what == "" || more == "" {
		separator = ""
	}
	return shorten("  "+mark+" "+printable(what+separator+more), maxDetail)
}

// waitReason says why a submission waits.
func waitReason(r client.Retry) string {
	if refused, ok := errors.AsType[*client.Error](r.Err); ok {
		return printable(refused.Message)
	}
	return "The service does not answer."
}

// printable makes one harmless line of a foreign text: an
// escape sequence in a game's name must not drive the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return ' '
		}
		return r
	}, text)
}

// printableText is printable for text of several lines.
func printableText(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
