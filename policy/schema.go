package policy

import (
	_ "embed" // for the schemas
	"encoding/json"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// InputSchema is the JSON schema of what a policy is given. Policies are
// compiled against it: a member that does not exist is an error, not
// "undefined".
//
//go:embed schemas/input.json
var InputSchema []byte

// DecisionSchema is the JSON schema of what a policy answers. Evaluators check
// the entrypoint's type against it.
//
//go:embed schemas/decision.json
var DecisionSchema []byte

// RecordSchema is the JSON schema of a record of the decision log, its input
// and result left out. A mask is compiled against it when its package says so:
// "schemas: [{input: schema.record}]" in its METADATA.
//
//go:embed schemas/record.json
var RecordSchema []byte

// recordSchema is the name under which METADATA refers to RecordSchema.
var recordSchema = ast.MustParseRef("schema.record")

// inputSchemas returns the schemas of input in the form the compiler takes:
// that of decisions, which holds unless METADATA names another, and that of
// the decision log.
func inputSchemas() (*ast.SchemaSet, error) {
	var input, result, record map[string]any
	for _, schema := range []struct {
		text []byte
		into *map[string]any
	}{{InputSchema, &input}, {DecisionSchema, &result}, {RecordSchema, &record}} {
		if err := json.Unmarshal(schema.text, schema.into); err != nil {
			return nil, fmt.Errorf("reading schemas: %w", err)
		}
	}
	withoutNullObjects(input)
	members := record["properties"].(map[string]any)
	members["input"], members["result"] = input, result
	set := ast.NewSchemaSet()
	set.Put(ast.SchemaRootRef, input)
	set.Put(recordSchema, record)
	return set, nil
}

// withoutNullObjects replaces "null or an object" by the object, at any depth.
// To OPA's compiler null is of any type, and of what is of any type it checks
// no member. A rule asks is_null(input.project), as a comparison with null is
// one of different types.
func withoutNullObjects(schema map[string]any) {
	for name, member := range schema {
		child, ok := member.(map[string]any)
		if !ok {
			continue
		}
		if alternatives, ok := child["anyOf"].([]any); ok {
			if object, ok := alternatives[len(alternatives)-1].(map[string]any); ok && object["type"] == "object" {
				child = object
				schema[name] = child
			}
		}
		withoutNullObjects(child)
	}
}

// checkDecision looks for the entrypoint, and holds what the compiler knows of
// its value against the decision's schema. What it does not know is checked
// when a decision is made.
func checkDecision(compiler *ast.Compiler) error {
	var schema struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(DecisionSchema, &schema); err != nil {
		return fmt.Errorf("reading decision schema: %w", err)
	}
	rules := compiler.GetRulesExact(entrypoint)
	if len(rules) == 0 {
		return fmt.Errorf("there is no rule %s", Entrypoint)
	}
	alternatives := []types.Type{compiler.TypeEnv.GetByRef(entrypoint)}
	if several, ok := alternatives[0].(types.Any); ok && len(several) > 0 {
		alternatives = several
	}
	for _, alternative := range alternatives {
		decision, ok := alternative.(*types.Object)
		if !ok {
			if types.Compare(alternative, types.A) == 0 {
				continue
			}
			return fmt.Errorf("%s: %s can be %s, which is not a decision", rules[0].Location, Entrypoint, alternative)
		}
		known := decision.Keys()
		for _, name := range known {
			if text, ok := name.(string); !ok || schema.Properties[text] == nil {
				return fmt.Errorf("%s: a decision has no member %v", rules[0].Location, name)
			}
		}
		for _, name := range schema.Required {
			if decision.DynamicProperties() == nil && !slices.Contains(known, any(name)) {
				return fmt.Errorf("%s: %s can be without the member %s", rules[0].Location, Entrypoint, name)
			}
		}
	}
	return nil
}
