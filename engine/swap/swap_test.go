package swap

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func project(t *testing.T, files map[string]string) (*os.Root, func() map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, func() map[string]string {
		t.Helper()
		out := map[string]string{}
		err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			data, err := root.ReadFile(name)
			out[name] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

var (
	before  = map[string]string{"a": "old", "b/c": "old", "b/d/e": "old", "stays": "as it is"}
	changes = []Change{
		{Name: "a", Data: []byte("new")}, {Name: "b/c", Delete: true}, {Name: "b/d/e", Delete: true},
		{Name: "b", Data: []byte("a file now")}, {Name: "f/g", Data: []byte("new")}, {Name: "empty"}, {Name: "never", Delete: true},
	}
	after = map[string]string{"a": "new", "b": "a file now", "f/g": "new", "empty": "", "stays": "as it is"}
)

func TestChangesHappenTogether(t *testing.T) {
	root, files := project(t, before)
	if err := Apply(root, changes, nil); err != nil {
		t.Fatal(err)
	}
	if got := files(); !maps.Equal(got, after) {
		t.Errorf("got %v", got)
	}
}

func TestInterruptedChangesAreFinished(t *testing.T) {
	root, files := project(t, before)
	if err := write(root, changes); err != nil {
		t.Fatal(err)
	}
	// Some of it was done.
	for _, name := range []string{"b/c", "b/d/e"} {
		if err := remove(root, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := replace(root, changes[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Finish(root); err != nil {
			t.Fatal(err)
		}
		if got := files(); !maps.Equal(got, after) {
			t.Errorf("got %v", got)
		}
	}
}

func TestNoteThatIsNotWholeIsForgotten(t *testing.T) {
	root, files := project(t, before)
	if err := create(root, fresh, []byte(`[{"name":"a","da`)); err != nil {
		t.Fatal(err)
	}
	if err := Finish(root); err != nil {
		t.Fatal(err)
	}
	if got := files(); !maps.Equal(got, before) {
		t.Errorf("got %v", got)
	}
}

func TestChangesStayInTheProject(t *testing.T) {
	for _, name := range []string{"../x", "/etc/x", "link/x"} {
		root, files := project(t, before)
		if err := root.Symlink("/tmp", "link"); err != nil {
			t.Fatal(err)
		}
		if err := Apply(root, []Change{{Name: name, Data: []byte("x")}}, nil); err == nil {
			t.Errorf("%s was written", name)
		}
		if got := files()["a"]; got != "old" {
			t.Errorf("a is %q", got)
		}
	}
}

func TestChangesThatHaveNoRoomAreNotBegun(t *testing.T) {
	root, files := project(t, before)
	full := errors.New("full")
	var bytes, more int
	err := Apply(root, changes, func(b int64, n int) error {
		bytes, more = int(b), n
		return full
	})
	if !errors.Is(err, full) || !maps.Equal(files(), before) {
		t.Errorf("%v, %v", err, files())
	}
	if bytes != len("a file now")+len("new")-2*len("old") || more != 1 {
		t.Errorf("they need %d bytes and %d files more", bytes, more)
	}
}
