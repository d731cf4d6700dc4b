package verify

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxLine is how many characters a line of a policy may have.
const maxLine = 120

// snakeCase is what the name of a rule looks like.
var snakeCase = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// longLines finds lines over maxLine, as Regal's line-length does.
func longLines(src fs.FS, path string) (findings []string) {
	text, err := fs.ReadFile(src, path)
	if err != nil {
		return []string{fmt.Sprintf("reading %s: %v", path, err)}
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > maxLine {
			findings = append(findings, fmt.Sprintf("%s:%d: has %d characters, at most %d can be read at once; break it", path, number, n, maxLine))
		}
	}
	return findings
}

// style finds in a file that parses what Regal's prefer-snake-case, print-or-trace-call,
// test-outside-test-package and file-missing-test-suffix do.
func style(path string, module *ast.Module) (findings []string) {
	tests := isTest(path)
	if inTests := strings.HasSuffix(module.Package.Path.String(), "_test"); inTests != tests {
		findings = append(findings, fmt.Sprintf("%s: tests, and nothing else, are in files that end in _test.rego and in packages that end in _test", module.Package.Location))
	}
	for _, rule := range module.Rules {
		name := string(rule.Head.Ref()[0].Value.(ast.Var))
		if !snakeCase.MatchString(name) {
			findings = append(findings, fmt.Sprintf("%s: rule %s is not in snake_case; rename it", rule.Location, name))
		}
		if strings.HasPrefix(name, "test_") && !tests {
			findings = append(findings, fmt.Sprintf("%s: test %s is among the rules; move it to a file that ends in _test.rego", rule.Location, name))
		}
	}
	ast.WalkExprs(module, func(expr *ast.Expr) bool {
		if name := expr.Operator().String(); !tests && (name == "print" || name == "trace") {
			findings = append(findings, fmt.Sprintf("%s: %s is for the search for a mistake; remove it", expr.Location, name))
		}
		return false
	})
	return findings
}
