package architecture_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// namedTest is a test as pages name it: folder and function.
var namedTest = regexp.MustCompile("`([a-z0-9/-]+)\\.(Test[A-Za-z0-9]+)`")

// madeByTests are the tables that tests make and prove.
var madeByTests = regexp.MustCompile(`(?s)<!-- \w+: made by .*?<!-- end of \w+ -->`)

// provenPages are those on which each line of a table names the tests that prove it, and how many they name at least.
var provenPages = map[string]int{"docs/engine-safety.md": 40, "docs/failures.md": 7, "docs/security.md": 100}

func TestPagesOfProofsNameTestsThatAreThere(t *testing.T) {
	for page, least := range provenPages {
		t.Run(page, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Fatal(err)
			}
			named := namedTest.FindAllStringSubmatch(string(raw), -1)
			if len(named) < least {
				t.Errorf("it names %d tests, want at least %d", len(named), least)
			}
			for _, n := range named {
				if !declares(t, n[1], n[2]) {
					t.Errorf("there is no %s in %s", n[2], n[1])
				}
			}
			for line := range strings.Lines(madeByTests.ReplaceAllString(string(raw), "")) {
				if strings.HasPrefix(line, "| ") && !strings.HasSuffix(line, "| proven by |\n") && !namedTest.MatchString(line) {
					t.Errorf("this is proven by nothing: %s", line)
				}
			}
		})
	}
}

// declares reports whether a folder has a test.
func declares(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(path string) bool {
		code, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(code), "\nfunc "+test+"(t *testing.T)")
	})
}
