package engine_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
