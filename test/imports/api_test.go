package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ofPrograms are functions of package api that neither the client nor the command line
// calls, and what a program that uses the client has them for.
var ofPrograms = map[string]string{
	"CleanPath":       "whether a skill's file may have a name",
	"DeliveryID":      "which delivery of a job's end to replay, and the webhook-id of its posts",
	"OpenAPI":         "the document, of tools and tests",
	"Page":            "the same for people",
	"ValidDeliveryID": "whether a text can be the id of a delivery",
	"ValidJobID":      "whether a text can be the id of a job",
}

// ofInterfaces are methods that others call by an interface.
var ofInterfaces = map[string]bool{"MarshalJSON": true, "UnmarshalJSON": true, "String": true}

// TestPackageAPIShowsNoHelperOfTheService: each of its functions is called by the client or
// the command line, or is named above with what it is for. Of a method its name is looked for.
func TestPackageAPIShowsNoHelperOfTheService(t *testing.T) {
	var calls strings.Builder
	for _, folder := range []string{"client", "cmd/svc"} {
		for _, file := range sources(t, filepath.Join("../..", folder)) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			calls.Write(text)
		}
	}
	var shown int
	unused := map[string]bool{}
	for name := range ofPrograms {
		unused[name] = true
	}
	for _, file := range sources(t, "../../api") {
		if filepath.Dir(file) != "../../api" {
			continue // a package of its own
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			f, isFunc := declared.(*ast.FuncDecl)
			if !isFunc || !f.Name.IsExported() || f.Recv != nil && ofInterfaces[f.Name.Name] {
				continue
			}
			shown++
			name, call := f.Name.Name, `\bapi\.`
			if f.Recv != nil {
				call = `\.`
			}
			called := regexp.MustCompile(call + name + `\b`).MatchString(calls.String())
			if delete(unused, name); called == (ofPrograms[name] != "") {
				t.Errorf("api.%s: the client or svc calls it: %t; for programs it is %q", name, called, ofPrograms[name])
			}
		}
	}
	if shown < 15 || len(unused) > 0 {
		t.Errorf("package api shows %d functions, and none of %v", shown, unused)
	}
}

// sources are the Go files below a folder that no test is in.
func sources(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
