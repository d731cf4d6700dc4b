package commands

import (
	"strings"
	"testing"
)

func TestModelsAreListedWithWhatTheyCanDoAndCost(t *testing.T) {
	newFakeService(t)
	code, stdout, stderr := svc("models")
	want := "embedded  no model\nwriter [2J  default  context 1000  vision  reasoning  input 3, cached 1, output 15 TIK\n"
	if code != exitOK || stdout != want {
		t.Errorf("%d, %q, %s", code, stdout, stderr)
	}
	if code, stdout, _ = svc("models", "--json"); code != exitOK || !strings.Contains(stdout, `"price"`) {
		t.Errorf("%d, %q", code, stdout)
	}
}

func TestShellCompletesSettings(t *testing.T) {
	newFakeService(t)
	for begun, want := range map[string]string{
		"mo": "model=", "model=": "model=embedded", "reasoningLevel=": "reasoningLevel=high", "aiAudio=": "aiAudio=true",
	} {
		if code, stdout, stderr := svc("__complete", "generate", "x", "--settings", begun); code != exitOK || !strings.Contains(stdout, want+"\n") {
			t.Errorf("%s: %d, %q, %s", begun, code, stdout, stderr)
		}
	}
	t.Setenv("SVC_API_KEY", "")
	if code, stdout, stderr := svc("__complete", "generate", "x", "--settings", "model="); code != exitOK || strings.Contains(stdout, "model=") {
		t.Errorf("without a key: %d, %q, %s", code, stdout, stderr)
	}
}
