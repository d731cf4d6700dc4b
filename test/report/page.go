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
	waitsFile  = "test/report/waits.txt"  // PACKAGE TEST WHAT-IT-WAITS-FOR
	flakesFile = "test/report/flakes.txt" // written by scripts/flakes
)

// page is what docs/testing.md is made of.
type page struct {
	Times           []timed
	Slowest         []slow
	Packages        []slow
	Builds          []built
	Flakes          string
	Passed, Skipped int
}

// timed is one part of a run: seconds of the clock, and of all processors.
type timed struct {
	Name               string
	Wall, User, System float64
}

// slow is a test, or a package with no Test.
type slow struct {
	Package, Test, Waits string
	Seconds              float64
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
		for pkg, seconds := range part.seconds {
			p.Packages = append(p.Packages, slow{Package: pkg, Seconds: seconds, Waits: part.name})
		}
	}
	p.Slowest, p.Packages = longest(p.Slowest, slowest), longest(p.Packages, slowest/2)
	if p.Builds, err = readBuilds(filepath.Join(output, "builds")); err != nil {
		return err
	}
	flakes, err := os.ReadFile(flakesFile)
	if err != nil {
		return fmt.Errorf("reading failures without cause: %w", err)
	}
	p.Flakes = strings.TrimSpace(string(flakes))
	return template.Must(template.New("page").Parse(pageText)).Execute(w, p)
}

// longest returns the n slowest of all, the slowest first.
func longest(all []slow, n int) []slow {
	slices.SortFunc(all, func(a, b slow) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Package+a.Test, b.Package+b.Test))
	})
	return all[:min(n, len(all))]
}

func readTimes(path string) ([]timed, error) {
	var out []timed
	err := lines(path, func(fields []string) error {
		t := timed{Name: fields[0]}
		for i, to := range []*float64{&t.Wall, &t.User, &t.System} {
			var err error
			if *to, err = strconv.ParseFloat(fields[i+1], 64); err != nil {
				return err
			}
		}
		out = append(out, t)
		return nil
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
