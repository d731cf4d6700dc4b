package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

func TestModelsAreRecordedWithoutTheirKeys(t *testing.T) {
	provider := fakeprovider.New(t, fakeprovider.Says("ready"))
	provider.Key = "provider-secret-key"
	dir := t.TempDir()
	for name, text := range map[string]string{"key": provider.Key, "egress.json": `{"endpoints":[{"url":"` + provider.URL + `","key_file":"key","chat":["writer"]}]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(dir, "tapes")
	code, stdout, stderr := svc("models", "record", "--egress", filepath.Join(dir, "egress.json"), folder)
	if code != 0 || !strings.Contains(stdout, "cassettes in "+folder) {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	files, err := filepath.Glob(filepath.Join(folder, "writer", "*.json"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d cassettes, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(raw), provider.Key) || strings.Contains(string(raw), provider.URL) {
			t.Errorf("%s: %v: %s", file, err, raw)
		}
	}
	if code, _, stderr := svc("models", "record", folder); code == 0 || !strings.Contains(stderr, "SVC_EGRESS") {
		t.Errorf("without a configuration: exit %d: %s", code, stderr)
	}
}
