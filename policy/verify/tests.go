package verify

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/tester"

	"github.com/svc-games/svc/policy"
)

// Report is the outcome of a policy's tests.
type Report struct {
	Tests    []Test  `json:"tests"`
	Coverage float64 `json:"coverage"` // percent of the lines of rules, tests left out
	// Uncovered lists the lines that no test evaluated, as file:line.
	Uncovered []string `json:"uncovered,omitempty"`
}

// Test is the outcome of one test rule or of one of its cases.
type Test struct {
	Name     string        `json:"name"`  // package and rule; with a case, package, rule and case
	Place    string        `json:"place"` // file:line
	Passed   bool          `json:"passed"`
	Detail   string        `json:"detail,omitempty"` // of an error
	Duration time.Duration `json:"durationNs"`
}

// Passed reports whether there were tests and all of them passed.
func (r Report) Passed() bool {
	return len(r.Tests) > 0 && len(r.Failures()) == 0
}

// Failures says of each test that failed where it is and why.
func (r Report) Failures() []string {
	var failures []string
	for _, test := range r.Tests {
		if !test.Passed {
			failures = append(failures, strings.TrimSpace(fmt.Sprintf("%s: %s failed %s", test.Place, test.Name, test.Detail)))
		}
	}
	return failures
}

// RunTests runs the test rules in src. It returns an error when the policy
// can't be compiled; a failed test is not an error.
func RunTests(ctx context.Context, src fs.FS) (Report, error) {
	modules, err := policy.ReadModules(src, true)
	if err != nil {
		return Report{}, err
	}
	if _, err := policy.Compile(modules); err != nil {
		return Report{}, err
	}
	compiler, err := plainCompiler()
	if err != nil {
		return Report{}, err
	}
	coverage := cover.New()
	runner := tester.NewRunner().
		SetCompiler(compiler).
		SetModules(modules).
		SetCoverageQueryTracer(coverage).
		RaiseBuiltinErrors(true).
		SetTimeout(10 * time.Second)
	results, err := runner.RunTests(ctx, nil)
	if err != nil {
		return Report{}, fmt.Errorf("running policy tests: %w", err)
	}
	var all []*tester.Result
	for result := range results {
		all = append(all, result)
	}
	// They come as they end. Whoever reads of the first that failed shall read
	// the same each time.
	slices.SortFunc(all, func(a, b *tester.Result) int {
		return cmp.Or(cmp.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Row, b.Location.Row))
	})
	var report Report
	for _, result := range all {
		report.Tests = append(report.Tests, testsOf(result)...)
	}
	maps.DeleteFunc(modules, func(path string, _ *ast.Module) bool { return isTest(path) })
	covered := coverage.Report(modules)
	report.Coverage, report.Uncovered = summarize(covered, modules)
	return report, nil
}

// testsOf splits a result into its cases.
func testsOf(result *tester.Result) []Test {
	test := Test{
		Name:     result.Package + "." + result.Name,
		Place:    fmt.Sprintf("%s:%d", result.Location.File, result.Location.Row),
		Passed:   result.Pass(),
		Duration: result.Duration,
	}
	if result.Error != nil {
		test.Detail = result.Error.Error()
	}
	var cases []Test
	for name, sub := range result.SubResults.Iter {
		c := test
		c.Name += "/" + strings.Join(name, "/")
		c.Passed = !sub.Fail && result.Error == nil
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return []Test{test}
	}
	return cases
}

func summarize(report cover.Report, modules policy.Modules) (percent float64, uncovered []string) {
	var lines, missing int
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		file := report.Files[path]
		if file == nil {
			continue
		}
		lines += file.CoveredLines + file.NotCoveredLines
		missing += file.NotCoveredLines
		for _, r := range file.NotCovered {
			uncovered = append(uncovered, fmt.Sprintf("%s:%d", path, r.Start.Row))
		}
	}
	uncovered = slices.Compact(uncovered) // a line may hold two expressions
	if lines == 0 {
		return 0, uncovered
	}
	return 100 * float64(lines-missing) / float64(lines), uncovered
}
