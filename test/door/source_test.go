package door_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parsed are the functions of a package, tests left out. Calls are followed by name and
// receiver: the packages that are looked at name their receivers alike.
type parsed struct {
	set       *token.FileSet
	functions []function
	structs   map[string]map[string]string // the types of their fields
}

// function is a function or a method.
type function struct {
	name     string
	receiver string // its type's name, "" for a function
	itself   string // what the receiver is called
	params   []string
	results  []string // their types
	body     *ast.BlockStmt
}

func parse(t *testing.T, dir string) *parsed {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	p := &parsed{set: token.NewFileSet()}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			p.add(t, name, string(text))
		}
	}
	if len(p.functions) == 0 {
		t.Fatalf("%s has no functions", dir)
	}
	return p
}

// add parses a file.
func (p *parsed) add(t *testing.T, name, text string) {
	t.Helper()
	file, err := parser.ParseFile(p.set, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				p.functions = append(p.functions, p.function(d))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				p.addStruct(spec)
			}
		}
	}
}

// addStruct notes the fields of a struct. One that is embedded is called as its type.
func (p *parsed) addStruct(spec ast.Spec) {
	named, _ := spec.(*ast.TypeSpec)
	if named == nil {
		return
	}
	of, ok := named.Type.(*ast.StructType)
	if !ok {
		return
	}
	fields := map[string]string{}
	for _, field := range of.Fields.List {
		kind := p.written(field.Type)
		for _, name := range field.Names {
			fields[name.Name] = kind
		}
		if len(field.Names) == 0 {
			fields[kind[strings.LastIndexAny(kind, ".*")+1:]] = kind
		}
	}
	if p.structs == nil {
		p.structs = map[string]map[string]string{}
	}
	p.structs[named.Name.Name] = fields
}

func (p *parsed) function(d *ast.FuncDecl) function {
	f := function{name: d.Name.Name, body: d.Body, params: names(d.Type.Params)}
	if d.Recv != nil {
		f.receiver = strings.TrimLeft(p.written(d.Recv.List[0].Type), "*")
		f.itself = strings.Join(names(d.Recv), "")
	}
	if d.Type.Results != nil {
		for _, r := range d.Type.Results.List {
			for range max(1, len(r.Names)) {
				f.results = append(f.results, p.written(r.Type))
			}
		}
	}
	return f
}

// names are those of parameters, "_" for one without.
func names(list *ast.FieldList) (all []string) {
	for _, field := range list.List {
		for _, name := range field.Names {
			all = append(all, name.Name)
		}
		if len(field.Names) == 0 {
			all = append(all, "_")
		}
	}
	return all
}

// find returns a method by what its receiver is called, or a function with "".
func (p *parsed) find(itself, name string) *function {
	for i, f := range p.functions {
		if f.name == name && f.itself == itself {
			return &p.functions[i]
		}
	}
	return nil
}

// method returns the method that is written so: c.publish, or Console.publish.
func (p *parsed) method(text string) *function {
	itself, name, _ := strings.Cut(text, ".")
	for i, f := range p.functions {
		if f.receiver != "" && f.full() == text {
			return &p.functions[i]
		}
	}
	return p.find(itself, name)
}

// full is a function's name with its receiver's type.
func (f function) full() string {
	if f.receiver == "" {
		return f.name
	}
	return f.receiver + "." + f.name
}

// written is a node as it stands in the source, in one line.
func (p *parsed) written(n ast.Node) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, p.set, n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
