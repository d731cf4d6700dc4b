package compile

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

var (
	mainParts  = regexp.MustCompile(`\./(mechanics|render)/([a-z0-9_]+)\.js`)
	mainAssets = regexp.MustCompile(`(?m)^(import asset\d+ from '\.\./assets/[\w-]+\.(png|jpg|wav|mp3|ogg)';|  [\w-]+: asset\d+,)\n`)
	// pageParts are what of a page is its game's, by which it is made like each other.
	pageParts = regexp.MustCompile(`(?m)^<html lang="[^"<>]*">$|^<title>[^<>]*</title>$|background: [#\w]*;|^<script src="lib/(phaser|pixi|three)\.min\.js"></script>\n`)
)

// Unchanged reports whether the game's sources are the kit's of this release, but for
// src/game.json and assets, and the page that loads them as well: nobody wrote anything of
// them by hand, so that the game comes to the same end wherever it is played. What its
// bundle and frameworks are made of is not looked at.
func (f Files) Unchanged() bool {
	parts := mainParts.FindAllSubmatch(f[Entry], -1)
	if len(parts) != 2 {
		return false
	}
	s := spec.Spec{Mechanic: string(parts[0][2]), Renderer: string(parts[1][2])}
	if _, known := catalog.Mechanics[s.Mechanic]; !known || !bytes.Equal(mainAssets.ReplaceAll(f[Entry], nil), mainModule(s, nil)) {
		return false
	}
	short, platform := s, s
	short.Format, platform.Format = spec.Short, spec.Platform
	if field := f[fieldFile]; !bytes.Equal(field, Field(short)) && !bytes.Equal(field, Field(platform)) {
		return false
	}
	for name, content := range f {
		if !strings.HasPrefix(name, "src/") || name == Entry || name == fieldFile || name == DataFile {
			continue
		}
		if own, err := kit.Source(strings.TrimPrefix(path.Clean(name), "src/")); err != nil || !bytes.Equal(content, own) {
			return false
		}
	}
	made, err := page(s)
	if err != nil || !bytes.Equal(pageParts.ReplaceAll(f[Page], nil), pageParts.ReplaceAll(made, nil)) {
		return false
	}
	library, err := kit.Source("page/svc.js")
	return err == nil && bytes.Equal(f[Library], library)
}
