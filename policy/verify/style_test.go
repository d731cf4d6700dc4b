package verify

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
)

func TestStyleIsThatOfRegalWhereItApplies(t *testing.T) {
	for name, tt := range map[string]struct{ file, old, new, find string }{
		"a long line":            {rulesFile, "# METADATA\n", "# METADATA\n# description: " + strings.Repeat("x", 120) + "\n", "has 135 characters"},
		"a name in camel case":   {rulesFile, "unlimited :=", "noLimit :=", "rule noLimit is not in snake_case"},
		"a print":                {rulesFile, "\tinput.action", "\tprint(input)\n\tinput.action", "print is for the search"},
		"a test among the rules": {rulesFile, "unlimited :=", "test_more :=", "test test_more is among the rules"},
		"tests among the rules":  {testsFile, "package svc.authz_test", "package svc.authz", "packages that end in _test"},
		"nothing":                {rulesFile, "x", "x", ""},
	} {
		src := smallPolicy(t)
		src[tt.file].Data = []byte(strings.Replace(string(src[tt.file].Data), tt.old, tt.new, 1))
		modules, err := policy.ReadModules(src, true)
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Join(append(longLines(src, tt.file), style(tt.file, modules[tt.file])...), "\n")
		if !strings.Contains(found, tt.find) || tt.find == "" && found != "" {
			t.Errorf("%s: found %q", name, found)
		}
	}
}
