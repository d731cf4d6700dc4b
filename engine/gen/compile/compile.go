// Package compile turns a GameSpec into the files of a game: sources, page
// and data. It is a pure function of the spec.
package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Files maps a path in the game's folder to its content.
type Files map[string][]byte

// Entry is the main module.
const Entry = "src/main.js"

// Page is what a browser opens, and Readme what a person reads first.
const (
	Page   = "index.html"
	Readme = "README.txt"
)

const readme = `%s: open index.html in a browser (a double click is enough) and tap.

The readable sources are in src/; src/game.json holds what can be tuned. The page
loads game.js, which is made of them. With Node.js 18 or newer, in this folder:

  npm install      once: fetches esbuild
  npm run build    makes game.js of src/
  npm start        serves the game, built anew at each reload

The sources are under the MIT licence (licenses/kit.txt): use, change and sell what
you make of them. Frameworks in lib/ have licences of their own beside it.
`

// Library is the analytics library that the page loads.
const Library = "lib/svc.js"

// Script is the bundle that the page loads.
const Script = "game.js"

// DataFile holds the texts, colours and tunables of a game.
const DataFile = "src/game.json"

// AssetsFolder holds the pictures and sounds of a game.
const AssetsFolder = "assets"

// Framework returns the JavaScript framework that a renderer needs, "" for
// none. Its script is lib/NAME.min.js.
func Framework(renderer string) string {
	if renderer == "canvas" {
		return ""
	}
	return renderer
}

// PlayerFile plays the game as an attentive player would: test tools ask it what
// to do in a state.
const PlayerFile = "test/player.js"

// Player is the kit's module that plays a mechanic.
func Player(mechanic string) string { return "players/" + mechanic + ".js" }

// fieldFile is the kit's module with the size of the field.
const fieldFile = "src/core/field.js"

// Compile returns all files but the bundle and the framework. assets are the
// pictures and sounds by their file name; the bundle takes them in.
func Compile(s spec.Spec, assets Files) (Files, error) {
	if err := catalog.Check(s); err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	out := Files{}
	for _, folder := range []string{"core", "art"} {
		names, err := kit.Dir(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := out.addSource(name); err != nil {
				return nil, err
			}
		}
	}
	sources := []string{"mechanics/" + s.Mechanic + ".js", "render/stage.js", "render/" + s.Renderer + ".js"}
	if s.Renderer == "three" {
		sources = append(sources, "render/canvas.js") // writes on top of the scene
	}
	for _, name := range sources {
		if err := out.addSource(name); err != nil {
			return nil, err
		}
	}
	if player := Player(s.Mechanic); kit.Has(player) {
		source, err := kit.Source(player)
		if err != nil {
			return nil, fmt.Errorf("compiling: %w", err)
		}
		out[PlayerFile] = bytes.ReplaceAll(source, []byte("from '../"), []byte("from '../src/"))
	}
	out[fieldFile] = Field(s)
	for name, data := range assets {
		out[path.Join(AssetsFolder, name)] = data
	}
	data, err := Data(s)
	if err != nil {
		return nil, err
	}
	out[DataFile] = data
	out[Entry] = mainModule(s, assets)
	if out[Library], err = kit.Source("page/svc.js"); err != nil {
		return nil, err
	}
	if out[Page], err = page(s); err != nil {
		return nil, err
	}
	out.AddReadme(s.Title)
	return out, out.AddProject(s)
}

// AddReadme adds what a person reads first, unless there is one.
func (f Files) AddReadme(title string) {
	if f[Readme] == nil {
		f[Readme] = fmt.Appendf(nil, readme, title)
	}
}

func (f Files) addSource(name string) error {
	data, err := kit.Source(name)
	if err != nil {
		return fmt.Errorf("compiling: %w", err)
	}
	f[path.Join("src", name)] = data
	return nil
}

// Read returns one file, for the build.
func (f Files) Read(name string) ([]byte, error) {
	data, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

// Own is what one mechanic alone is given, beside the tunables that all have.
type Own struct {
	Params  map[string]float64 `json:"params,omitempty"`
	Content []string           `json:"content,omitempty"`
	Labels  map[string]string  `json:"labels,omitempty"` // its words on the screen
	Stages  []spec.Stage       `json:"stages,omitempty"`
}

// OwnOf returns what the mechanic of a game is given.
func OwnOf(s spec.Spec) Own {
	labels := catalog.Mechanics[s.Mechanic].Labels
	own := labels[s.Lang]
	if own == nil {
		own = labels["en"]
	}
	params := catalog.Params(s.Mechanic)
	maps.Copy(params, s.Params)
	return Own{Params: params, Content: s.Content, Labels: own, Stages: s.Stages}
}

// Data is src/game.json: the spec without what only the generator needs.
func Data(s spec.Spec) ([]byte, error) {
	data, err := json.MarshalIndent(struct {
		ID    string    `json:"id"`
		Title string    `json:"title"`
		Kind  string    `json:"kind,omitempty"` // "" is arcade
		Seed  uint32    `json:"seed"`
		Art   spec.Art  `json:"art"`
		Play  spec.Play `json:"play"`
		Own
		Logo bool `json:"logo,omitempty"` // on the title screen
		// Figures are the roles that the game shows, and its title with it.
		Figures []string     `json:"figures"`
		Text    spec.Text    `json:"text"`
		Cast    spec.Cast    `json:"cast"`
		Scene   spec.Scene   `json:"scene"`
		Palette spec.Palette `json:"palette"`
	}{s.ID, s.Title, kind(s), s.Seed, s.Art, s.Play, OwnOf(s), s.Pictures["logo"] != "", catalog.Figures(s.Mechanic), s.Text, s.Cast, s.Scene, s.Palette}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding game.json: %w", err)
	}
	return append(data, '\n'), nil
}

// kind says how a game is judged.
func kind(s spec.Spec) string {
	switch m := catalog.Mechanics[s.Mechanic]; {
	case m.Turns:
		return "turns"
	case m.Endless && s.Play.Duration == 0:
		return "sandbox"
	}
	return ""
}

// The field of wide games in a window that is taller than wide, as on a phone, and
// what of its height some leave to the buttons of a touch screen.
const (
	tallWidth, tallHeight = 480, 840
	strip                 = 150
)

// Field is the kit's core/field.js for a game. A wide field becomes a tall one
// where the window is.
func Field(s spec.Spec) []byte {
	w, h := catalog.Field(s)
	if w < h {
		return fmt.Appendf(nil, "// The size of the playing field.\nexport const W = %d;\nexport const H = %d;\nexport const STRIP = 0;\nexport const BOTH = false;\n", w, h)
	}
	below := 0
	if catalog.Mechanics[s.Mechanic].Strip {
		below = strip
	}
	return fmt.Appendf(nil, `// The size of the playing field: tall in a window that is. STRIP is what lies below
// it for the buttons of a touch screen.
const tall = typeof window === 'object' && window.innerHeight > window.innerWidth * 1.2;
export const W = tall ? %d : %d;
export const H = tall ? %d : %d;
export const STRIP = tall ? %d : 0;
export const BOTH = true;
`, tallWidth, w, tallHeight-below, h, below)
}

func mainModule(s spec.Spec, assets Files) []byte {
	var imports, list bytes.Buffer
	for i, name := range assets.Names() {
		fmt.Fprintf(&imports, "import asset%d from '../%s/%s';\n", i, AssetsFolder, name)
		fmt.Fprintf(&list, "  %s: asset%d,\n", name[:len(name)-len(path.Ext(name))], i)
	}
	return fmt.Appendf(nil, `import game from './game.json';
import * as mechanic from './mechanics/%s.js';
import * as renderer from './render/%s.js';
import { boot } from './core/boot.js';
%s
boot(game, mechanic, renderer, {
%s});
`, s.Mechanic, s.Renderer, imports.String(), list.String())
}

func page(s spec.Spec) ([]byte, error) {
	source, err := kit.Source("page/index.html")
	if err != nil {
		return nil, err
	}
	t, err := template.New("index.html").Parse(string(source))
	if err != nil {
		return nil, fmt.Errorf("parsing page template: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{"Title": s.Title, "Lang": s.Lang, "Background": template.CSS(s.Palette.Shade), "Framework": Framework(s.Renderer)})
	if err != nil {
		return nil, fmt.Errorf("writing page: %w", err)
	}
	return b.Bytes(), nil
}

// Names returns the paths of all files, sorted.
func (f Files) Names() []string { return slices.Sorted(maps.Keys(f)) }

// Bytes returns the size of all files together.
func (f Files) Bytes() int {
	n := 0
	for _, data := range f {
		n += len(data)
	}
	return n
}
