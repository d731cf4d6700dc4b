package build

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sources reads from a map.
func sources(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return []byte(data), nil
	}
}

func TestSourcesBecomeOneClassicScript(t *testing.T) {
	out, err := Bundle(context.Background(), Options{
		Entry: "src/main.js",
		Read: sources(map[string]string{
			"src/main.js":    "import Phaser from 'phaser'; import { a } from './lib/a.js'; import data from './data.json'; console.log(Phaser, a, data.n);",
			"src/lib/a.js":   "export const a = 41;",
			"src/data.json":  `{"n": 42}`,
			"src/unused.js":  "export const secret = 1;",
			"package.json":   `{"type": "module"}`,
			"tsconfig.json":  `{"compilerOptions": {}}`,
			"src/other.json": `{}`,
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	script := string(out.Script)
	for _, want := range []string{"41", "42", "window.Phaser"} {
		if !strings.Contains(script, want) {
			t.Errorf("the bundle lacks %q:\n%s", want, script)
		}
	}
	if strings.Contains(script, "import ") || strings.Contains(script, "secret") {
		t.Errorf("the bundle is no closed script:\n%s", script)
	}
}

func TestImportsCanNotLeaveTheProject(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.json"), []byte(`{"key":"TOPSECRET"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(outside, "project")
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"link.json", "folder"} {
		target := map[string]string{"link.json": "../../secret.json", "folder": "../.."}[link]
		if err := os.Symlink(target, filepath.Join(dir, "src", link)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, path := range []string{
		"../../secret.json", "./../../secret.json", filepath.Join(outside, "secret.json"), "file://" + filepath.Join(outside, "secret.json"),
		"./link.json", "./folder/secret.json", "fs", "node:fs", "https://example.com/x.js", `..\\..\\secret.json`, "data:text/javascript,1",
		"./../src/../../../secret.json",
	} {
		if err := root.WriteFile("src/main.js", []byte("import x from '"+path+"'; console.log(x);"), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := Bundle(context.Background(), Options{Entry: "src/main.js", Read: root.ReadFile})
		var broken *Error
		if !errors.As(err, &broken) || strings.Contains(string(out.Script), "TOPSECRET") {
			t.Errorf("import of %q: %v", path, err)
		}
	}
}

func TestProblemsNameFileAndLine(t *testing.T) {
	_, err := Bundle(context.Background(), Options{Entry: "src/main.js", Read: sources(map[string]string{"src/main.js": "const a = 1;\nconst a = ;\n"})})
	var broken *Error
	if !errors.As(err, &broken) {
		t.Fatalf("got %v", err)
	}
	if p := broken.Problems[0]; p.File != "src/main.js" || p.Line != 2 {
		t.Errorf("problem at %s:%d, want src/main.js:2", p.File, p.Line)
	}
}

func TestCancelledBuildReturnsTheContextsError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Bundle(ctx, Options{Entry: "m.js", Read: sources(map[string]string{"m.js": "1"})})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
