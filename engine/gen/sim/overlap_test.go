package sim

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

// overlapping plays a game with all that can be written on a screen, and lists
// what covers what.
const overlapping = `
import { drawList } from './core/drawlist.js';
import { session } from './core/session.js';
import { breadth } from './core/text.js';
import { buttons, PAUSE } from './core/controls.js';
import * as mechanic from './mechanics/%s.js';

const roles = ['score', 'time', 'level', 'player', 'combo', 'power', 'moves', 'goal'];
const nothing = { pressed: false, jump: false, down: false, x: null, y: null, left: false, right: false, up: false, duck: false };

function rects(ss, d) {
  const out = [];
  const add = (name, x, y, w, h) => out.push({ name, x0: x - w / 2, x1: x + w / 2, y0: y - h / 2, y1: y + h / 2 });
  for (const c of d.cmds) {
    const banner = c.k === 'text' && !c.role && c.size >= 34;
    if (c.k === 'text' && (banner || roles.indexOf(c.role) >= 0)) add(c.role || 'banner ' + c.text, c.x, c.y, breadth(c.text, 0.58) * c.size, c.size * 0.8);
    if (c.k === 'sprite' && c.name === 'boss') add('boss', c.x, c.y, c.size, c.size);
    if (c.role === 'bossbar') add('bossbar', c.x + c.w / 2, c.y + c.h / 2, c.w, c.h);
    if (c.k === 'sprite' && c.name === 'heart' && c.y === 50) add('heart', c.x, c.y, 28, 28);
  }
  add('pause', PAUSE.x, PAUSE.y, 40, 40);
  for (const b of buttons(mechanic.meta.controls)) add('button ' + b.key, b.x, b.y, b.r * 2, b.r * 2);
  return out;
}

const screens = ['title', 'howto', 'start', 'best', 'outcome', 'final', 'final2', 'again', 'table', 'next', 'time', 'level', 'player'];

// written is what the screens before, between and after runs say, and whom the first shows.
function written(ss, d) {
  const out = [];
  for (const c of d.cmds) {
    const shown = ss.phase === 'ready' && c.k === 'sprite' && ['hero', 'pickup', 'hazard'].indexOf(c.name) >= 0;
    const said = c.k === 'text' && screens.indexOf(c.role) >= 0;
    if (!said && !shown) continue;
    const w = said ? breadth(String(c.text), 0.58) * c.size : c.size;
    const h = said ? c.size * 0.8 : c.size;
    out.push({ name: c.role || c.name, x0: c.x - w / 2, x1: c.x + w / 2, y0: c.y - h / 2, y1: c.y + h / 2 });
  }
  return out;
}

export function overlaps(play, text, own) {
  const game = { seed: 7, title: 'Die unglaubliche Reise des Igels im Wald', play, text, ...own, scene: { motes: { count: 0, move: 'still', size: 4 } } };
  const none = () => {};
  const ss = session(game, mechanic, { started: none, ended: none, event: none, paused: none, resumed: none });
  const d = drawList();
  ss.touch = true;
  const found = [];
  const collide = (all, moment) => all.forEach((a, n) => all.slice(n + 1).forEach((b) => {
    if (a.name === b.name || a.x0 >= b.x1 || b.x0 >= a.x1 || a.y0 >= b.y1 || b.y0 >= a.y1) return;
    const what = moment + a.name + ' and ' + b.name;
    if (found.indexOf(what) < 0) found.push(what);
  }));
  const look = (moment) => {
    ss.compose(d);
    collide(written(ss, d), moment + ': ');
  };
  const press = () => ss.tick(Object.assign({}, nothing, { pressed: true }));
  const finish = () => {
    Object.assign(ss.state, { over: true, outcome: 'win', score: 1234 });
    for (let i = 0; i < 40; i++) ss.tick(nothing);
    look(ss.phase);
  };
  ss.best = 1234;
  look('ready');
  press();
  for (let i = 0; i < 150 && ss.phase === 'play'; i++) {
    const s = ss.state;
    Object.assign(s, { streak: 12, score: 1234, safe: 9, lives: s.cfg.lives });
    if (play.powers) Object.assign(s, { shield: true, power: 'double', powerLeft: 8 });
    if (i === 20 && play.boss) {
      s.boss = { hp: 9, max: 9, since: s.t, hit: -9 };
      s.events.push({ type: 'boss' });
    }
    if (i === 70) s.events.push({ type: 'level', level: 2 });
    if (i === 110 && s.boss) s.boss.hit = s.t;
    ss.tick(nothing);
    if (i %% 5) continue;
    ss.compose(d);
    ss.fx.shake = 0;
    collide(rects(ss, d), '');
  }
  if (ss.phase === 'play') {
    ss.pause();
    look('paused');
    ss.resume();
    finish();
  }
  if (ss.phase === 'next') {
    press();
    finish();
  }
  if (ss.phase !== 'over') found.push('it ends with ' + ss.phase);
  ss.table = [1234, 1200, 900, 400, 10];
  look('over with a table');
  return found;
}
`

func TestNothingOnTheScreenCoversAnythingElse(t *testing.T) {
	for _, name := range kit.Mechanics() {
		for _, format := range []spec.Format{spec.Short, spec.Platform} {
			s := spec.Spec{Mechanic: name, Format: format}
			fields := map[string][]byte{"": compile.Field(s)}
			if format == spec.Platform {
				fields["/tall"] = inTallWindow(s)
			}
			for window, field := range fields {
				if window != "" && bytes.Equal(field, fields[""]) {
					continue // it is tall in any window
				}
				t.Run(fmt.Sprintf("%s/%s%s", name, format, window), func(t *testing.T) {
					t.Parallel()
					for _, found := range overlaps(t, s, field) {
						t.Error(found)
					}
				})
			}
		}
	}
}

func overlaps(t *testing.T, s spec.Spec, field []byte) (found []string) {
	t.Helper()
	out, err := build.Bundle(t.Context(), build.Options{Entry: "overlaps.js", GlobalName: "screen", Target: build.Sim, Read: func(name string) ([]byte, error) {
		switch name {
		case "overlaps.js":
			return fmt.Appendf(nil, overlapping, s.Mechanic), nil
		case "core/field.js":
			return field, nil
		}
		return kit.Source(name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := empty()
	if _, err := m.vm.RunString(string(counted(out.Script)) + "\n;this.screen = screen;"); err != nil {
		t.Fatal(err)
	}
	ask, ok := goja.AssertFunction(m.vm.Get("screen").ToObject(m.vm).Get("overlaps"))
	if !ok {
		t.Fatal("there is no overlaps")
	}
	play := spec.Play{Speed: 1, Gravity: 1, Density: 1, Size: 1, Ramp: 1, Lives: 5, Duration: 45, Levels: 3, Players: 2, Boss: true, Powers: true, Combo: true}
	if catalog.Mechanics[s.Mechanic].Turns { // which have none of these
		play.Boss, play.Powers, play.Combo = false, false, false
	}
	settings, err := m.value(play)
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"de", "es"} { // the longest words
		text, err := m.value(catalog.Texts(lang))
		if err != nil {
			t.Fatal(err)
		}
		s.Lang = lang
		own, err := m.value(compile.OwnOf(s))
		if err != nil {
			t.Fatal(err)
		}
		v, err := ask(goja.Undefined(), settings, text, own)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range v.Export().([]any) {
			found = append(found, lang+": "+what.(string))
		}
	}
	return found
}
