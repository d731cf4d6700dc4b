// Package project has the proof that a game's ZIP is a project that a stranger can
// build, change and check.
package project_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/gentest"
)

// tools installs what the tests run, where it is not, and returns its folder.
func tools(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	run(t, here, "../../scripts/npm-install", here)
	return filepath.Join(here, "node_modules")
}

// run runs a program in a folder and fails the test with what it said.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// silent is a gen.Reporter that nobody reads.
type silent struct{}

func (silent) Progress(api.Stage, int, string) {}

func (silent) Event(string, map[string]any) {}

func (silent) Built(map[string][]byte) {}

// game makes a game in a folder of its own and returns that.
func game(t *testing.T, req gen.Request) string {
	t.Helper()
	dir := t.TempDir()
	work(t, dir, gen.Options{Frameworks: gentest.Frameworks(t)}, req)
	return filepath.Join(dir, gen.Deliverable)
}

// work makes or changes the game of a project's folder.
func work(t *testing.T, dir string, o gen.Options, req gen.Request) gen.Result {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	g, err := gen.New(o)
	if err != nil {
		t.Fatal(err)
	}
	req.JobID, req.ProjectID, req.Workspace, req.Settings.ReasoningLevel = "job_1", "0123456789abcdef01234567", root, api.ReasoningLow
	result, err := g.Generate(context.Background(), req, silent{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// write puts a file in place whole, as editors do: "npm start" reads while it is written.
func write(t *testing.T, data []byte, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := errors.Join(os.WriteFile(name+"~", data, 0o644), os.Rename(name+"~", name)); err != nil {
		t.Fatal(err)
	}
}

// requests are for a game of each framework, both formats, sounds, painted pictures and
// one of the user's among them.
var requests = map[string]gen.Request{
	"canvas": {Prompt: "snake, on a plain canvas"},
	"phaser": {Prompt: "a hedgehog jumps over logs and collects apples", Settings: api.Settings{GameType: api.GamePlatform, AIAudio: &on}},
	"pixi": {
		Prompt: "pong, with PixiJS. Put our logo on the title screen", Settings: api.Settings{GameType: api.GamePlatform, AIImages: &on},
		Context: []api.ContextBlock{{Name: "logo.png", Content: logo()}},
	},
	"three": {Prompt: "a fox runs down a road in three lanes", Settings: api.Settings{DimensionMode: api.Dimension3D}},
}

var on = true

// logo is a picture as clients send one.
func logo() string {
	img := image.NewNRGBA(image.Rect(0, 0, 120, 60))
	draw.Draw(img, img.Rect.Inset(8), image.NewUniform(color.NRGBA{R: 220, G: 30, B: 90, A: 255}), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err) // into memory
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}

func TestGamesZIPIsAProject(t *testing.T) {
	node := tools(t)
	games := map[string]string{}
	for framework, req := range requests {
		games[framework] = game(t, req)
		if !bytes.Contains(read(t, games[framework], "src", "main.js"), []byte("./render/"+framework+".js")) {
			t.Fatalf("the game is none of %s", framework)
		}
	}
	for _, name := range []string{"logo.png", "background.png"} {
		read(t, games["pixi"], "assets", name)
	}
	t.Run("sources", func(t *testing.T) { checkSources(t, node, games) })
	for framework, dir := range games {
		if err := os.Symlink(node, filepath.Join(dir, "node_modules")); err != nil { // as npm install does
			t.Fatal(err)
		}
		t.Run("build/"+framework, func(t *testing.T) { checkBuild(t, dir) })
	}
	t.Run("start", func(t *testing.T) { checkStart(t, games["phaser"]) })
	t.Run("broken", func(t *testing.T) { checkBroken(t, games["canvas"]) })
}

// checkBuild: the build makes the engine's bytes, and heeds what is edited.
func checkBuild(t *testing.T, dir string) {
	delivered := read(t, dir, "game.js")
	write(t, nil, dir, "game.js")
	run(t, dir, "npm", "run", "build")
	if line, made, was := differing(read(t, dir, "game.js"), delivered); line > 0 {
		t.Errorf("the build's game.js is another than the engine's at line %d: %q, %q", line, made, was)
	}
	data := read(t, dir, "src", "game.json")
	write(t, bytes.Replace(data, []byte(`"title": "`), []byte(`"title": "Changed by hand `), 1), dir, "src", "game.json")
	run(t, dir, "npm", "run", "build")
	if !bytes.Contains(read(t, dir, "game.js"), []byte("Changed by hand ")) {
		t.Error("the build does not heed src/game.json")
	}
}

var addressPattern = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

// checkStart: what "npm start" serves is the page, and the script as its sources are now.
func checkStart(t *testing.T, dir string) {
	cmd := exec.CommandContext(t.Context(), "node", "build.mjs", "--serve") // as package.json says; npm would leave it behind
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lines, address := bufio.NewScanner(out), ""
	for address == "" && lines.Scan() {
		address = addressPattern.FindString(lines.Text())
	}
	write(t, bytes.Replace(read(t, dir, "src", "game.json"), []byte("Changed by hand "), []byte("Changed again "), 1), dir, "src", "game.json")
	for path, want := range map[string]string{"": "<script src=\"game.js\">", "game.js": "Changed again ", "lib/svc.js": "window.svc"} {
		if body := get(t, address+path); !strings.Contains(body, want) {
			t.Errorf("%q of %q: %.200s", path, address, body)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// checkBroken: sources that can't be built fail the build, by name.
func checkBroken(t *testing.T, dir string) {
	write(t, []byte("import { nothing } from './nowhere.js';\n"), dir, "src", "main.js")
	cmd := exec.CommandContext(t.Context(), "npm", "run", "build")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "nowhere.js") {
		t.Errorf("%v: %s", err, out)
	}
}

// differing finds the first line that differs, from 1; 0 for none.
func differing(a, b []byte) (line int, ofA, ofB string) {
	if bytes.Equal(a, b) {
		return 0, "", ""
	}
	inA, inB := append(strings.Split(string(a), "\n"), "\x00"), append(strings.Split(string(b), "\n"), "\x01")
	for inA[line] == inB[line] {
		line++
	}
	return line + 1, inA[line], inB[line]
}

// TestEsbuildIsTheSameEverywhere: other versions make other bytes.
func TestEsbuildIsTheSameEverywhere(t *testing.T) {
	for _, file := range []string{"package.json", "../../go.mod"} {
		if data := string(read(t, file)); !strings.Contains(data, `"esbuild": "`+build.Version+`"`) && !strings.Contains(data, "github.com/evanw/esbuild v"+build.Version+"\n") {
			t.Errorf("%s names another esbuild than %s", file, build.Version)
		}
	}
}

// checkSources: ESLint and TypeScript find nothing in the whole kit, nor in the games,
// and no line is too long.
func checkSources(t *testing.T, node string, games map[string]string) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "kit", "src"), os.DirFS("../../engine/gen/kit/js")); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join("kit", "src", "page")
	write(t, read(t, dir, page, "jsconfig.json"), dir, "kit", "jsconfig.json")
	if err := os.Remove(filepath.Join(dir, page, "build.mjs")); err != nil { // no script of a page; the games have it too
		t.Fatal(err)
	}
	folders := append(slimKit(t, dir), "kit", "canvas", "phaser", "pixi", "three")
	for framework, folder := range games {
		if err := os.CopyFS(filepath.Join(dir, framework), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	config, err := filepath.Abs("eslint.config.js")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, filepath.Join(node, ".bin", "eslint"), "--config", config, ".")
	for _, folder := range folders {
		run(t, filepath.Join(dir, folder), filepath.Join(node, ".bin", "tsc"), "--project", "jsconfig.json")
	}
	long(t, dir)
}

// slimTypes are what the modules of the slim kit find on their page and in the core.
const slimTypes = `declare module 'phaser';
declare module 'pixi.js';
declare module 'three';
interface Window { svc: any; __svc_blind: boolean }
type GameState = any;
`

// slimKit adds the kit that models write games on, as it is written, and the games that
// show its use.
func slimKit(t *testing.T, dir string) (folders []string) {
	t.Helper()
	games := map[string]fs.FS{"slim": os.DirFS("../../engine/kit/frame")}
	all, err := fs.Glob(os.DirFS("../../engine/kit/examples/games"), "*")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d games, %v", len(all), err)
	}
	for _, name := range all {
		games["slim-"+name] = os.DirFS(filepath.Join("../../engine/kit/examples/games", name, "src"))
	}
	config := read(t, "../../engine/gen/kit/js/page/jsconfig.json")
	for name, game := range games {
		folders = append(folders, name)
		src := filepath.Join(dir, name, "src")
		for to, from := range map[string]fs.FS{src: game, filepath.Join(src, "kit"): os.DirFS("../../engine/kit/js")} {
			if err := os.CopyFS(to, from); err != nil {
				t.Fatal(err)
			}
		}
		write(t, read(t, "../../engine/gen/kit/js/core/math.js"), src, "kit", "math.js")
		for _, view := range []string{"phaser", "pixi", "three", "canvas"} {
			data := read(t, "../../engine/kit/js/view", view+".js")
			write(t, data, src, "kit", "view-"+view+".js")
			write(t, data, src, "kit", "view.js")
		}
		if err := os.RemoveAll(filepath.Join(src, "kit", "view")); err != nil { // each stands beside the rest in a game
			t.Fatal(err)
		}
		write(t, []byte(slimTypes), src, "page.d.ts")
		write(t, config, dir, name, "jsconfig.json")
	}
	write(t, read(t, "../../engine/kit/examples/games", all[0], "src", "game.json"), dir, "slim", "src", "game.json")
	return folders
}

// long finds lines and files that no one wants to read.
func long(t *testing.T, dir string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		source := filepath.Ext(name) == ".js" || filepath.Ext(name) == ".mjs" || strings.HasSuffix(name, ".d.ts")
		if err != nil || entry.IsDir() || !source || filepath.Base(name) == "game.js" || strings.HasSuffix(name, ".min.js") {
			return err
		}
		lines := strings.Split(string(read(t, dir, name)), "\n")
		if len(lines) > 401 {
			t.Errorf("%s has %d lines", name, len(lines)-1)
		}
		for i, line := range lines {
			if len([]rune(line)) > 120 {
				t.Errorf("%s:%d has %d characters", name, i+1, len([]rune(line)))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
