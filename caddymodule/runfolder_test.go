package caddymodule_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCaddysOwnMainFindsTheFolderOfItsAdminSocket: a build by xcaddy has no other.
func TestCaddysOwnMainFindsTheFolderOfItsAdminSocket(t *testing.T) {
	shipped, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	ours := os.Args
	defer func() { os.Args = ours }()
	for command, made := range map[string]bool{"run": true, "adapt": false, "reload": false, "validate": false} {
		dir := filepath.Join(t.TempDir(), "data")
		t.Setenv("SVC_DATA_DIR", dir)
		os.Args = []string{"caddy", command}
		if _, err := adapt(t, string(shipped)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "run")); made != (err == nil) {
			t.Errorf("caddy %s: %v", command, err)
		}
	}
}
