package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// shown is how many lines of what a failed test said are repeated.
const shown = 25

// errFailed is why the command ends with 1.
var errFailed = errors.New("tests failed; what each said is in " + output + "/logs, what the processes and pages were in " + output + "/artifacts")

// writeFailures writes what failed to failures, and the count of all tests, a
// line that says how many passed, to summary.
func writeFailures(failures, summary io.Writer, parts []part) error {
	var passed, failed, skipped int
	for _, p := range parts {
		for _, t := range p.tests {
			switch {
			case !t.top():
			case t.status == "pass":
				passed++
			case t.status == "skip":
				skipped++
			default:
				failed++
			}
		}
		failed += len(p.faults)
		if err := p.explain(failures); err != nil {
			return err
		}
	}
	fmt.Fprintf(summary, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 {
		return errFailed
	}
	return nil
}

// explain writes what of a part failed.
func (p *part) explain(w io.Writer) error {
	for _, pkg := range slices.Sorted(maps.Keys(p.faults)) {
		log, err := p.keep(pkg, "", p.faults[pkg])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\nFAIL %s, outside of its tests\n", pkg)
		rows(w, []string{"said", essence(p.faults[pkg]), "log", log, "again", p.again(pkg, "")})
	}
	for _, t := range p.failed() {
		log, err := p.keep(t.pkg, t.name, t.said)
		if err != nil {
			return err
		}
		text, at := guarantee(t.pkg, t.name)
		fmt.Fprintf(w, "\nFAIL %s in %s\n", t.name, t.pkg)
		rows(w, []string{"guarantee", text, "at", at, "said", essence(t.said), "log", log, "kept", artifacts(t), "alone", p.again(t.pkg, t.name)})
	}
	return nil
}

// rows writes pairs of a name and a text, without those whose text is empty.
func rows(w io.Writer, pairs []string) {
	for ; len(pairs) > 1; pairs = pairs[2:] {
		if pairs[1] != "" {
			fmt.Fprintf(w, "  %-10s %s\n", pairs[0], strings.ReplaceAll(pairs[1], "\n", "\n             "))
		}
	}
}

// keep writes all that a test said to a file and returns its path.
func (p *part) keep(pkg, name, said string) (string, error) {
	base := strings.Trim(regexp.MustCompile(`[^\w.]+`).ReplaceAllString(pkg+"."+name, "_"), "._")
	path := filepath.Join(output, "logs", p.name, base+".log")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("keeping log: %w", err)
	}
	return path, os.WriteFile(path, []byte(said), 0o644)
}

// artifacts returns the folder that holds what the test kept, "" if there is none.
func artifacts(t test) string {
	found, err := filepath.Glob(filepath.Join(output, "artifacts", "_artifacts", t.pkg, strings.Split(t.name, "/")[0]+"*"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return strings.Join(found, " ")
}

// again returns the command that runs a package, or one test of it.
func (p *part) again(pkg, name string) string {
	run := "./" + pkg
	if name != "" {
		levels := strings.Split(name, "/")
		for i, level := range levels {
			levels[i] = "^" + regexp.QuoteMeta(level) + "$"
		}
		run = "-run '" + strings.Join(levels, "/") + "' " + run
	}
	return strings.Replace(p.command, "%", run, 1)
}

// place is where a test says where it failed: "    file_test.go:12: …".
var place = regexp.MustCompile(`^\s+\S+\.go:\d+: |^panic: |WARNING: DATA RACE`)

// most is how many lines of one complaint are repeated.
const most = 6

// essence returns what a test complained of, or the end of what it said, without
// what the test runner says of its own.
func essence(said string) string {
	var lines, complaints []string
	left := 0 // of a complaint
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "=== ") || strings.TrimSpace(line) == "" {
			continue
		}
		lines = append(lines, line)
		if place.MatchString(line) {
			left = most
		}
		if left--; left >= 0 {
			complaints = append(complaints, line)
		}
	}
	if len(complaints) > 0 {
		return strings.Join(complaints[:min(shown, len(complaints))], "\n")
	}
	if cut := len(lines) - shown; cut > 0 {
		lines = append([]string{fmt.Sprintf("… %d lines before", cut)}, lines[cut:]...)
	}
	return strings.Join(lines, "\n")
}

// writeFailed writes one line for each failed test.
func writeFailed(w io.Writer, parts []part) error {
	var b bytes.Buffer
	for _, p := range parts {
		for _, t := range p.failed() {
			fmt.Fprintf(&b, "%s %s\n", t.pkg, t.name)
		}
		for _, pkg := range slices.Sorted(maps.Keys(p.faults)) {
			fmt.Fprintf(&b, "%s (outside of its tests)\n", pkg)
		}
	}
	_, err := b.WriteTo(w)
	return err
}
