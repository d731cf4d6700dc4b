package backup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/cmd/svc/backup"
)

func TestBackupThatIsNotWholeIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	p := newPlace(t, "")
	for name, spoil := range map[string]func(folder string) error{
		"one that was interrupted": func(folder string) error { return os.Remove(filepath.Join(folder, "backup.json")) },
		"a file that changed": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "data", "play-secret"), []byte("x"), 0o600)
		},
		"a file that is missing": func(folder string) error { return os.Remove(filepath.Join(folder, "data", "svc.db")) },
		"a link in the place of a file": func(folder string) error {
			path := filepath.Join(folder, "data", "play-secret")
			return errors.Join(os.Rename(path, filepath.Join(folder, "data", "other")), os.Symlink("other", path))
		},
		"a link out of it": func(folder string) error {
			path := filepath.Join(folder, "data", "policy")
			return errors.Join(os.Rename(path, folder+"-policy"), os.Symlink(folder+"-policy", path))
		},
		"a list that leads out of it": func(folder string) error { return list(folder, "data/../../elsewhere") },
		"a list of what is no data":   func(folder string) error { return list(folder, "backup.json") },
		"another list": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), nil, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder, dir := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "d")
			if _, err := backup.Make(t.Context(), p.dir, "", folder, time.Now); err != nil {
				t.Fatal(err)
			}
			if err := spoil(folder); err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Restore(t.Context(), folder, dir, ""); !errors.Is(err, backup.ErrNoBackup) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s was made: %v", dir, err)
			}
		})
	}
}

// list adds a path to the list of a backup, as one who forges it would.
func list(folder, path string) error {
	raw, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	before := sha256.Sum256(raw)
	raw = fmt.Appendf(raw, "%x  %s\n", sha256.Sum256(nil), path)
	after := sha256.Sum256(raw)
	summary, readErr := os.ReadFile(filepath.Join(folder, "backup.json"))
	text := strings.Replace(string(summary), hex.EncodeToString(before[:]), hex.EncodeToString(after[:]), 1)
	return errors.Join(err, readErr, os.WriteFile(filepath.Join(folder, "SHA256SUMS"), raw, 0o600),
		os.WriteFile(filepath.Join(folder, "backup.json"), []byte(text), 0o600))
}

// TestWhatTheListDoesNotNameIsNotRestored: nor is what a restore that was killed left taken
// for something.
func TestWhatTheListDoesNotNameIsNotRestored(t *testing.T) {
	p := newPlace(t, "")
	folder, dir := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "d")
	if _, err := backup.Make(t.Context(), p.dir, "", folder, time.Now); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, ".restoring", "policy")
	err := errors.Join(os.WriteFile(filepath.Join(folder, "data", "policy", "added"), nil, 0o600),
		os.Symlink("/", filepath.Join(folder, "data", "linked")), os.MkdirAll(left, 0o700), os.WriteFile(filepath.Join(left, "half"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), folder, dir, ""); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"policy/added", "policy/half", "linked", ".restoring"} {
		if _, err := os.Lstat(filepath.Join(dir, path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was restored: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "policy", "state.json")); err != nil {
		t.Error(err)
	}
}
