package keep

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// fake is a test that has failed, or not.
type fake struct {
	testing.TB
	failed bool
	dir    string
}

func (f *fake) Failed() bool        { return f.failed }
func (f *fake) ArtifactDir() string { return f.dir }

func TestOnlyAFailedTestKeepsItsFiles(t *testing.T) {
	data, err := os.MkdirTemp("", "keep") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(data)
	socket, err := net.Listen("unix", filepath.Join(data, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := errors.Join(os.Mkdir(filepath.Join(data, "run"), 0o700), os.WriteFile(filepath.Join(data, "run", "log"), []byte("said"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, failed := range []bool{false, true} {
		f := &fake{TB: t, failed: failed, dir: t.TempDir()}
		Folder(f, "data", data)
		Text(f, "out.txt", "words")
		log, err := os.ReadFile(filepath.Join(f.dir, "data", "run", "log"))
		if failed && (err != nil || string(log) != "said") || !failed && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("failed %v: the folder's file is %q, %v", failed, log, err)
		}
		text, err := os.ReadFile(filepath.Join(f.dir, "out.txt"))
		if failed && (err != nil || string(text) != "words") || !failed && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("failed %v: the text is %q, %v", failed, text, err)
		}
	}
}
