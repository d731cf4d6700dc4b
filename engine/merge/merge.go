// Package merge brings two changes of one text together, line by line.
package merge

import (
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// edit replaces the lines from to end of the base.
type edit struct {
	from, end int
	lines     []string
}

// Lines makes both changes of base: all of mine, and those of theirs that touch none of
// mine. kept reports whether all of theirs are in it.
func Lines(base, mine, theirs string) (merged string, kept bool) {
	lines := split(base)
	own, others := edits(lines, split(mine)), edits(lines, split(theirs))
	all, kept := slices.Clone(own), true
	for _, e := range others {
		switch at := slices.IndexFunc(own, func(o edit) bool { return touch(o, e) }); {
		case at < 0:
			all = append(all, e)
		case !same(own[at], e):
			kept = false
		}
	}
	slices.SortStableFunc(all, func(a, b edit) int { return a.from - b.from })
	var out []string
	at := 0
	for _, e := range all {
		out = append(append(out, lines[at:e.from]...), e.lines...)
		at = e.end
	}
	return join(append(out, lines[at:]...)), kept
}

// join puts lines together; one that was the last without an end gets one.
func join(lines []string) string {
	for i := range max(len(lines)-1, 0) {
		if !strings.HasSuffix(lines[i], "\n") {
			lines[i] += "\n"
		}
	}
	return strings.Join(lines, "")
}

// edits are what makes other of base.
func edits(base, other []string) []edit {
	var out []edit
	for _, op := range difflib.NewMatcher(base, other).GetOpCodes() {
		if op.Tag != 'e' {
			out = append(out, edit{op.I1, op.I2, other[op.J1:op.J2]})
		}
	}
	return out
}

// touch reports whether two edits are of the same lines, or of lines side by side: where
// one ends the other begins, and nobody can say which comes first.
func touch(a, b edit) bool { return a.from <= b.end && b.from <= a.end }

func same(a, b edit) bool {
	return a.from == b.from && a.end == b.end && slices.Equal(a.lines, b.lines)
}

func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
