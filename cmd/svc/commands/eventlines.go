package commands

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/svc-games/svc/api"
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
func progressOf(e api.Event) (progress, bool) {
	if e.Type != api.EventProgress {
		return progress{}, false
	}
	percent, _ := e.Members["percent"].(float64)
	return progress{
		stage: member(e, "stage"), message: member(e, "message"), percent: min(max(int(percent), 0), 100),
	}, true
}

// linesOf says what an event means to people. An event without lines, such as
// the parts of a message that comes whole later, is not shown.
func linesOf(e api.Event) []string {
	switch e.Type {
	case api.EventAssistantMessage:
		return strings.Split(printableText(member(e, "text")), "\n")
	case api.EventToolCall:
		return []string{shorten("  · "+join(member(e, "name"), pathOf(e)), maxDetail)}
	case api.EventToolResult:
		if ok, known := e.Members["ok"].(bool); known && !ok {
			return []string{shorten("  ✗ "+join(member(e, "name"), summaryOf(e)), maxDetail)}
		}
	case api.EventBuildResult:
		return resultLines("build", e)
	case api.EventAuditResult:
		return resultLines("audit", e)
	case api.EventPlaytestResult:
		return resultLines("playtest", e)
	case api.EventFixApplied:
		return []string{shorten("  ↻ "+join("fixed", summaryOf(e)), maxDetail)}
	case api.EventWarning:
		return []string{shorten("  ! "+summaryOf(e), maxDetail)}
	}
	return nil
}

// resultLines shows a result with its mark, and the problems of a bad one.
func resultLines(what string, e api.Event) []string {
	if ok, _ := e.Members["ok"].(bool); ok {
		return []string{shorten("  ✓ "+join(what, summaryOf(e)), maxDetail)}
	}
	lines := []string{shorten("  ✗ "+join(what, summaryOf(e)), maxDetail)}
	for _, name := range []string{"problems", "findings", "errors"} {
		problems, _ := e.Members[name].([]any)
		for _, problem := range problems {
			if line := problemLine(problem); line != "" {
				lines = append(lines, shorten("      "+line, maxDetail))
			}
		}
	}
	return lines
}

// problemLine is a problem as file:line:column: message.
func problemLine(v any) string {
	problem, ok := v.(map[string]any)
	if !ok {
		text, _ := v.(string)
		return printable(text)
	}
	place, _ := problem["file"].(string)
	for _, name := range []string{"line", "column"} {
		if n, ok := problem[name].(float64); ok && place != "" {
			place += fmt.Sprintf(":%d", int(n))
		}
	}
	message, _ := problem["message"].(string)
	if place == "" {
		return printable(message)
	}
	return printable(place + ": " + message)
}

// waitReason says why a submission waits.
func waitReason(r client.Retry) string {
	var refused *client.Error
	if errors.As(r.Err, &refused) {
		return printable(refused.Message)
	}
	return "The service does not answer."
}

func member(e api.Event, name string) string {
	text, _ := e.Members[name].(string)
	if e.Type == api.EventAssistantMessage {
		return text
	}
	return printable(text)
}

func summaryOf(e api.Event) string {
	for _, name := range []string{"message", "summary", "verdict"} {
		if text := member(e, name); text != "" {
			return text
		}
	}
	if bytes, ok := e.Members["bytes"].(float64); ok {
		return fmt.Sprintf("%.0f bytes", bytes)
	}
	if score, ok := e.Members["bestScore"].(float64); ok {
		return fmt.Sprintf("best score %.0f", score)
	}
	return ""
}

// pathOf is the file that a tool call is about.
func pathOf(e api.Event) string {
	if path := member(e, "path"); path != "" {
		return path
	}
	for _, name := range []string{"input", "args"} {
		input, _ := e.Members[name].(map[string]any)
		if path, ok := input["path"].(string); ok {
			return printable(path)
		}
	}
	return ""
}

func join(what, detail string) string {
	if detail == "" {
		return what
	}
	return what + ": " + detail
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
