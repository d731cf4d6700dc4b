package kit_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/test/long"
)

// pure is a game that uses all of the kit's mathematics, chance and inputs.
const pure = `
import about from './game.json';
import { rng, random, between, choose, chance, sin, cos, atan2, pow, exp, hypot, STEP } from './kit/kit.js';
export const create = (seed, { speed }) => ({ ...rng(seed), speed, score: 0, outcome: '', t: 0, ball: { x: 20, y: 300 }, dots: [], seen: [] });
export function step(s, input) {
  s.t++;
  s.ball.x += s.speed * STEP;
  if (s.ball.x > about.size.w - 20) s.ball.x = 20;
  const a = atan2(input.y - s.ball.y, input.x - s.ball.x) + sin(s.t / 7) * exp(-s.t / 900);
  s.ball.y += cos(a) * pow(1.5, random(s)) * (input.up ? -1 : 1);
  if (chance(s, 0.2)) s.dots.push({ x: between(s, 0, 480), y: hypot(a, s.ball.y), c: choose(s, ['r', 'g', 'b']) });
  if (s.dots.length > 40) s.dots.shift();
  for (const key of input.pressed) s.seen.push(key);
  if (input.tapped) s.score++;
}
`

const shown = `
import about from './game.json';
import * as game from './game.js';
import { run, recording, mute } from './kit/kit.js';
import { view } from './kit/view.js';
window.drawn = [];
window.recorded = recording;
mute();
const draw = (g, s, phase) => { if (phase === 'play') window.drawn.push(s.ball.x); };
run({ ...game, about, view, draw, smooth: ['ball', 'dots'] });
`

func pureGame(t *testing.T) (map[string][]byte, kit.Start) {
	t.Helper()
	s := kit.Start{Title: "Pure", Lang: "en", Kind: "arcade", Renderer: "canvas", Short: true}
	files := frameOf(t, s)
	maps.Copy(files, map[string][]byte{"src/game.js": []byte(pure), "src/main.js": []byte(shown)})
	return files, s
}

// played is a run at frames of a screen's rate, with keys, taps and drags between.
const played = `
const key = (type, name) => dispatchEvent(new KeyboardEvent(type, { key: name }));
const at = (type, x, y) => dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y, cancelable: true }));
key('keydown', ' ');
window.__clock.step(1);
key('keyup', ' ');
for (let i = 0; i < 1000; i++) {
  if (i %% 50 === 10) key('keydown', 'ArrowUp');
  if (i %% 50 === 30) key('keyup', 'ArrowUp');
  if (i %% 70 === 20) at('pointerdown', 100 + i / 4, 200 + i / 7);
  if (i %% 70 === 25) at('pointermove', 160 + i / 4, 210);
  if (i %% 70 === 28) at('pointerup', 160 + i / 4, 210);
  window.__clock.step(60 / %d);
}
return JSON.stringify({ state: JSON.stringify(window.stateOf()), tape: JSON.stringify(window.recorded()), drawn: window.drawn });
`

type run struct {
	State, Tape string
	Drawn       []float64
}

func playedAt(t *testing.T, hertz int) run {
	t.Helper()
	files, s := pureGame(t)
	p := open(t, files, s)
	script := fmt.Sprintf(played, hertz)
	return eval[run](t, p, "return JSON.parse(await (async () => {"+script+"})())")
}

func TestRunReplaysAlikeInGojaAndChromium(t *testing.T) {
	r := playedAt(t, 144)
	files, _ := pureGame(t)
	files["src/replay.js"] = []byte(`import about from './game.json';
import * as game from './game.js';
import { replay } from './kit/kit.js';
export const state = (tape) => JSON.stringify(replay({ ...game, about }, JSON.parse(tape)));`)
	out, err := build.Bundle(t.Context(), build.Options{Entry: "src/replay.js", GlobalName: "replay", Target: build.Sim, Read: reader(files)})
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	if _, err := vm.RunString(string(out.Script)); err != nil {
		t.Fatal(err)
	}
	state, _ := goja.AssertFunction(vm.Get("replay").ToObject(vm).Get("state"))
	got, err := state(goja.Undefined(), vm.ToValue(r.Tape))
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != r.State {
		t.Errorf("goja comes to\n%s\nand Chromium to\n%s", got, r.State)
	}
	if len(r.Tape) < 2000 || len(r.State) < 2000 {
		t.Errorf("little was played: %d bytes of inputs, %d of state", len(r.Tape), len(r.State))
	}
}

// What moves evenly in steps is drawn evenly at any rate of frames, and what jumps
// from one side to the other is not drawn on its way.
func TestWhatMovesIsDrawnEvenly(t *testing.T) {
	rates := []int{60, 144}
	if long.Asked() {
		rates = append(rates, 50, 75, 90, 120, 240)
	}
	for _, hertz := range rates {
		r := playedAt(t, hertz)
		want := 240.0 / float64(hertz)
		for i := 12; i < len(r.Drawn); i++ {
			if d := r.Drawn[i] - r.Drawn[i-1]; d > 0 && math.Abs(d-want) > 0.01 && r.Drawn[i-1] > 24 {
				t.Fatalf("at %d Hz frame %d moves it by %.3f, want %.3f: %v", hertz, i, d, want, r.Drawn[i-4:i+2])
			}
		}
		if len(r.Drawn) < 900 && hertz >= 60 {
			t.Errorf("at %d Hz there are %d frames", hertz, len(r.Drawn))
		}
	}
}
