// Package lengths holds the test of how long files and functions may be.
package lengths

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root = "../.."

	longestFile     = 400 // lines
	longestFunction = 70
	longestKind     = 250 // lines of the mechanic of a kind of game
)

// Files that a program wrote are as long as it made them.
func TestNoFileAndNoFunctionIsTooLong(t *testing.T) {
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.go").Output()
	if err != nil {
		t.Fatalf("list the files: %v", err)
	}
	set := token.NewFileSet()
	for _, path := range strings.Fields(string(out)) {
		file, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		if lines := set.File(file.Pos()).LineCount(); lines > longestFile {
			t.Errorf("%s has %d lines; a file has %d at most: split it by what it holds", path, lines, longestFile)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := set.Position(f.Pos()), set.Position(f.End())
			if lines := last.Line - first.Line + 1; lines > longestFunction {
				t.Errorf("%s:%d: %s has %d lines; a function has %d at most", path, first.Line, f.Name.Name, lines, longestFunction)
			}
		}
	}
}

func TestNoKindOfGameIsTooLong(t *testing.T) {
	kinds, err := filepath.Glob(filepath.Join(root, "engine/gen/kit/js/mechanics/*.js"))
	if err != nil || len(kinds) == 0 {
		t.Fatalf("%d kinds, %v", len(kinds), err)
	}
	for _, path := range kinds {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(data), "\n"); lines > longestKind {
			t.Errorf("%s has %d lines; a kind has %d at most", path, lines, longestKind)
		}
	}
}
