package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

func TestDoctorCallsModelsAndPrintsTheirRows(t *testing.T) {
	provider := fakeprovider.New(t, fakeprovider.Says("ready"))
	provider.Key = "provider-secret-key"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"key": provider.Key, "egress.json": `{"endpoints":[{"url":"` + provider.URL + `","key_file":"key","chat":["writer"],"images":["painter"]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := svc("doctor", "models"); code == 0 || !strings.Contains(stderr, "SVC_EGRESS") {
		t.Errorf("without a configuration: exit %d: %s", code, stderr)
	}
	t.Setenv("SVC_EGRESS", filepath.Join(dir, "egress.json"))
	code, stdout, stderr := svc("doctor", "models")
	for _, want := range []string{"writer at " + provider.URL, "ok    plain", "ok    stream", "no    tool", "--jinja", "no    picture", "no    long", "no    default", "see tool", `row   {"name":"writer","protocol":"chat"`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if code != 0 || strings.Contains(stdout+stderr, provider.Key) || strings.Contains(stdout, "painter") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := svc("doctor", "models", "painter"); code == 0 || !strings.Contains(stderr, "painter") {
		t.Errorf("a model that does not write: exit %d: %s", code, stderr)
	}
	provider.Answer(fakeprovider.Status(500, "x"))
	if code, stdout, _ := svc("doctor", "models", "--json"); code == 0 || !strings.Contains(stdout, `"call": "plain"`) {
		t.Errorf("a model that fails: exit %d: %s", code, stdout)
	}
}
