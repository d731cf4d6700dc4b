package sim

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

// watcher plays a mechanic and counts the steps in which its hero is seen, and
// those in which it is out of the field, as the playtest's rule V02 has it.
const watcher = `
import { drawList } from './core/drawlist.js';
import { W, H } from './core/field.js';
import { skilled } from './sim/policies.js';
import { input } from './sim/sim.js';
import * as mechanic from './mechanics/%s.js';
%s

export function watch(play, seed) {
  const s = mechanic.create(seed, play);
  const d = drawList();
  const memory = { last: -99 };
  let was = {};
  const seen = { steps: 0, out: 0, where: '' };
  for (let i = 0; i < 900 && !s.over; i++) {
    const a = skilled(i, player.act(s), memory) || {};
    mechanic.step(s, input(a, was));
    was = a;
    s.events.length = 0;
    if (i %% 10) continue;
    d.reset();
    mechanic.draw(s, d);
    const hero = d.cmds.find((c) => c.k === 'sprite' && c.name === 'hero');
    if (!hero) continue;
    seen.steps++;
    const inside = hero.x > -hero.size / 2 && hero.x < W + hero.size / 2 && hero.y > -hero.size && hero.y < H + hero.size;
    if (inside) continue;
    seen.out++;
    seen.where = Math.round(hero.x) + ',' + Math.round(hero.y) + ' after ' + s.t.toFixed(1) + ' s';
  }
  return seen;
}
`

type sighting struct {
	Steps, Out int
	Where      string
}

func watch(t *testing.T, mechanic string, tall bool) func(p spec.Play) sighting {
	t.Helper()
	s := spec.Spec{Mechanic: mechanic, Format: spec.Short}
	if catalog.Mechanics[mechanic].Wide {
		s.Format = spec.Platform
	}
	out, err := build.Bundle(t.Context(), build.Options{Entry: "watch.js", GlobalName: "sight", Target: build.Sim, Read: func(name string) ([]byte, error) {
		switch name {
		case "watch.js":
			return fmt.Appendf(nil, watcher, mechanic, importPlayer(mechanic, kit.Source)), nil
		case "core/field.js":
			if tall {
				return inTallWindow(s), nil
			}
			return compile.Field(s), nil
		}
		return kit.Source(name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := empty()
	vm := m.vm
	if _, err := vm.RunString(string(counted(out.Script)) + "\n;this.sight = sight;"); err != nil {
		t.Fatal(err)
	}
	look, ok := goja.AssertFunction(vm.Get("sight").ToObject(vm).Get("watch"))
	if !ok {
		t.Fatal("there is no watch")
	}
	return func(p spec.Play) (seen sighting) {
		settings, err := m.value(config{p, compile.OwnOf(s)})
		if err != nil {
			t.Fatal(err)
		}
		v, err := look(goja.Undefined(), settings, vm.ToValue(40))
		if err != nil {
			t.Fatalf("%s: %v", mechanic, err)
		}
		vm.SetFieldNameMapper(goja.UncapFieldNameMapper())
		if err := vm.ExportTo(v, &seen); err != nil {
			t.Fatal(err)
		}
		return seen
	}
}

// One who plays with skill falls off nothing.
func TestHeroIsSeenInTheFieldAtEveryTuning(t *testing.T) {
	tunings := map[string]spec.Play{"light and fast": play(2, 0.5, 1, 1, 1, 5, 30), "heavy and slow": play(0.5, 2, 1, 1.6, 1, 5, 30)}
	for _, mechanic := range kit.Mechanics() {
		if catalog.Mechanics[mechanic].Solid {
			continue // what is seen of it is the camera's
		}
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			for _, tall := range []bool{false, true} {
				if tall && !catalog.Mechanics[mechanic].Wide {
					continue
				}
				look := watch(t, mechanic, tall)
				for name, p := range tunings {
					if both := !catalog.Mechanics[mechanic].Wide || long.Asked(); !both && tall == (name == "light and fast") {
						continue
					}
					if seen := look(p); seen.Out > 0 || seen.Steps == 0 {
						t.Errorf("%s, tall %v: %d of %d times out of the field, last at %s", name, tall, seen.Out, seen.Steps, seen.Where)
					}
				}
			}
		})
	}
}
