// Package corpus holds small games that were written by hand and not of the kit,
// and the ways of breaking a game that a judge must name.
package corpus

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/kit"
)

//go:embed games more
var games embed.FS

// Game is a game by its sources; what is built of them is not among them.
type Game struct {
	Name          string
	Kind          string
	Width, Height int
	Short         bool
	Files         map[string][]byte
}

// globals are what a game imports of the frameworks, by their folder.
var globals = map[string]string{"phaser": "'phaser'", "pixi": "'pixi.js'", "three": "'three'"}

// Games returns those that mutations are made for, by name. frameworks is the folder of
// the frameworks.
func Games(frameworks string) ([]Game, error) { return all("games", frameworks) }

// More returns games of other kinds of technique, by name, which are written each in
// its own way.
func More(frameworks string) ([]Game, error) { return all("more", frameworks) }

func all(folder, frameworks string) ([]Game, error) {
	entries, err := games.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []Game
	for _, e := range entries {
		g, err := load(path.Join(folder, e.Name()), frameworks)
		if err != nil {
			return nil, fmt.Errorf("loading %s: %w", e.Name(), err)
		}
		out = append(out, g)
	}
	return out, nil
}

func load(root, frameworks string) (Game, error) {
	g := Game{Name: path.Base(root), Files: map[string][]byte{}}
	err := fs.WalkDir(games, root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := games.ReadFile(file)
		g.Files[strings.TrimPrefix(file, root+"/")] = data
		return err
	})
	if err != nil {
		return g, err
	}
	var about struct {
		Kind   string
		Format string
		Size   struct{ W, H int }
	}
	if err := json.Unmarshal(g.Files["src/game.json"], &about); err != nil {
		return g, err
	}
	g.Kind, g.Short, g.Width, g.Height = about.Kind, about.Format == "short", about.Size.W, about.Size.H
	if g.Files["lib/svc.js"], err = kit.Source("page/svc.js"); err != nil {
		return g, err
	}
	library := ""
	for framework, imported := range globals {
		if !strings.Contains(string(g.Files["src/main.js"]), "from "+imported) {
			continue
		}
		script := "lib/" + framework + ".min.js"
		library = `<script src="` + script + `"></script>`
		if g.Files[script], err = os.ReadFile(filepath.Join(frameworks, framework, framework+".min.js")); err != nil {
			return g, err
		}
	}
	g.Files["index.html"] = []byte(strings.Replace(page, "FRAMEWORK", library, 1))
	return g, nil
}

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Game</title><link rel="icon" href="data:,"><style>html,body{margin:0;height:100%;overflow:hidden;background:#101418}</style></head>
<body><div id="game" style="height:100%"></div><script src="lib/svc.js"></script>FRAMEWORK<script src="game.js"></script></body></html>
`

// Built returns the files with the script that the page loads.
func Built(ctx context.Context, files map[string][]byte) (map[string][]byte, error) {
	out, err := build.Bundle(ctx, build.Options{Entry: "src/main.js", Read: func(name string) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return data, nil
	}})
	if err != nil {
		return nil, err
	}
	files = maps.Clone(files)
	files["game.js"] = out.Script
	return files, nil
}
