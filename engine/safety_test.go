package engine_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// namedTest is a test as docs/engine-safety.md names it: folder and function.
var namedTest = regexp.MustCompile("`([a-z0-9/-]+)\\.(Test[A-Za-z0-9]+)`")

// madeByTests are the tables that tests make and prove.
var madeByTests = regexp.MustCompile(`(?s)<!-- \w+: made by .*?<!-- end of \w+ -->`)

func TestSafetyDocumentNamesTestsThatAreThere(t *testing.T) {
	document, err := os.ReadFile("../docs/engine-safety.md")
	if err != nil {
		t.Fatal(err)
	}
	named := namedTest.FindAllStringSubmatch(string(document), -1)
	if len(named) < 40 {
		t.Fatalf("it names %d tests", len(named))
	}
	for _, n := range named {
		files, err := filepath.Glob(filepath.Join("..", n[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(files, func(path string) bool {
			code, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(code), "\nfunc "+n[2]+"(t *testing.T)")
		})
		if !found {
			t.Errorf("there is no %s in %s", n[2], n[1])
		}
	}
	for line := range strings.Lines(madeByTests.ReplaceAllString(string(document), "")) {
		if strings.HasPrefix(line, "| ") && !strings.HasSuffix(line, "| proven by |\n") && !namedTest.MatchString(line) {
			t.Errorf("this is proven by nothing: %s", line)
		}
	}
}

// starters are the packages of the engine that may start a program: the browser,
// and the engine itself for a simulation.
var starters = []string{"gen/playtest", "gen/sim"}

func TestEngineStartsNothingButItsBrowserAndItsSimulation(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		// The suite and the collector of frameworks are no part of an engine.
		if err != nil || entry.IsDir() && slices.Contains([]string{"contract", "web"}, path) {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			starts := slices.Contains([]string{`"os/exec"`, `"plugin"`, `"github.com/chromedp/chromedp"`}, spec.Path.Value)
			if starts && !slices.Contains(starters, filepath.ToSlash(filepath.Dir(path))) {
				t.Errorf("%s imports %s", path, spec.Path.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
