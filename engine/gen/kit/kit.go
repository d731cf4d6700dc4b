// Package kit holds the JavaScript that generated games are made of: the core
// (session, screens, effects), the painters, one pure module per mechanic and
// one adapter per renderer. It is embedded and copied into each game's src/.
package kit

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed js
var files embed.FS

// Source returns one file of the kit by its path below js/.
func Source(name string) ([]byte, error) {
	data, err := files.ReadFile(path.Join("js", name))
	if err != nil {
		return nil, fmt.Errorf("reading kit file: %w", err)
	}
	return data, nil
}

// Has reports whether the kit has a file.
func Has(name string) bool {
	_, err := fs.Stat(files, path.Join("js", name))
	return err == nil
}

// Dir returns the paths of the files in a folder of the kit, sorted.
func Dir(folder string) ([]string, error) {
	entries, err := fs.ReadDir(files, path.Join("js", folder))
	if err != nil {
		return nil, fmt.Errorf("listing kit folder: %w", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, path.Join(folder, e.Name()))
	}
	return names, nil
}

// Mechanics returns the names of all mechanics, sorted.
func Mechanics() []string {
	entries, err := Dir("mechanics")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(path.Base(e), ".js"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
