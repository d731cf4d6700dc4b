package commands

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrongCommandLineIsAnsweredWithTheUsageOfThatCommand(t *testing.T) {
	for line, want := range map[string]string{
		"generate":                      "usage: svc generate BRIEF",
		"status a b":                    "usage: svc status JOB",
		"admin key create":              `"name", "user" not set; usage: svc admin key create --user ID --name N`,
		"admin key create --user alice": `"name" not set`,
		"admin user topup demo -5":      "usage: svc admin user topup ID N",
		"nothing":                       "; see svc --help",
		"engines strat":                 `unknown command "strat" for "svc engines"; see svc engines --help`,
		"policy verfiy":                 `unknown command "verfiy" for "svc policy"; see svc policy --help`,
		"admin user topup demo much":    "not an amount of TIK",
		"admin project attributes 1 x":  "not of the form NAME=VALUE",
		"policy table --write":          "needs the directory",
		"policy table embedded --write": "embedded can't be written to",
		"policy format active":          "active can't be written to",
		"policy sign p.tgz --key k":     "p.tgz can't be written to",
		"policy format root_test.go":    "is no directory",
		"policy bundle embedded -o x":   "must end in .tar.gz",
	} {
		var out, errs bytes.Buffer
		code := Execute(strings.Fields(line), strings.NewReader(""), &out, &errs)
		if code != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("svc %s: %d\n%s%swant %q", line, code, out.String(), errs.String(), want)
		}
	}
}

func TestVersionIsNamed(t *testing.T) {
	code, stdout, stderr := svc("--version")
	if code != exitOK || !strings.HasPrefix(stdout, "svc version ") || stderr != "" {
		t.Errorf("exit %d: %q%s", code, stdout, stderr)
	}
}
