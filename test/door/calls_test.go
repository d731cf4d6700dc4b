package door_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parsed are the functions of a package, tests left out. Calls are followed by name:
// a package has few methods of the same name, and one too many is an error that a
// reader sees.
type parsed struct {
	set       *token.FileSet
	functions []function
}

// function is a function or a method.
type function struct {
	name string
	body *ast.BlockStmt
}

func parse(t *testing.T, dir string) *parsed {
	t.Helper()
	p := &parsed{set: token.NewFileSet()}
	packages, err := parser.ParseDir(p.set, filepath.Join("..", "..", dir), func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range packages {
		for _, file := range pkg.Files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					p.functions = append(p.functions, function{f.Name.Name, f.Body})
				}
			}
		}
	}
	if len(p.functions) == 0 {
		t.Fatalf("%s has no functions", dir)
	}
	return p
}

// named returns the functions and methods with a name.
func (p *parsed) named(name string) (all []function) {
	for _, f := range p.functions {
		if f.name == name {
			all = append(all, f)
		}
	}
	return all
}

// follow goes through the calls of a function in the order in which they are written,
// and reports each of data with whether a decision, and one on a project, was made
// before it.
func (p *parsed) follow(name string, decided, ofProject bool, above []string, report func(f function, call string, decided, ofProject bool)) {
	if slices.Contains(above, name) {
		return
	}
	above = append(slices.Clone(above), name)
	for _, f := range p.named(name) {
		decided, ofProject := decided, ofProject
		ast.Inspect(f.body, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			called := s.Sel.Name
			if of, ok := s.X.(*ast.SelectorExpr); ok {
				source := of.Sel.Name
				// What finds out whose the job is comes before the decision on its project.
				look := source == "Ledger" && called == "Job" && slices.Contains([]string{"job", "previewed"}, name)
				if !look && (slices.Contains(sources, source) || source == "Sessions" && slices.Contains(projectReads, called)) {
					report(f, source+"."+called, decided, ofProject)
				}
				return true
			}
			// Of the package's own are the methods of the console and of an exchange.
			if of, ok := s.X.(*ast.Ident); !ok || of.Name != "c" && of.Name != "x" || p.named(called) == nil {
				return true
			}
			p.follow(called, decided, ofProject, above, report)
			decided = decided || slices.Contains(decisions, called)
			ofProject = ofProject || slices.Contains(projectDecisions, called) || called == "decide" && slices.Contains([]string{"preview", "previewed", "openStudio"}, name)
			return true
		})
	}
}

// written is a node as it stands in the source.
func (p *parsed) written(n ast.Node) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, p.set, n); err != nil {
		return err.Error()
	}
	return out.String()
}
