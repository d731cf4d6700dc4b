package kit_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/kit"
)

var chromium = playtest.NewPool("")

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

func browser(t *testing.T) *playtest.Browser {
	t.Helper()
	b, release, err := chromium.Get()
	if errors.Is(err, playtest.ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release(false) })
	return b
}

func reader(files map[string][]byte) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return data, nil
	}
}

// built returns the files with their bundle and the framework of their renderer.
func built(t *testing.T, files map[string][]byte, renderer string) map[string][]byte {
	t.Helper()
	files = maps.Clone(files)
	out, err := build.Bundle(t.Context(), build.Options{Entry: "src/main.js", Read: reader(files)})
	if err != nil {
		t.Fatal(err)
	}
	files["game.js"] = out.Script
	if renderer == "canvas" {
		return files
	}
	dir := os.Getenv("SVC_FRAMEWORKS")
	if dir == "" {
		dir = filepath.Join("..", "..", "bin", "frameworks")
	}
	script, err := os.ReadFile(filepath.Join(dir, renderer, renderer+".min.js"))
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	files["lib/"+renderer+".min.js"] = script
	return files
}

func sizeOf(t *testing.T, files map[string][]byte) kit.Size {
	t.Helper()
	var about kit.About
	if err := json.Unmarshal(files["src/game.json"], &about); err != nil {
		t.Fatal(err)
	}
	return about.Size
}

// looked is appended to svc's library: it shows a page's clock what the game exposes.
const looked = `
svc.expose = ((real) => (state, screen) => {
  window.stateOf = state;
  window.__svc_state = () => Object.assign({ phase: 'play' }, screen());
  real(state, screen);
})(svc.expose);
`

// open opens a game in a folder, as a double click does, and holds its clock.
func open(t *testing.T, files map[string][]byte, s kit.Start) *playtest.Page {
	t.Helper()
	files = built(t, files, s.Renderer)
	files["lib/svc.js"] = append(files["lib/svc.js"], looked...)
	size := sizeOf(t, files)
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := browser(t).Open(t.Context(), "file://"+filepath.ToSlash(dir)+"/index.html", size.W, size.H)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// eval evaluates a script in the page, as an asynchronous function's body.
func eval[T any](t *testing.T, p *playtest.Page, script string) T {
	t.Helper()
	v, err := playtest.Eval[T](p, "(async () => {"+script+"})()")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// judged plays a game in the judge's way, after the audit.
func judged(t *testing.T, files map[string][]byte, s kit.Start, shots bool) playtest.Report {
	t.Helper()
	files = built(t, files, s.Renderer)
	for _, f := range audit.Check(compile.Files(files), audit.Limits{Bytes: audit.MaxBytes}) {
		t.Errorf("the audit: %+v", f)
	}
	size := sizeOf(t, files)
	r, err := browser(t).Play(t.Context(), playtest.Game{Files: files, Width: size.W, Height: size.H, Limit: 60, Shots: shots})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v: score %v, blind %v, ratio %.2f; %s", r.Took, r.Score, r.Blind, r.SkillRatio, r)
	if dir := os.Getenv("SVC_SHOTS"); dir != "" {
		for _, shot := range r.Shots {
			_ = os.WriteFile(filepath.Join(dir, filepath.Base(t.Name())+"-"+shot.Moment+".jpg"), shot.JPEG, 0o644)
		}
	}
	return r
}
