package policy

import (
	"strings"
	"testing"
	"testing/fstest"
)

// withMask is a small policy with a mask.
func withMask(mask string) fstest.MapFS {
	return fstest.MapFS{
		"svc/authz/authz.rego": {Data: []byte("package svc.authz\n\ndecision := json.unmarshal(\"{}\")\n")},
		"system/log/mask.rego": {Data: []byte(mask)},
	}
}

func TestMaskIsCompiledAgainstTheRecordItMasks(t *testing.T) {
	const head = "# METADATA\n# schemas:\n#   - input: schema.record\npackage system.log\n\n"
	for name, tc := range map[string]struct{ mask, want string }{
		"as it should be":           {head + `mask contains "/input/key" if input.input.key.state == "active"` + "\n", ""},
		"a misspelt fact":           {head + `mask contains "/input/key" if input.input.key.stat == "active"` + "\n", "mask.rego:6"},
		"a misspelt field":          {head + `mask contains "/input/key" if input.decisionId == "x"` + "\n", "mask.rego:6"},
		"without the schema":        {"package system.log\n\n" + `mask contains "/input/key" if input.input.key.state == "active"` + "\n", "mask.rego:3"},
		"a rule that does not hold": {head + "mask contains data.svc.authz.nothing\n", "mask.rego:6"},
	} {
		e, err := NewEvaluator(withMask(tc.mask))
		switch {
		case tc.want == "" && (err != nil || !e.Masks()):
			t.Errorf("%s: %v", name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
	if embeddedEvaluator(t).Masks() {
		t.Error("the shipped policy masks")
	}
}
