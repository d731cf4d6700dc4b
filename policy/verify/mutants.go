package verify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/tester"

	"github.com/svc-games/svc/policy"
)

// AllowFile lists the mutants of a policy that may live, each with a reason.
const AllowFile = "mutants.allow"

// Mutant is a change to one place of the rules.
type Mutant struct {
	Place string `json:"place"` // file:line
	// Name identifies the mutant in AllowFile: file, rule and change. It has no
	// line, so that it stays when other rules are edited.
	Name string `json:"name"`
}

// Mutants changes one place of the rules in modules after the other, runs the
// tests each time, and returns how many mutants there were and which the
// tests did not notice. Mutants that do not compile do not count.
func Mutants(ctx context.Context, modules policy.Modules) (count int, alive []Mutant, err error) {
	tests, err := newSuite(ctx, modules)
	if err != nil {
		return 0, nil, err
	}
	type mutated struct {
		Mutant
		file   string
		module *ast.Module
	}
	queue := make(chan mutated)
	var mu sync.Mutex // guards count and alive
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for m := range queue {
				changed := maps.Clone(modules)
				changed[m.file] = m.module
				verdict := tests.notices(ctx, changed, m.file)
				mu.Lock()
				if verdict != stillborn {
					count++
				}
				if verdict == lives {
					alive = append(alive, m.Mutant)
				}
				mu.Unlock()
			}
		})
	}
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		if isTest(file) {
			continue
		}
		for n := 0; ctx.Err() == nil; n++ {
			module := modules[file].Copy()
			m, ok := mutate(module, n)
			if !ok {
				break
			}
			name := fmt.Sprintf("%s %s: %s", file, m.rule, m.change)
			queue <- mutated{Mutant{m.place, name}, file, module}
		}
	}
	close(queue)
	workers.Wait()
	if ctx.Err() != nil {
		return 0, nil, fmt.Errorf("running the tests on mutants: %w", ctx.Err())
	}
	slices.SortFunc(alive, func(a, b Mutant) int { return strings.Compare(a.Place+a.Name, b.Place+b.Name) })
	return count, alive, nil
}

// verdict is what became of a mutant.
type verdict int

const (
	stillborn verdict = iota // it does not compile
	killed
	lives
)

// suite is a policy's tests by file, as expressions: each test rule with the
// value it has when all pass. One query of them is much faster than OPA's test
// runner, which traces each test to report on it, and stops at the first
// difference.
type suite map[string][]*ast.Expr

// newSuite evaluates the test rules in modules.
func newSuite(ctx context.Context, modules policy.Modules) (suite, error) {
	compiler, err := compilePlain(modules)
	if err != nil {
		return nil, err
	}
	tests := suite{}
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		seen := map[string]bool{}
		for _, rule := range modules[file].Rules {
			name := rule.Head.Ref()[0]
			ref := modules[file].Package.Path.Append(ast.StringTerm(string(name.Value.(ast.Var))))
			if !strings.HasPrefix(name.String(), tester.TestPrefix) || seen[ref.String()] {
				continue
			}
			seen[ref.String()] = true
			results, err := evaluate(ctx, compiler, ast.NewBody(ast.Equality.Expr(ast.VarTerm("value"), ast.NewTerm(ref))))
			if err != nil {
				return nil, fmt.Errorf("running %s: %w", ref, err)
			}
			if len(results) == 0 {
				return nil, fmt.Errorf("running %s: the test fails without a mutant", ref)
			}
			tests[file] = append(tests[file], ast.Equality.Expr(results[0].Bindings["value"].(*ast.Term), ast.NewTerm(ref)))
		}
	}
	return tests, nil
}

// notices tells what the tests say to modules, in which the file at mutated
// is a mutant. The tests beside that file come first: they find most mutants,
// and compiling the others takes the most time.
func (s suite) notices(ctx context.Context, modules policy.Modules, mutated string) verdict {
	beside := maps.Clone(modules)
	maps.DeleteFunc(beside, func(file string, _ *ast.Module) bool {
		return isTest(file) && path.Dir(file) != path.Dir(mutated)
	})
	if v := s.run(ctx, beside); v != lives {
		return v
	}
	return s.run(ctx, modules)
}

// run runs the tests in modules.
func (s suite) run(ctx context.Context, modules policy.Modules) verdict {
	compiler, err := compilePlain(modules)
	if err != nil {
		return stillborn
	}
	var body ast.Body
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		for _, test := range s[file] {
			body.Append(test.Copy())
		}
	}
	if len(body) == 0 {
		return lives
	}
	if results, err := evaluate(ctx, compiler, body); err == nil && len(results) > 0 {
		return lives
	}
	return killed
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.rego") }

// plainCompiler compiles without the checks for people: a mutant may well have
// an import that is not used.
func plainCompiler() (*ast.Compiler, error) {
	caps, err := policy.Capabilities()
	if err != nil {
		return nil, err
	}
	return ast.NewCompiler().WithCapabilities(caps).WithDefaultRegoVersion(ast.RegoV1), nil
}

func compilePlain(modules policy.Modules) (*ast.Compiler, error) {
	compiler, err := plainCompiler()
	if err != nil {
		return nil, err
	}
	if compiler.Compile(modules); compiler.Failed() {
		return nil, compiler.Errors
	}
	return compiler, nil
}

// evaluate returns the results of a query, its variables as OPA's own terms.
func evaluate(ctx context.Context, compiler *ast.Compiler, query ast.Body) (rego.ResultSet, error) {
	return rego.New(
		rego.Compiler(compiler),
		rego.ParsedQuery(query),
		rego.StrictBuiltinErrors(true),
		rego.GenerateJSON(func(value *ast.Term, _ *rego.EvalContext) (any, error) { return value, nil }),
	).Eval(ctx)
}

// readAllowed reads AllowFile from src: reasons by mutant. Without the file no
// mutant may live.
func readAllowed(src fs.FS) (map[string]string, error) {
	file, err := src.Open(AllowFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", AllowFile, err)
	}
	defer file.Close()
	allowed := map[string]string{}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndex(line, " = ")
		if at < 0 || strings.TrimSpace(line[at+3:]) == "" {
			return nil, fmt.Errorf("%s:%d: there is no reason after \" = \"", AllowFile, n)
		}
		allowed[strings.TrimSpace(line[:at])] = line[at+3:]
	}
	return allowed, lines.Err()
}
