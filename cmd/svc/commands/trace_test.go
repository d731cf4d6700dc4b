package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTraceFindsAllThatTheDataFolderKnowsOfARequest(t *testing.T) {
	const (
		request = "6f1c2f6e-8a2d-4c55-9d0b-1c7c2e0f6a11"
		project = "0123456789abcdef01234567"
		job     = "job_01kc0000000000000000000001"
	)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("access-2026-11-24T10-00-00.000-size.log", `{"request_id":"another","status":200}`+"\n"+strings.Repeat("x", 3<<20)+"\n"+
		`{"ts":1795625872.5,"status":200,"duration":0.0125,"user_id":"alice","request_id":"`+request+`","svc_key":"key_1","svc_project":"`+project+
		`","svc_job":"`+job+`","svc_rule":"svc.project.owner","request":{"method":"POST","uri":"/v1/generate"}}`+"\n")
	write("access.log", `{"status":404,"request":{"uri":"/`+request+`"}}`+"\n")
	write("decisions.jsonl", `{"decision_id":"d1","timestamp":"2026-11-24T10:00:00Z","path":"svc/authz/decision","request_id":"`+request+
		`","input":{"action":"generate"},"result":{"allow":true,"status":200,"rule":"svc.project.owner"}}`+"\n")
	write("engines/"+project+"/engine.log", `{"msg":"job begins","job":"`+job+`"}`+"\n"+`{"msg":"another"}`)

	code, stdout, stderr := svc("trace", "--data-dir", dir, request)
	if code != exitOK {
		t.Fatalf("%d %s", code, stderr)
	}
	for _, want := range []string{
		"POST /v1/generate  200 in 12.5ms", "user alice, key key_1, project " + project + ", job " + job + ", rule svc.project.owner",
		"d1", `engine: {"msg":"job begins"`,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("want %q in\n%s", want, stdout)
		}
	}
	for _, not := range []string{"404", `"another"`} {
		if strings.Contains(stdout, not) {
			t.Errorf("another request's line is there:\n%s", stdout)
		}
	}
	if code, _, stderr := svc("trace", "--data-dir", dir, "nobody"); code != exitError || !strings.Contains(stderr, "no log") {
		t.Errorf("an unknown request: %d %s", code, stderr)
	}
}

// TestTraceFindsRequestsByTheIDThatTheirClientSent: it is all that the client of a client
// may know. An id of ours is looked for first, so that nobody hides what has it.
func TestTraceFindsRequestsByTheIDThatTheirClientSent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*") // a path, and no pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"access.log": `{"request_id":"ours-1","status":503,"request":{"uri":"/first","headers":{"X-Request-Id":["theirs"]}}}` + "\n" +
			`{"request_id":"ours-2","status":200,"request":{"uri":"/second","headers":{"X-Request-Id":["ours-1"]}}}` + "\n",
		"decisions.jsonl": `{"decision_id":"d1","timestamp":"2026-11-24T10:00:00Z","path":"svc/authz/decision","request_id":"ours-1",` +
			`"input":{"action":"generate"},"result":{"allow":true,"status":200,"rule":"svc.project.owner"}}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"theirs", "ours-1"} {
		code, stdout, stderr := svc("trace", "--data-dir", dir, id)
		if code != exitOK || !strings.Contains(stdout, "/first  503") || !strings.Contains(stdout, "d1") || strings.Contains(stdout, "/second") {
			t.Errorf("%s: %d %s\n%s", id, code, stderr, stdout)
		}
	}
	if code, _, _ := svc("trace", "--data-dir", dir, ""); code != exitUsage {
		t.Errorf("no id: %d", code)
	}
}

// TestWhatClientsAskedForDoesNotDriveTheTerminalOfATrace: anybody may write a line of the
// access log, and then complain.
func TestWhatClientsAskedForDoesNotDriveTheTerminalOfATrace(t *testing.T) {
	dir := t.TempDir()
	line := `{"request_id":"r","user_id":"a\u009b1m","svc_rule":"b\u202e","status":404,"request":{"method":"GET","uri":"/\u009b2J\u001b[2J"}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "access.log"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := svc("trace", "--data-dir", dir, "r"); code != exitOK || strings.ContainsAny(stdout, "\x1b\u009b\u202e") {
		t.Errorf("%d %s %q", code, stderr, stdout)
	}
}
