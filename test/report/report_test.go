package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// events is what "go test -json" writes for a failed subtest, a passed test, a
// test in which the process ended, and a package that did not compile.
const events = `{"Action":"start","Package":"github.com/svc-games/svc/test/report"}
{"Action":"run","Package":"github.com/svc-games/svc/test/report","Test":"TestRedRunExplainsItself"}
{"Action":"output","Package":"github.com/svc-games/svc/test/report","Test":"TestRedRunExplainsItself","Output":"=== RUN TestRedRunExplainsItself\n"}
{"Action":"output","Package":"github.com/svc-games/svc/test/report","Test":"TestRedRunExplainsItself/a_case","Output":"    want 1, got 2\n"}
{"Action":"fail","Package":"github.com/svc-games/svc/test/report","Test":"TestRedRunExplainsItself/a_case","Elapsed":0.5}
{"Action":"fail","Package":"github.com/svc-games/svc/test/report","Test":"TestRedRunExplainsItself","Elapsed":0.5}
{"Action":"pass","Package":"github.com/svc-games/svc/test/report","Test":"TestOther","Elapsed":0.1}
{"Action":"fail","Package":"github.com/svc-games/svc/test/report","Elapsed":0.6}
not an event
{"Action":"run","Package":"github.com/svc-games/svc/test/keep","Test":"TestThatPanics"}
{"Action":"fail","Package":"github.com/svc-games/svc/test/keep","Elapsed":0.1}
{"ImportPath":"github.com/svc-games/svc/test/wait [github.com/svc-games/svc/test/wait.test]","Action":"build-output","Output":"wait.go:1: syntax error\n"}
{"ImportPath":"github.com/svc-games/svc/test/wait [github.com/svc-games/svc/test/wait.test]","Action":"build-fail"}
{"Action":"fail","Package":"github.com/svc-games/svc/test/wait","Elapsed":0,"FailedBuild":"x"}
`

// The last lines of a red run name each failed test, what it guarantees, where
// its log lies and the command that runs it alone; and what failed outside of any
// test.
func TestRedRunExplainsItself(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(output, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"race.json": events, "race.command": "CGO_ENABLED=1 go test -race %\n"} {
		if err := os.WriteFile(filepath.Join(output, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := readParts(output)
	if err != nil {
		t.Fatal(err)
	}
	var failures, summary strings.Builder
	if err := writeFailures(&failures, &summary, parts); err == nil {
		t.Error("the command ends well although tests failed")
	}
	for _, want := range []string{
		"FAIL TestRedRunExplainsItself/a_case in test/report\n",
		"guarantee  Red run explains itself (a case)\n",
		"want 1, got 2\n",
		"log        test/output/logs/race/test_report.TestRedRunExplainsItself_a_case.log\n",
		"alone      CGO_ENABLED=1 go test -race -run '^TestRedRunExplainsItself$/^a_case$' ./test/report\n",
		"FAIL TestThatPanics in test/keep\n",
		"FAIL test/wait, outside of its tests\n",
		"wait.go:1: syntax error",
	} {
		if !strings.Contains(failures.String(), want) {
			t.Errorf("the failures don't say %q:\n%s", want, failures.String())
		}
	}
	if got := summary.String(); got != "1 passed, 3 failed, 0 skipped\n" {
		t.Errorf("summary %q", got)
	}
	said, err := os.ReadFile(filepath.Join(output, "logs", "race", "test_report.TestRedRunExplainsItself_a_case.log"))
	if err != nil || string(said) != "    want 1, got 2\n" {
		t.Errorf("the log holds %q, %v", said, err)
	}
}

func TestGuaranteeIsTheCommentOfATestOrItsName(t *testing.T) {
	text, at := guarantee(".", "TestRedRunExplainsItself")
	if !strings.HasPrefix(text, "The last lines of a red run name each failed test") || !strings.HasPrefix(at, "report_test.go:") {
		t.Errorf("of a test with a comment: %q at %q", text, at)
	}
	if text, _ := guarantee(".", "TestHTTPIsNoOne"); text != "HTTP is no one" {
		t.Errorf("of a test without: %q", text)
	}
}
