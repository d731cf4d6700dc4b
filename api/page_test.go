package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/yuin/goldmark"
)

var update = flag.Bool("update", false, "write docs.html from openapi.yaml")

// TestPageIsThatOfTheDocument: who reads /docs reads what programs read, each operation and
// each schema of it.
func TestPageIsThatOfTheDocument(t *testing.T) {
	doc := document(t)
	var page bytes.Buffer
	made := template.Must(template.New("docs.tmpl").Funcs(template.FuncMap{
		"markdown": markdown, "type": typeOf, "json": indented, "refname": refName, "names": names, "required": isRequired,
	}).ParseFiles("testdata/docs.tmpl"))
	if err := made.Execute(&page, struct {
		*openapi3.T
		Groups []group
	}{doc, groups(doc)}); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Components.Schemas {
		if !strings.Contains(page.String(), `id="`+name+`"`) {
			t.Errorf("the page lacks the schema %s", name)
		}
	}
	if *update {
		if err := os.WriteFile("docs.html", page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if Page() != page.String() {
		t.Error("docs.html is not that of openapi.yaml: write it with -update")
	}
}

// group is a tag with its operations, in the order of the document's tags.
type group struct {
	Name, Description string
	Operations        []operation
}

type operation struct {
	Method, Path string
	*openapi3.Operation
	Parameters openapi3.Parameters // those of the path too
}

func groups(doc *openapi3.T) []group {
	var all []group
	for _, tag := range doc.Tags {
		g := group{Name: tag.Name, Description: tag.Description}
		for _, at := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
			item := doc.Paths.Value(at)
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
				op := item.GetOperation(method)
				if op == nil || !slices.Contains(op.Tags, tag.Name) {
					continue
				}
				g.Operations = append(g.Operations, operation{method, at, op, slices.Concat(item.Parameters, op.Parameters)})
			}
		}
		all = append(all, g)
	}
	return all
}

func markdown(text string) (template.HTML, error) {
	var out bytes.Buffer
	err := goldmark.Convert([]byte(text), &out)
	return template.HTML(out.String()), err
}

func indented(v any) (string, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return string(text), err
}

func refName(ref string) string { return path.Base(ref) }

func names(all openapi3.Schemas) []string { return slices.Sorted(maps.Keys(all)) }

func isRequired(s *openapi3.Schema, name string) bool { return slices.Contains(s.Required, name) }

// typeOf says what a value may be, with links to named schemas.
func typeOf(ref *openapi3.SchemaRef) template.HTML {
	if ref == nil {
		return ""
	}
	if ref.Ref != "" {
		name := template.HTMLEscapeString(refName(ref.Ref))
		return template.HTML(fmt.Sprintf(`<a href="#%[1]s">%[1]s</a>`, name))
	}
	s := ref.Value
	var said []string
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		said = append(said, string(typeOf(one)))
	}
	for _, one := range s.AllOf {
		said = append(said, string(typeOf(one)))
	}
	text := func(format string, args ...any) {
		said = append(said, template.HTMLEscapeString(fmt.Sprintf(format, args...)))
	}
	if s.Type != nil {
		for _, name := range s.Type.Slice() {
			if name == "array" && s.Items != nil {
				said = append(said, "array of "+string(typeOf(s.Items)))
			} else if s.Const == nil && len(s.Enum) == 0 || name == "null" {
				text("%s", strings.TrimSpace(name+" "+s.Format))
			}
		}
	}
	if s.Const != nil {
		text("%v", s.Const)
	}
	for _, one := range s.Enum {
		text("%v", one)
	}
	return template.HTML(strings.Join(said, " | ") + template.HTMLEscapeString(bounds(s)))
}

// bounds says within what a value must be.
func bounds(s *openapi3.Schema) (said string) {
	add := func(is bool, format string, args ...any) {
		if is {
			said += ", " + fmt.Sprintf(format, args...)
		}
	}
	if s.Min != nil {
		add(true, "from %v", *s.Min)
	}
	if s.Max != nil {
		add(true, "to %v", *s.Max)
	}
	add(s.MinLength > 1, "at least %d characters", s.MinLength)
	if s.MaxLength != nil {
		add(true, "at most %d characters", *s.MaxLength)
	}
	if s.MaxItems != nil {
		add(true, "at most %d", *s.MaxItems)
	}
	add(s.Pattern != "", "like %s", s.Pattern)
	add(s.Default != nil, "default %v", s.Default)
	return said
}
