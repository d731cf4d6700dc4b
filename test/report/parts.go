package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// part is one call of "go test".
type part struct {
	name    string
	command string // what runs a package of it, with % for the package
	tests   []test
	seconds map[string]float64 // by package
	faults  map[string]string  // what a package said that failed outside of its tests
}

// test is a test or subtest that ran.
type test struct {
	pkg, name string
	seconds   float64
	status    string // pass, fail or skip
	said      string
}

// module is cut from the names of packages.
const module = "github.com/svc-games/svc/"

// event is one line of test2json; see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
	ImportPath                    string // of a build
}

// readParts reads the parts of the last run, in the order of their names.
func readParts(dir string) ([]part, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no test run is in %s: run make test", dir)
	}
	var parts []part
	for _, file := range files {
		p, err := readPart(file)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func readPart(file string) (part, error) {
	base := strings.TrimSuffix(file, ".json")
	p := part{name: filepath.Base(base), seconds: map[string]float64{}, faults: map[string]string{}}
	command, err := os.ReadFile(base + ".command")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("reading command: %w", err)
	}
	p.command = strings.TrimSpace(string(command))
	f, err := os.Open(file)
	if err != nil {
		return p, fmt.Errorf("reading events: %w", err)
	}
	defer f.Close()
	open := map[[2]string]*test{} // by package and test; "" is the package itself
	said := map[*test]*strings.Builder{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // what a program printed past the test's own output
		}
		if e.Package == "" && e.ImportPath != "" { // of a build: "package [package.test]"
			e.Package, _, _ = strings.Cut(e.ImportPath, " ")
		}
		e.Package = strings.TrimPrefix(e.Package, module)
		at := [2]string{e.Package, e.Test}
		t := open[at]
		if t == nil {
			t = &test{pkg: e.Package, name: e.Test}
			open[at], said[t] = t, new(strings.Builder)
		}
		switch e.Action {
		case "output", "build-output":
			said[t].WriteString(e.Output)
		case "pass", "fail", "skip":
			t.status, t.seconds = e.Action, e.Elapsed
		}
	}
	if err := lines.Err(); err != nil {
		return p, fmt.Errorf("reading %s: %w", file, err)
	}
	for _, t := range open {
		t.said = said[t].String()
	}
	p.sort(open)
	return p, nil
}

// sort tells packages from tests, and finds what ended without a word.
func (p *part) sort(open map[[2]string]*test) {
	failed := map[string]bool{} // packages with a failed test
	for _, t := range open {
		if t.name == "" {
			p.seconds[t.pkg] = t.seconds
			continue
		}
		if t.status == "" { // the process ended in it, or before it
			t.status = "fail"
		}
		failed[t.pkg] = failed[t.pkg] || t.status == "fail"
		p.tests = append(p.tests, *t)
	}
	for _, t := range open {
		if t.name == "" && t.status == "fail" && !failed[t.pkg] || t.name == "" && t.status == "" && t.said != "" {
			p.faults[t.pkg] = t.said
		}
	}
	slices.SortFunc(p.tests, func(a, b test) int { return strings.Compare(a.pkg+" "+a.name, b.pkg+" "+b.name) })
}

// failed returns the failed tests that have no failed subtest.
func (p *part) failed() []test {
	var out []test
	for _, t := range p.tests {
		if t.status == "fail" && !slices.ContainsFunc(p.tests, func(sub test) bool {
			return sub.pkg == t.pkg && sub.status == "fail" && strings.HasPrefix(sub.name, t.name+"/")
		}) {
			out = append(out, t)
		}
	}
	return out
}

// top reports whether t is no subtest.
func (t test) top() bool { return !strings.Contains(t.name, "/") }
