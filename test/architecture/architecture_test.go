// Package architecture holds docs/architecture.md to the code.
package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root = "../.."
	page = "docs/architecture.md"
)

// A hop is `folder/file.go:Function` or `folder/file.go:Type.Method`, and then words.
var hop = regexp.MustCompile("^`([a-z0-9_/-]+\\.go:[A-Za-z]\\w*(?:\\.[A-Za-z]\\w*)?)` .+$")

func TestEveryFunctionOnTheWaysExists(t *testing.T) {
	declared := map[string][]string{} // by file
	ways := 0
	for _, table := range tables(t) {
		column := slices.Index(table[0], "new")
		if column < 0 {
			continue
		}
		ways++
		for _, row := range table[2:] {
			if row[column] == "" { // a hop of the old way alone
				continue
			}
			match := hop.FindStringSubmatch(row[column])
			if match == nil {
				t.Errorf("%s: %q is no hop: want `path/file.go:Function` and words", page, row[column])
				continue
			}
			file, function, _ := strings.Cut(match[1], ":")
			names, parsed := declared[file]
			if !parsed {
				names = functions(t, file)
				declared[file] = names
			}
			if names != nil && !slices.Contains(names, function) {
				t.Errorf("%s: %s has no %s", page, file, function)
			}
		}
	}
	if ways < 6 {
		t.Errorf("%s has %d ways, want at least 6", page, ways)
	}
}

func TestEveryPackageIsInTheTable(t *testing.T) {
	names := packageNames(t)
	there := packages(t)
	for _, dir := range there {
		if !slices.ContainsFunc(names, func(name string) bool { return covers(name, dir) }) {
			t.Errorf("%s: no line for package %s", page, dir)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(there, func(dir string) bool { return covers(name, dir) }) {
			t.Errorf("%s: there is no package %s", page, name)
		}
	}
}

// covers reports whether a name in the table stands for a folder: "x/..." for x
// and all below it, as with the go command.
func covers(name, dir string) bool {
	above, all := strings.CutSuffix(name, "/...")
	return dir == above || all && strings.HasPrefix(dir, above+"/")
}

// tables are those of the page: rows of cells, of which the first has the names of
// the columns and the second the line below them.
func tables(t *testing.T) (tables [][][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		line, row := strings.CutPrefix(strings.TrimSpace(line), "|")
		if row && !inside {
			tables = append(tables, nil)
		}
		if inside = row; !row {
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		last := &tables[len(tables)-1]
		if len(*last) > 0 && len(cells) != len((*last)[0]) {
			t.Fatalf("%s: %q has %d cells, its table %d", page, line, len(cells), len((*last)[0]))
		}
		*last = append(*last, cells)
	}
	return tables
}

// packageNames are those in the first column of the table of packages.
func packageNames(t *testing.T) (names []string) {
	t.Helper()
	for _, table := range tables(t) {
		if table[0][0] != "package" {
			continue
		}
		for _, row := range table[2:] {
			for name := range strings.SplitSeq(row[0], ", ") {
				names = append(names, strings.Trim(name, "`"))
			}
		}
	}
	return names
}

// packages are the folders that have Go files in git, without those in testdata.
func packages(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.go", ":!**/testdata/**").Output()
	if err != nil {
		t.Fatalf("list the files: %v", err)
	}
	var dirs []string
	for file := range strings.FieldsSeq(string(out)) {
		if _, err := os.Stat(filepath.Join(root, file)); err == nil { // else it is deleted, but not yet in git
			dirs = append(dirs, path.Dir(file))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// functions are those that a file declares, methods behind their receiver's type;
// nil for a file that can't be read, which is an error of the test.
func functions(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s: %v", page, err)
		return nil
	}
	names := []string{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			names = append(names, receiver(f)+f.Name.Name)
		}
	}
	return names
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	name, ok := of.(*ast.Ident)
	if !ok {
		return "?."
	}
	return name.Name + "."
}
