// Package words holds code and pages to docs/glossary.md.
package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const root = "../.."

// The glossary names what it refuses, and the history of decisions quotes it.
var quotes = regexp.MustCompile(`^(docs/glossary\.md|docs/decisions/.*|test/words/.*)$`)

func TestNoSecondWordForATermOfTheGlossary(t *testing.T) {
	words := secondWords(t)
	refused := make([]string, len(words))
	for i, word := range words {
		refused[i] = regexp.QuoteMeta(word)
	}
	pattern := regexp.MustCompile(`(?i)\b(` + strings.Join(refused, "|") + `)\b`)
	for _, path := range files(t, "*.go", "*.md") {
		if quotes.MatchString(path) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := pattern.FindString(line); word != "" {
				t.Errorf("%s:%d: %q; see docs/glossary.md", path, i+1, word)
			}
		}
	}
}

func TestNoNameDescribesAGesture(t *testing.T) {
	gestures := map[string]bool{}
	for _, word := range gestureNames(t) {
		gestures[word] = true
	}
	set := token.NewFileSet()
	for _, path := range files(t, "*.go") {
		file, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range declared(file) {
			for _, word := range split(name.Name) {
				if gestures[word] {
					t.Errorf("%s: %s holds %q; see docs/glossary.md", set.Position(name.Pos()), name.Name, word)
				}
			}
		}
	}
}

// files is what git has of a kind, without what is laid out for another time:
// the generator of games.
func files(t *testing.T, kinds ...string) []string {
	t.Helper()
	args := append([]string{"-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--"}, kinds...)
	out, err := exec.Command("git", append(args, ":!engine/gen")...).Output()
	if err != nil {
		t.Fatalf("list the files: %v", err)
	}
	return strings.Fields(string(out))
}

func glossary(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// secondWords are those of the column "not".
func secondWords(t *testing.T) []string {
	t.Helper()
	var words []string
	for line := range strings.Lines(glossary(t)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") || strings.TrimSpace(cells[1]) == "term" {
			continue
		}
		for word := range strings.SplitSeq(cells[3], ",") {
			if word = strings.TrimSpace(word); word != "" {
				words = append(words, word)
			}
		}
	}
	if len(words) == 0 {
		t.Fatal("the glossary refuses no word")
	}
	return words
}

func gestureNames(t *testing.T) []string {
	t.Helper()
	_, section, found := strings.Cut(glossary(t), "## Names not used")
	if !found {
		t.Fatal("the glossary has no section of names")
	}
	var words []string
	for _, match := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(section, -1) {
		words = append(words, match[1])
	}
	return words
}

// declared are the names that a file introduces.
func declared(file *ast.File) []*ast.Ident {
	names := []*ast.Ident{file.Name}
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if name, ok := e.(*ast.Ident); ok {
				names = append(names, name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name)
		case *ast.TypeSpec:
			names = append(names, n.Name)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.Field:
			names = append(names, n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
	return names
}

// split takes a name apart: takeUp is take and up.
func split(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	for _, r := range name {
		if unicode.IsUpper(r) || !unicode.IsLetter(r) {
			flush()
		}
		if unicode.IsLetter(r) {
			word.WriteRune(r)
		}
	}
	flush()
	return words
}
