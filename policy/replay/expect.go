package replay

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Expectations are changes that a replay may find.
type Expectations []expectation

// expectation is a line "ACTION: OLD -> NEW"; ACTION may be "*".
type expectation struct{ action, from, to string }

// ReadExpectations reads one expected change a line, in the words of a
// report: "status: 403 project.forbidden -> 200 allowed", or with "*" for any
// action. Empty lines and those that begin with "#" are left out.
func ReadExpectations(from io.Reader) (Expectations, error) {
	var all Expectations
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		action, rest, hasAction := strings.Cut(line, ": ")
		old, now, hasArrow := strings.Cut(rest, " -> ")
		if !hasAction || !hasArrow {
			return nil, fmt.Errorf("reading expected changes, line %d: want \"ACTION: OLD -> NEW\", for example \"*: 403 project.forbidden -> 200 allowed\"", n)
		}
		all = append(all, expectation{action, strings.TrimSpace(old), strings.TrimSpace(now)})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading expected changes: %w", err)
	}
	return all, nil
}

func (all Expectations) match(g Group) bool {
	return slices.ContainsFunc(all, func(e expectation) bool {
		return (e.action == "*" || e.action == string(g.Action)) && e.from == g.Old && e.to == g.New
	})
}
