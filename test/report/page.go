package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed testing.md.tmpl
var pageText string

// slowest is how many tests the page lists.
const slowest = 40

// The files that people keep, and the script that counts failures.
const (
	waitsFile   = "test/report/waits.txt"   // PACKAGE TEST WHAT-IT-WAITS-FOR
	flakesFile  = "test/report/flakes.txt"  // written by scripts/flakes
	repeatsFile = "test/report/repeats.txt" // written by scripts/repeat
)

// page is what docs/testing.md is made of.
type page struct {
	Times           []timed
	Slowest         []slow
	Packages        []pkg
	Builds          []built
	Flakes, Repeats string
	Passed, Skipped int
}

// timed is one part of a run: seconds of the clock, and of all processors.
type timed struct {
	Name               string
	Wall, User, System float64
}

// slow is a test.
type slow struct {
	Package, Test, Waits string
	Seconds              float64
}

// pkg is a package's tests in one part of a run.
type pkg struct {
	Package, Part             string
	Seconds, Programs, System float64
}

// built is a program, and how often a run built it.
type built struct {
	Program string
	Times   int
}

func writePage(w io.Writer, parts []part) error {
	var p page
	var err error
	if p.Times, err = readTimes(filepath.Join(output, "times")); err != nil {
		return err
	}
	waits, err := readWaits()
	if err != nil {
		return err
	}
	for _, part := range parts {
		for _, t := range part.tests {
			switch {
			case !t.top():
			case t.status == "skip":
				p.Skipped++
			default:
				p.Passed++
				p.Slowest = append(p.Slowest, slow{t.pkg, t.name, waits[t.pkg+" "+t.name], t.seconds})
			}
		}
		for name, seconds := range part.seconds {
			p.Packages = append(p.Packages, pkg{Package: name, Part: part.name, Seconds: seconds})
		}
	}
	p.Slowest = longest(p.Slowest, slowest)
	if p.Packages, err = busiest(p.Packages, filepath.Join(output, "processors"), slowest/2); err != nil {
		return err
	}
	if p.Builds, err = readBuilds(filepath.Join(output, "builds")); err != nil {
		return err
	}
	for file, to := range map[string]*string{flakesFile: &p.Flakes, repeatsFile: &p.Repeats} {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading failures without cause: %w", err)
		}
		*to = strings.TrimSpace(string(text))
	}
	return template.Must(template.New("page").Parse(pageText)).Execute(w, p)
}

// longest returns the n slowest of all, the slowest first.
func longest(all []slow, n int) []slow {
	slices.SortFunc(all, func(a, b slow) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Package+a.Test, b.Package+b.Test))
	})
	return all[:min(n, len(all))]
}

// busiest returns the n packages that had most of the processors, which a file
// says, the busiest first.
func busiest(all []pkg, path string, n int) ([]pkg, error) {
	err := lines(path, func(fields []string) error {
		for i := range all {
			if p := &all[i]; p.Part == fields[0] && p.Package == fields[1] {
				return seconds(fields[2:], &p.Programs, &p.System)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b pkg) int {
		return cmp.Or(cmp.Compare(b.Programs+b.System, a.Programs+a.System), strings.Compare(a.Package+a.Part, b.Package+b.Part))
	})
	return all[:min(n, len(all))], err
}

// seconds reads numbers.
func seconds(fields []string, to ...*float64) (err error) {
	for i := range to {
		if *to[i], err = strconv.ParseFloat(fields[i], 64); err != nil {
			return err
		}
	}
	return nil
}

func readTimes(path string) ([]timed, error) {
	var out []timed
	err := lines(path, func(fields []string) error {
		t := timed{Name: fields[0]}
		err := seconds(fields[1:], &t.Wall, &t.User, &t.System)
		out = append(out, t)
		return err
	})
	return out, err
}

// readWaits reads why tests are slow: by package and test, in words.
func readWaits() (map[string]string, error) {
	out := map[string]string{}
	err := lines(waitsFile, func(fields []string) error {
		if !strings.HasPrefix(fields[0], "#") {
			out[fields[0]+" "+fields[1]] = strings.Join(fields[2:], " ")
		}
		return nil
	})
	return out, err
}

// readBuilds counts the programs that the run built.
func readBuilds(path string) ([]built, error) {
	var out []built
	err := lines(path, func(fields []string) error {
		i := slices.IndexFunc(out, func(b built) bool { return b.Program == fields[0] })
		if i < 0 {
			out = append(out, built{Program: fields[0]})
			i = len(out) - 1
		}
		out[i].Times++
		return nil
	})
	slices.SortFunc(out, func(a, b built) int { return strings.Compare(a.Program, b.Program) })
	return out, err
}

// lines calls read with the words of each line of a file.
func lines(path string, read func(fields []string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		fields := strings.Fields(scan.Text())
		if len(fields) == 0 {
			continue
		}
		if err := read(fields); err != nil {
			return fmt.Errorf("reading %s: %q: %w", path, scan.Text(), err)
		}
	}
	return scan.Err()
}
