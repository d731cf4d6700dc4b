package gen

import (
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/studio"
)

// Options of New.
type Options struct {
	// Frameworks is a folder with one folder per JavaScript framework, as
	// `make build` makes them from engine/web: phaser/phaser.min.js,
	// phaser/LICENSE and phaser/package.json, and likewise pixi and three.
	Frameworks string
	// Chromium is the path of the browser that plays each game before it is
	// delivered; "" plays it in simulation only.
	Chromium string
	// Simulator is the command that runs sim.Main: sources that a model wrote are
	// compiled and simulated by it, in a process of their own. None does that in
	// this one, which they can bring down.
	Simulator []string
	// Models read the requests whose settings name one, and make pictures and
	// sounds; nil when there are none.
	Models Models
}

// Models are what may stand behind the egress socket; *model.Client asks them.
type Models interface {
	author.Models
	studio.Models
}

// New returns the embedded generator. By itself it is deterministic and needs
// no network. A model says what a request means when its settings name one, and
// changes the sources where the generator can't do what is wanted; the generator
// makes the game all the same. Phaser must be there; the other frameworks are
// read when a game needs them.
func New(o Options) (Generator, error) {
	libraries := newFrameworks(o.Frameworks)
	if _, err := libraries.get("phaser"); err != nil {
		return nil, err
	}
	g := &embedded{frameworks: libraries, simulate: simulateAndTune, strangers: sim.Here{}}
	if len(o.Simulator) > 0 {
		g.strangers = sim.Apart(o.Simulator)
	}
	if o.Chromium != "" {
		g.browser = playtest.NewPool(o.Chromium)
	}
	if o.Models != nil {
		g.author = author.New(o.Models)
		g.agents, g.studio = o.Models, o.Models
	}
	return g, nil
}
