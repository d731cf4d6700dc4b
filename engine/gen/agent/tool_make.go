package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/studio"
)

// Bounds of what an author has made in a run.
const (
	maxMade      = 16 // orders
	maxMadeBytes = 3 << 20
)

// makeTools make pictures and sounds.
var makeTools = []tool{
	{"make_image", "Makes a picture assets/NAME.png (a background: .jpg or .png) of a subject of at most 80 characters; frames stand side by side, each w by h.",
		`"name":{"type":"string"},"role":{"type":"string","enum":["` + strings.Join(studio.PictureRoles, `","`) + `"]},"subject":{"type":"string"},"w":{"type":"integer"},"h":{"type":"integer"},"frames":{"type":"integer"}`,
		[]string{"name", "role", "subject", "w", "h"}, staged, onStage("make_image", makeImage)},
	{"make_sound", "Makes a sound assets/NAME of a role.",
		`"name":{"type":"string"},"role":{"type":"string","enum":["` + strings.Join(studio.SoundRoles, `","`) + `"]},"subject":{"type":"string"}`,
		[]string{"name", "role"}, staged, onStage("make_sound", makeSound)},
}

func makeImage(ctx context.Context, s *session, w studio.Wish) (result, error) {
	w, err := w.Picture()
	if err != nil {
		return bad(err), nil
	}
	return s.make(ctx, w, s.task.Stage.Theatre.Picture)
}

func makeSound(ctx context.Context, s *session, w studio.Wish) (result, error) {
	w, err := w.Sound()
	if err != nil {
		return bad(err), nil
	}
	return s.make(ctx, w, s.task.Stage.Theatre.Sound)
}

// make has an asset made, unless that was done before.
func (s *session) make(ctx context.Context, w studio.Wish, order func(context.Context, studio.Wish) (Asset, error)) (result, error) {
	stage := s.task.Stage
	if asset, ok := stage.assets[w]; ok { // it was paid for
		return s.keep(w, asset), nil
	}
	if err := s.game.free(compile.AssetsFolder + "/" + w.Name); err != nil {
		return bad(err), nil
	}
	if stage.orders >= maxMade {
		return bad(fmt.Errorf("%d pictures and sounds were ordered, which is the most: draw the rest in code", maxMade)), nil
	}
	stage.orders++
	asset, err := order(ctx, w)
	if err != nil {
		return result{}, err
	}
	if stage.bytes+len(asset.Data) > maxMadeBytes {
		return bad(fmt.Errorf("all pictures and sounds would have more than %d bytes: make a smaller one", maxMadeBytes)), nil
	}
	if stage.assets == nil {
		stage.assets = map[studio.Wish]Asset{}
	}
	stage.assets[w] = asset
	stage.bytes += len(asset.Data)
	s.rep.Made(pathOf(w, asset), asset)
	return s.keep(w, asset), nil
}

func pathOf(w studio.Wish, a Asset) string { return compile.AssetsFolder + "/" + w.Name + a.Ext }

// keep puts an asset into the game.
func (s *session) keep(w studio.Wish, asset Asset) result {
	path := pathOf(w, asset)
	s.game.put(path, asset.Data)
	return good("Made %s, %d bytes. %s\n%s", path, len(asset.Data), asset.Note, usage(w, path, s.game))
}

// put makes data an asset, in place of one of the same name.
func (s *sources) put(path string, data []byte) {
	stem := path[:strings.LastIndex(path, ".")+1]
	for name := range s.files {
		if name != path && strings.HasPrefix(name, stem) {
			delete(s.files, name)
		}
	}
	s.set(path, data)
}

// usage says how a game uses an asset.
func usage(w studio.Wish, path string, game *sources) string {
	use := fmt.Sprintf("import %sUrl from '../%s'; hand it to run: assets: { %s: %sUrl };", w.Name, path, w.Name, w.Name)
	if w.W == 0 {
		return use + fmt.Sprintf(" play it by sfx('%s').", w.Name)
	}
	use += " import { assets } from './kit/kit.js'; "
	has := func(name string) bool { _, there := game.files["lib/"+name+".min.js"]; return there }
	switch {
	case has("phaser") && w.Frames > 1:
		return use + fmt.Sprintf("in setup: scene.textures.addSpriteSheet('%s', assets.%s, { frameWidth: %d, frameHeight: %d }), then scene.add.sprite(x, y, '%s', frame).", w.Name, w.Name, w.W, w.H, w.Name)
	case has("phaser"):
		return use + fmt.Sprintf("in setup: scene.textures.addImage('%s', assets.%s), then scene.add.image(x, y, '%s').", w.Name, w.Name, w.Name)
	case has("pixi"):
		return use + fmt.Sprintf("in setup: new PIXI.Sprite(PIXI.Texture.from(assets.%s)).", w.Name)
	case has("three"):
		return use + fmt.Sprintf("in setup: const t = new THREE.Texture(assets.%s); t.needsUpdate = true.", w.Name)
	}
	return use + fmt.Sprintf("in draw, for frame i: g.drawImage(assets.%s, i * %d, 0, %d, %d, x, y, %d, %d).", w.Name, w.W, w.W, w.H, w.W, w.H)
}
