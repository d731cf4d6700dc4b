// Package puppets has authors without a model: whole games that were written by hand
// on the kit, and the scripts by which a fake provider hands them over as a model
// would, with faults on the way that a verdict must name before they are mended.
package puppets

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/engine/kit/examples"
)

//go:embed games
var games embed.FS

// Puppet is an author of one game.
type Puppet struct {
	Name   string
	Prompt string // that asks for the game
	Start  kit.Start
	Size   kit.Size
	Files  map[string][]byte // the author's, of the finished game
}

// prompts ask for the games, and renderers draw them.
var (
	prompts = map[string]string{
		"snake":   "A snake in an orchard that grows with every apple",
		"blocks":  "Falling blocks: turn them, fill whole rows",
		"rows":    "Tic-tac-toe against the computer, a match of three rounds",
		"memory":  "Find the pairs of cards before the lamp goes out",
		"defence": "Tower defence: beetles follow a path, towers on stones shoot them",
		"typing":  "Type the words before they fall to the ground",
		"pinball": "Pinball with two flippers among the stars",
		"maze":    "A hedge maze in 3D, seen by one who walks in it and gathers roses",
	}
	renderers = map[string]string{
		"snake": "canvas", "blocks": "canvas", "rows": "pixi", "memory": "pixi", "defence": "phaser", "typing": "canvas", "pinball": "phaser", "maze": "three",
	}
	// asked is how a prompt asks for a renderer: a brief that names none has a canvas.
	asked = map[string]string{"phaser": ", with Phaser", "pixi": ", with PixiJS"}
)

// All returns the puppets by name.
func All() ([]Puppet, error) {
	known, err := examples.All()
	if err != nil {
		return nil, err
	}
	var out []Puppet
	for _, name := range slices.Sorted(maps.Keys(prompts)) {
		p, err := load(name, known)
		if err != nil {
			return nil, fmt.Errorf("reading the puppet %s: %w", name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// load reads a puppet. A game that is one of the kit's examples has only what it adds
// to that here; an author can't hand over a player.
func load(name string, known []examples.Example) (Puppet, error) {
	p := Puppet{Name: name, Prompt: prompts[name] + asked[renderers[name]], Files: map[string][]byte{}}
	for _, x := range known {
		if x.Name == name {
			maps.Copy(p.Files, x.Files)
			delete(p.Files, "test/player.js")
		}
	}
	root := path.Join("games", name)
	err := fs.WalkDir(games, root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p.Files[strings.TrimPrefix(file, root+"/")], err = games.ReadFile(file)
		return err
	})
	if err != nil {
		return p, err
	}
	var about kit.About
	if err := json.Unmarshal(p.Files["src/game.json"], &about); err != nil {
		return p, err
	}
	p.Size = about.Size
	p.Start = kit.Start{Title: about.Title, Lang: about.Lang, Kind: about.Kind, Renderer: renderers[name], Short: about.Size.W < about.Size.H}
	return p, nil
}

// Game returns all files of the finished game but the bundle and the framework.
func (p Puppet) Game() (map[string][]byte, error) {
	files, err := kit.Frame(p.Start)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, p.Files)
	return files, nil
}
