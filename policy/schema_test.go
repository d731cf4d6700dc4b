package policy

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
)

// schemaNode is the part of JSON Schema that the schemas use.
type schemaNode struct {
	Type       string                `json:"type"`
	Required   []string              `json:"required"`
	Properties map[string]schemaNode `json:"properties"`
	Additional json.RawMessage       `json:"additionalProperties"`
	AnyOf      []schemaNode          `json:"anyOf"`
	Enum       []any                 `json:"enum"`
}

func readSchema(t *testing.T, text []byte) schemaNode {
	t.Helper()
	var node schemaNode
	if err := json.Unmarshal(text, &node); err != nil {
		t.Fatal(err)
	}
	return node
}

// compare holds a schema against a Go type, whose JSON it describes.
func compare(t *testing.T, path string, schema schemaNode, goType reflect.Type) {
	t.Helper()
	if nullable := goType.Kind() == reflect.Pointer || goType.Kind() == reflect.Map; nullable {
		if len(schema.AnyOf) != 2 || schema.AnyOf[0].Type != "null" {
			t.Errorf("%s can be null in Go and is not null or something else in the schema", path)
			return
		}
		schema = schema.AnyOf[1]
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
	}
	kinds := map[reflect.Kind]string{
		reflect.Struct: "object", reflect.Map: "object", reflect.String: "string", reflect.Bool: "boolean",
		reflect.Int: "integer", reflect.Int64: "integer", reflect.Slice: "array",
	}
	want := kinds[goType.Kind()]
	if goType == reflect.TypeFor[api.TIK]() {
		want = "number"
	}
	if schema.Type != want {
		t.Errorf("%s is %q in the schema, %q in Go", path, schema.Type, want)
	}
	if goType.Kind() != reflect.Struct {
		return
	}
	if string(schema.Additional) != "false" {
		t.Errorf("%s: the schema allows more members", path)
	}
	var names, required []string
	for field := range fields(goType) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		names = append(names, name)
		if options != "omitempty" && options != "omitzero" {
			required = append(required, name)
		}
		compare(t, path+"."+name, schema.Properties[name], field.Type)
	}
	if got := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(got, slices.Sorted(slices.Values(names))) {
		t.Errorf("%s has the members %v in the schema, %v in Go", path, got, names)
	}
	if !slices.Equal(slices.Sorted(slices.Values(schema.Required)), slices.Sorted(slices.Values(required))) {
		t.Errorf("%s requires %v in the schema, %v in Go", path, schema.Required, required)
	}
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if field := t.Field(i); field.IsExported() && !yield(field) {
				return
			}
		}
	}
}

func TestSchemasDescribeTheGoTypes(t *testing.T) {
	compare(t, "input", readSchema(t, InputSchema), reflect.TypeFor[Input]())
	compare(t, "decision", readSchema(t, DecisionSchema), reflect.TypeFor[Decision]())
}

func TestSchemaAndRulesListTheActions(t *testing.T) {
	var want []any
	terms := ast.NewSet()
	for _, action := range Actions() {
		want = append(want, string(action))
		terms.Add(ast.StringTerm(string(action)))
	}
	if got := readSchema(t, InputSchema).Properties["action"].Enum; !slices.Equal(got, want) {
		t.Errorf("the schema lists %v, want %v", got, want)
	}
	listed, err := prepare(embeddedEvaluator(t).compiler, ast.MustParseRef("data.svc.authz.actions"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := listed.eval(t.Context(), ast.NewObject(), nil); err != nil || got == nil || terms.Compare(got) != 0 {
		t.Errorf("the rules list %v, %v; want %v", got, err, terms)
	}
}
