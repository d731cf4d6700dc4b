package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Compile compiles modules with the checks every policy must pass: OPA's
// strict mode, Capabilities, the schema of input, and that each reference into
// data leads to a rule. Its error lists the findings with file and line.
func Compile(modules Modules) (*ast.Compiler, error) {
	caps, err := Capabilities()
	if err != nil {
		return nil, err
	}
	schemas, err := inputSchemas()
	if err != nil {
		return nil, err
	}
	compiler := ast.NewCompiler().WithStrict(true).WithCapabilities(caps).WithSchemas(schemas).
		WithUseTypeCheckAnnotations(true).WithDefaultRegoVersion(ast.RegoV1)
	if compiler.Compile(modules); compiler.Failed() {
		return nil, fmt.Errorf("compiling policy: %w", explainForbidden(compiler.Errors))
	}
	if err := checkReferences(compiler); err != nil {
		return nil, fmt.Errorf("compiling policy: %w", err)
	}
	return compiler, nil
}

// explainForbidden says of builtins that exist, and that capabilities leave
// out, why they are not there.
func explainForbidden(found ast.Errors) ast.Errors {
	for _, e := range found {
		name, undefined := strings.CutPrefix(e.Message, "undefined function ")
		if _, exists := ast.BuiltinMap[name]; undefined && exists {
			e.Message += ": capabilities.json leaves it out, since a decision depends on its input alone; take it out of the rule"
		}
	}
	return found
}

// checkReferences finds references to rules that do not exist. To OPA they
// are undefined, because someone might load a document of that name; here no
// one does, so each is a misspelling that would quietly switch a rule off.
func checkReferences(compiler *ast.Compiler) error {
	var findings []string
	for _, module := range compiler.Modules {
		ast.WalkTerms(module, func(t *ast.Term) bool {
			ref, ok := t.Value.(ast.Ref)
			if !ok || !ref.HasPrefix(ast.DefaultRootRef) {
				return false
			}
			prefix := ref.ConstantPrefix()
			if len(compiler.GetRulesForVirtualDocument(prefix)) == 0 && len(compiler.GetRulesWithPrefix(prefix)) == 0 {
				findings = append(findings, fmt.Sprintf("%s: there is no rule %s", t.Location, prefix))
			}
			return false
		})
	}
	slices.Sort(findings)
	var err error
	for _, finding := range slices.Compact(findings) {
		err = errors.Join(err, errors.New(finding))
	}
	return err
}
