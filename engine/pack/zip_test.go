package pack

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api/gamezip"
)

// game makes a workspace with a game in it, its files written in this order.
func game(t *testing.T, order ...string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for _, name := range order {
		path := filepath.Join(dir, "game", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Duration(len(name))*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestTheSameFilesGiveTheSameBytes(t *testing.T) {
	var first, second bytes.Buffer
	files, err := Zip(&first, game(t, "index.html", "a/b.js", "a.js", "a/a.js"), "game")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Zip(&second, game(t, "a/a.js", "a.js", "index.html", "a/b.js"), "game")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) || files != again {
		t.Error("two archives of the same files differ")
	}
	sum := sha256.Sum256(first.Bytes())
	if files.SHA256 != hex.EncodeToString(sum[:]) || files.Bytes != int64(first.Len()) || files.Count != 4 {
		t.Errorf("described as %+v", files)
	}
	archive, err := zip.NewReader(bytes.NewReader(first.Bytes()), files.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range archive.File {
		names = append(names, entry.Name)
		if !entry.Modified.Equal(modified) {
			t.Errorf("%s is of %s", entry.Name, entry.Modified)
		}
	}
	if want := []string{"a.js", "a/a.js", "a/b.js", "index.html"}; !slices.Equal(names, want) {
		t.Errorf("entries %v, want %v", names, want)
	}
}

func TestLinksAreLeftOut(t *testing.T) {
	root := game(t, "index.html")
	for name, target := range map[string]string{"out": "/etc/passwd", "in": "index.html", "dir": "."} {
		if err := root.Symlink(target, "game/"+name); err != nil {
			t.Fatal(err)
		}
	}
	var buf bytes.Buffer
	files, err := Zip(&buf, root, "game")
	if err != nil || files.Count != 1 {
		t.Errorf("Zip: %+v, %v", files, err)
	}
}

func TestWhatIsNoGameIsNotPacked(t *testing.T) {
	many := make([]string, gamezip.MaxFiles+1)
	for i := range many {
		many[i] = fmt.Sprintf("src/%d.js", i)
	}
	for what, names := range map[string][]string{
		"capitals":           {"index.html", "Index.html"},
		"composed and not":   {"caf\u00e9.png", "cafe\u0301.png"},
		"a device":           {"assets/nul.png"},
		"a backslash":        {`a\..\..\x.js`},
		"a hidden file":      {"src/.x.js"},
		"an unseen sign":     {"a\u202egnp.js"},
		"a name of no text":  {"a\xff.js"},
		"too many files":     many,
		"a folder and a dot": {"src./a.js"},
	} {
		if files, err := Zip(io.Discard, game(t, names...), "game"); !errors.Is(err, errNoGame) {
			t.Errorf("%s: %+v, %v", what, files, err)
		}
	}
	bomb := game(t, "a.js", "b.js")
	for _, name := range []string{"game/a.js", "game/b.js"} {
		f, err := bomb.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(gamezip.MaxBytes/2+1), f.Close()); err != nil { // zeros, of which a ZIP makes nothing
			t.Fatal(err)
		}
	}
	if files, err := Zip(io.Discard, bomb, "game"); !errors.Is(err, errNoGame) {
		t.Errorf("a bomb: %+v, %v", files, err)
	}
}

// swapping puts something else in the place of a file once another one is being
// packed.
type swapping struct {
	swap func() error
	err  error
}

func (s *swapping) Write(p []byte) (int, error) {
	if s.swap != nil {
		s.err, s.swap = s.swap(), nil
	}
	return len(p), nil
}

func TestWhatTakesAFilesPlaceWhileItIsPackedIsNotPacked(t *testing.T) {
	for what, put := range map[string]func(root *os.Root, dir, name string) error{
		"a link outside":   func(root *os.Root, _, name string) error { return root.Symlink("/etc/passwd", name) },
		"a link to itself": func(root *os.Root, _, name string) error { return root.Symlink("z.js", name) },
		"a link within":    func(root *os.Root, _, name string) error { return root.Symlink("a.js", name) },
		"a pipe":           func(_ *os.Root, dir, name string) error { return syscall.Mkfifo(filepath.Join(dir, name), 0o600) },
		"a folder":         func(root *os.Root, _, name string) error { return root.Mkdir(name, 0o700) },
		"nothing":          func(*os.Root, string, string) error { return nil },
	} {
		root := game(t, "a.js", "z.js")
		// What is compressed is written once there is enough of it.
		noise := make([]byte, 1<<18)
		if _, err := rand.Read(noise); err != nil {
			t.Fatal(err)
		}
		if err := root.WriteFile("game/a.js", noise, 0o600); err != nil {
			t.Fatal(err)
		}
		w := &swapping{swap: func() error {
			return errors.Join(root.Remove("game/z.js"), put(root, root.Name(), "game/z.js"))
		}}
		files, err := Zip(w, root, "game")
		if w.err != nil || w.swap != nil {
			t.Fatalf("%s: %v", what, w.err)
		}
		if err == nil {
			t.Errorf("%s was packed: %+v", what, files)
		}
	}
}

func TestAGameThatIsNotThereGivesAnEmptyArchive(t *testing.T) {
	var buf bytes.Buffer
	files, err := Zip(&buf, game(t), "game")
	if err != nil || files.Count != 0 {
		t.Fatalf("Zip: %+v, %v", files, err)
	}
	if _, err := zip.NewReader(bytes.NewReader(buf.Bytes()), files.Bytes); err != nil {
		t.Errorf("reading it: %v", err)
	}
}

func TestAGameThatIsALinkIsRefused(t *testing.T) {
	root := game(t)
	if err := root.Symlink("/etc", "game"); err != nil {
		t.Fatal(err)
	}
	if _, err := Zip(&bytes.Buffer{}, root, "game"); err == nil {
		t.Error("a link was packed")
	}
}
