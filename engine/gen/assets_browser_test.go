package gen

import (
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestPicturesOfModelsShowInEveryRenderer(t *testing.T) {
	b := browser(t)
	yes := true
	for renderer, req := range map[string]Request{
		"phaser": {Prompt: flapping}, "pixi": {Prompt: flapping + ", with PixiJS"}, "canvas": {Prompt: flapping + ", with plain canvas"},
		"three": {Prompt: solidBriefs["drive3d"], Settings: api.Settings{DimensionMode: api.Dimension3D}},
	} {
		var pages [2]string
		for i, a := range []*atelier{nil, openAtelier()} {
			g, err := New(Options{Frameworks: frameworksDir(t)})
			if err != nil {
				t.Fatal(err)
			}
			e := g.(*embedded)
			e.simulate = unplayed // the browser plays it
			if a != nil {
				e.studio = a
			}
			p := newProject(t, g)
			req.Settings.AIImages, req.Settings.AIAudio = &yes, &yes
			p.runWith(req)
			if got := p.spec()["renderer"]; got != renderer {
				t.Fatalf("%s: the game is shown by %v", renderer, got)
			}
			pages[i] = "file://" + filepath.ToSlash(filepath.Join(p.dir, "game", "index.html"))
		}
		w, h := catalog.Field(spec.Spec{Mechanic: "gap", Format: spec.Short})
		painted, modelled := open(t, b, pages[0], w, h), open(t, b, pages[1], w, h)
		tap(t, modelled)
		run(t, modelled, "skilled", 120)
		tap(t, painted)
		run(t, painted, "skilled", 120)
		if share := differing(shoot(t, painted, "painted-"+renderer), shoot(t, modelled, "modelled-"+renderer)); share < 0.1 {
			t.Errorf("%s: the pictures of the model change %.1f %% of the screen", renderer, share*100)
		}
		if said := modelled.Console(); len(said) > 0 {
			t.Errorf("%s: the console says %q", renderer, said)
		}
	}
}
