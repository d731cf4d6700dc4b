// Package examples has games that were written by hand on the kit: what an author
// writes, without the frame around it.
package examples

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/svc-games/svc/engine/kit"
)

//go:embed games
var games embed.FS

// Example is a game and how it is begun.
type Example struct {
	Name  string
	Start kit.Start
	Size  kit.Size
	Files map[string][]byte // the author's
}

// renderers are those of the examples.
var renderers = map[string]string{"blocks": "canvas", "gems": "phaser", "rows": "pixi"}

// All returns them by name.
func All() ([]Example, error) {
	entries, err := games.ReadDir("games")
	if err != nil {
		return nil, fmt.Errorf("listing the examples: %w", err)
	}
	var out []Example
	for _, e := range entries {
		x, err := load(e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the example %s: %w", e.Name(), err)
		}
		out = append(out, x)
	}
	return out, nil
}

func load(name string) (Example, error) {
	x := Example{Name: name, Files: map[string][]byte{}}
	root := path.Join("games", name)
	err := fs.WalkDir(games, root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		x.Files[strings.TrimPrefix(file, root+"/")], err = games.ReadFile(file)
		return err
	})
	if err != nil {
		return x, err
	}
	var about kit.About
	if err := json.Unmarshal(x.Files["src/game.json"], &about); err != nil {
		return x, err
	}
	x.Size = about.Size
	x.Start = kit.Start{Title: about.Title, Lang: about.Lang, Kind: about.Kind, Renderer: renderers[name], Short: about.Size.W < about.Size.H}
	return x, nil
}

// Game returns all its files but the bundle and the framework.
func (x Example) Game() (map[string][]byte, error) {
	files, err := kit.Frame(x.Start)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, x.Files)
	return files, nil
}
