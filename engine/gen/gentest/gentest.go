// Package gentest has what tests of whole jobs share.
package gentest

import (
	"os"
	"path/filepath"
	"testing"
)

// Frameworks returns a folder with words in place of the frameworks, for tests
// that look at no game in a browser.
func Frameworks(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"phaser", "pixi", "three"} {
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"package.json": `{"version":"0.0.0"}`, name + ".min.js": "window." + name + " = {};\n", "LICENSE": "MIT\n"} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
