// Package kit is what a new game is written on, by a model or by a person: the slim
// kit of src/kit and the frame around it. KIT.md describes it to authors. The stock
// kinds have a core of their own, engine/gen/kit.
package kit

import (
	"embed"
	"fmt"
	"path"
	"slices"

	"github.com/evanw/esbuild/pkg/api"

	stock "github.com/svc-games/svc/engine/gen/kit"
)

// Version of the kit, which stands at the head of each game's copy.
const Version = "1"

// Folder is where a game has its copy. It is not the author's to change.
const Folder = "src/kit"

// Renderers are what a game may be drawn by.
var Renderers = []string{"canvas", "phaser", "pixi", "three"}

//go:embed js frame sheets
var sources embed.FS

// Page is the kit's description for authors.
//
//go:embed KIT.md
var Page string

// Sheet says what an author needs to know of a renderer: "" of one that there is not.
func Sheet(renderer string) string {
	text, err := sources.ReadFile("sheets/" + renderer + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// modules are those of every game, without the one that draws.
var modules = []string{"kit.js", "run.js", "input.js", "hud.js", "stage.js", "svc.js", "sfx.js", "store.js"}

// Files returns the kit as it stands in a game that is drawn by a renderer: modules
// without comments and spaces, whose types are in kit.d.ts, and KIT.md.
func Files(renderer string) (map[string][]byte, error) {
	if !slices.Contains(Renderers, renderer) {
		return nil, fmt.Errorf("%q is no renderer; there are %v", renderer, Renderers)
	}
	types, err := sources.ReadFile("js/kit.d.ts")
	if err != nil {
		return nil, fmt.Errorf("reading the kit's types: %w", err)
	}
	math, err := stock.Source("core/math.js") // runs are the same everywhere by the same mathematics
	if err != nil {
		return nil, err
	}
	readable := map[string][]byte{"math.js": math}
	for _, name := range modules {
		if readable[name], err = sources.ReadFile(path.Join("js", name)); err != nil {
			return nil, fmt.Errorf("reading the kit: %w", err)
		}
	}
	if readable["view.js"], err = sources.ReadFile("js/view/" + renderer + ".js"); err != nil {
		return nil, fmt.Errorf("reading the kit: %w", err)
	}
	out := map[string][]byte{path.Join(Folder, "kit.d.ts"): types, path.Join(Folder, "KIT.md"): []byte(Page)}
	for name, source := range readable {
		if out[path.Join(Folder, name)], err = compact(name, source); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compact takes comments and spaces out of a module, in lines of at most 120.
func compact(name string, source []byte) ([]byte, error) {
	result := api.Transform(string(source), api.TransformOptions{
		Sourcefile: name, Target: api.ES2020, MinifyWhitespace: true, LineLimit: 80, LegalComments: api.LegalCommentsNone,
		Charset: api.CharsetUTF8, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("reading the kit's %s: %s", name, result.Errors[0].Text)
	}
	if name == "kit.js" {
		return append([]byte("// Kit "+Version+" of svc, MIT licence; see KIT.md.\n"), result.Code...), nil
	}
	return result.Code, nil
}
