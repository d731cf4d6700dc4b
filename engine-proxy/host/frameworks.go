package host

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// FindFrameworks returns the folder with the game frameworks, or says how to
// get them: without them every engine would fail to start. "" stands for
// $SVC_FRAMEWORKS, or else frameworks beside the running executable.
func FindFrameworks(dir string) (string, error) {
	if dir = cmp.Or(dir, os.Getenv("SVC_FRAMEWORKS")); dir == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("finding the game frameworks: %w", err)
		}
		dir = filepath.Join(filepath.Dir(self), "frameworks")
	}
	if _, err := os.Stat(filepath.Join(dir, "phaser", "phaser.min.js")); err != nil {
		return "", fmt.Errorf("the game frameworks are missing: %w: run make build", err)
	}
	return dir, nil
}
