package project_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/gentest"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/kit/examples"
)

// TestZIPOfAnAuthoredGameBuildsTheSameBytes: whoever wrote its sources, npm makes of them
// the script that the engine delivered with its last change.
func TestZIPOfAnAuthoredGameBuildsTheSameBytes(t *testing.T) {
	node := tools(t)
	for name, game := range map[string]func(*testing.T) string{"edited by a person": edited, "written on the kit": written} {
		t.Run(name, func(t *testing.T) {
			dir := game(t)
			root, err := os.OpenRoot(filepath.Dir(dir))
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			if authored, err := gen.Authored(root); !authored || err != nil {
				t.Fatalf("authored is %v, %v", authored, err)
			}
			if err := os.Symlink(node, filepath.Join(dir, "node_modules")); err != nil { // as npm install does
				t.Fatal(err)
			}
			checkBuild(t, dir)
		})
	}
}

// edited is a game of the generator whose board a person made wider, faster since.
func edited(t *testing.T) string {
	o := gen.Options{Frameworks: gentest.Frameworks(t)}
	dir := t.TempDir()
	work(t, dir, o, requests["canvas"])
	game := filepath.Join(dir, gen.Deliverable)
	const was, is = "const COLS = 13;", "const COLS = 12;"
	module := filepath.Join("src", "mechanics", "snake.js")
	source := read(t, game, module)
	if !bytes.Contains(source, []byte(was)) {
		t.Fatalf("%s has no %q", module, was)
	}
	write(t, bytes.Replace(source, []byte(was), []byte(is), 1), game, module)
	if result := work(t, dir, o, gen.Request{Prompt: "make it a bit faster"}); !result.Changed || !bytes.Contains(read(t, game, "game.js"), []byte("COLS = 12")) {
		t.Fatalf("the change is not of the edited game: %+v", result)
	}
	return game
}

// written is a game that was written by hand on the kit, as a model does, renamed since.
func written(t *testing.T) string {
	chromium, err := playtest.Find()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(x examples.Example) bool { return x.Start.Renderer == "canvas" })
	files, err := all[i].Game()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, gen.Deliverable, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, data, file)
	}
	o := gen.Options{Frameworks: gentest.Frameworks(t), Chromium: chromium}
	if result := work(t, dir, o, gen.Request{Prompt: "call it Falling", Settings: api.Settings{GameType: api.GameShort}}); !result.Changed {
		t.Fatalf("%+v", result)
	}
	return filepath.Join(dir, gen.Deliverable)
}
