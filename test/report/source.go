package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"
)

// guarantee returns what a test proves, which is its comment or else its name,
// and where it stands.
func guarantee(pkg, name string) (text, at string) {
	name, sub, _ := strings.Cut(name, "/")
	text = words(strings.TrimPrefix(name, "Test"))
	files, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil {
		return text, pkg
	}
	at = pkg
	for _, file := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != name || f.Recv != nil {
				continue
			}
			if f.Doc != nil {
				text = strings.Join(strings.Fields(f.Doc.Text()), " ")
			}
			at = fmt.Sprintf("%s:%d", file, set.Position(f.Pos()).Line)
		}
	}
	if sub != "" {
		text += " (" + strings.ReplaceAll(sub, "_", " ") + ")"
	}
	return text, at
}

// words takes a name of mixed capitals apart.
func words(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			b.WriteByte(' ')
		}
		if begins && (i+1 >= len(runes) || !unicode.IsUpper(runes[i+1])) {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
