package gen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/api/gamezip"
)

func TestAFileOfTheGameIsReadWithoutTheOthers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"game/index.html": "page", "game/src/a.js": "a", "game/playtest/ready.jpg": "shot", "game/big.bin": "", ".svc/game.json": "{}", "other.txt": "x",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(
		os.Truncate(filepath.Join(dir, "game/big.bin"), gamezip.MaxBytes+1), // no bytes of the disk
		os.Symlink("../other.txt", filepath.Join(dir, "game/link.txt")),
		os.Symlink("../.svc", filepath.Join(dir, "game/state")),
	)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := Project(root); err == nil {
		t.Error("the whole game is read, which is too large")
	}
	for name, want := range map[string]string{"index.html": "page", "src/a.js": "a"} {
		if got, err := GameFile(root, name); err != nil || string(got) != want {
			t.Errorf("%s holds %q: %v", name, got, err)
		}
	}
	for _, name := range []string{
		"", ".", "none", "src", "index.html/x", "../other.txt", "../.svc/game.json", "link.txt", "state/game.json", "playtest/ready.jpg", "/index.html",
	} {
		if got, err := GameFile(root, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q holds %q: %v", name, got, err)
		}
	}
}
