package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingFrameworksAreNamedWithWhatToDo(t *testing.T) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{
		"--volume", filepath.Join(dir, "volume"), "--socket", filepath.Join(dir, "e.sock"),
		"--project", "0123456789abcdef01234567", "--instance", "01JD0000000000000000000000",
		"--token-file", token, "--frameworks", filepath.Join(dir, "none"),
	})
	if err == nil || !strings.Contains(err.Error(), "make build") || strings.Contains(err.Error(), "\n") {
		t.Errorf("run: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "volume")); err == nil {
		t.Error("the volume was created although nothing can run")
	}
}
