package disk

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// project is a folder with one file, beside a secret.
func project(t *testing.T) (root *os.Root, dir string) {
	t.Helper()
	outside := t.TempDir()
	dir = filepath.Join(outside, "project")
	for name, content := range map[string]string{"secret": "secret", "project/a": "content"} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func TestOnlyARegularFileIsRead(t *testing.T) {
	root, dir := project(t)
	if data, err := Read(root, "a", 7); string(data) != "content" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	for what, tc := range map[string]struct {
		put  func(path string) error
		want error
	}{
		"a link within":      {func(p string) error { return os.Symlink("a", p) }, ErrNotRegular},
		"a link outside":     {func(p string) error { return os.Symlink("../secret", p) }, nil},
		"an absolute link":   {func(p string) error { return os.Symlink("/etc/passwd", p) }, nil},
		"a link to itself":   {func(p string) error { return os.Symlink(filepath.Base(p), p) }, nil},
		"a pipe":             {func(p string) error { return syscall.Mkfifo(p, 0o600) }, ErrNotRegular},
		"a folder":           {func(p string) error { return os.Mkdir(p, 0o700) }, ErrNotRegular},
		"a file that is not": {func(string) error { return nil }, fs.ErrNotExist},
		"a socket": {func(p string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p, Net: "unix"})
			if err == nil {
				l.SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		}, nil},
	} {
		path := filepath.Join(dir, "x")
		if err := tc.put(path); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		data, err := Read(root, "x", 100) // a pipe nobody writes to must not hold it up
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: %q, %v", what, data, err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileThatGrewTooLargeIsNotRead(t *testing.T) {
	root, dir := project(t)
	if err := os.Truncate(filepath.Join(dir, "a"), 1<<40); err != nil { // takes no room, and would fill the memory
		t.Fatal(err)
	}
	if _, err := Read(root, "a", 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// What happens between a check and its use can't be timed from outside, so a
// file and a link take turns while they are read.
func TestLinkThatIsSwappedInIsNeverFollowed(t *testing.T) {
	root, dir := project(t)
	if err := os.WriteFile(filepath.Join(dir, "other"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for turn := 0; ; turn++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			temp := filepath.Join(dir, "next")
			err := os.WriteFile(temp, []byte("content"), 0o600)
			if turn%2 == 0 {
				err = errors.Join(os.Remove(temp), os.Symlink([]string{"other", "../secret"}[turn/2%2], temp))
			}
			if err = errors.Join(err, os.Rename(temp, filepath.Join(dir, "a"))); err != nil {
				stopped <- err
				return
			}
		}
	}()
	read := 0
	for i := 0; i < 2000 || read == 0 && i < 1_000_000; i++ {
		data, err := Read(root, "a", 100)
		if err != nil {
			continue
		}
		if read++; string(data) != "content" {
			t.Fatalf("a link was followed: %q", data)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if read == 0 {
		t.Error("the file was never read")
	}
}
