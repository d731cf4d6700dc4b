package kit_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
)

// moving is a mechanic in which the hero glides, begins anew at the left, and is
// overtaken by bodies that come and go.
const moving = `
import { base, tick, W } from '../core/world.js';
export const meta = { id: 'stack', scroll: 'x', controls: 'tap' };
export function create(seed, cfg) { return Object.assign(base(seed, cfg), { x: 20, n: 0, rocks: [] }); }
export function step(s) {
  tick(s);
  s.x = s.x > W - 20 ? 20 : s.x + 3;
  if (++s.n % 20 === 0) s.rocks.push({ x: W });
  for (const r of s.rocks) r.x -= 5;
  s.rocks = s.rocks.filter((r) => r.x > 300);
}
export function draw(s, d) {
  for (const r of s.rocks) d.sprite('hazard', r.x, 500, 40);
  d.sprite('hero', s.x, 300, 60);
}
`

// renderer hands out what a frame shows, instead of showing it.
const renderer = `
export function start(o) {
  window.frameOf = (seconds) => {
    const list = o.frame(seconds);
    return list && list.cmds.filter((c) => c.k === 'sprite' && (c.name === 'hero' || c.name === 'hazard')).map((c) => [c.name, c.x]);
  };
  o.ready();
  window.frameOf(1 / 60); // the clock waits for texts on the screen
}
`

type drawn struct {
	Hero  []float64
	Rocks [][]float64
	T     float64
}

func drawnAt(t *testing.T, b *playtest.Browser, hertz, seconds int) drawn {
	t.Helper()
	files, err := compile.Compile(brief.Read("Stack boxes into a tower").Write(brief.Order{ProjectID: "p", Seed: 3}), nil)
	if err != nil {
		t.Fatal(err)
	}
	files["src/mechanics/stack.js"] = []byte(moving)
	files["src/render/phaser.js"] = []byte(renderer)
	out, err := build.Bundle(t.Context(), build.Options{Entry: compile.Entry, Read: files.Read})
	if err != nil {
		t.Fatal(err)
	}
	files[compile.Script] = out.Script
	files["lib/phaser.min.js"] = nil
	dir := t.TempDir()
	for _, name := range files.Names() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, files[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := b.Open(t.Context(), "file://"+filepath.ToSlash(dir)+"/index.html", 480, 720)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, err := playtest.Eval[drawn](p, fmt.Sprintf(`(() => {
  const out = { hero: [], rocks: [] };
  dispatchEvent(new KeyboardEvent('keydown', { key: ' ' }));
  for (let i = 0; i < %d; i++) {
    const list = window.frameOf(1 / %d);
    out.hero.push(list.filter((c) => c[0] === 'hero').pop()[1]);
    out.rocks.push(list.filter((c) => c[0] === 'hazard').map((c) => c[1]));
  }
  return Object.assign(out, { t: window.__svc_state().t });
})()`, seconds*hertz, hertz))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// What moves evenly in steps is drawn evenly, also among bodies that come and go;
// what jumps is never between. Time passes as fast at any rate.
func TestStockGamesAreDrawnEvenlyAtAnyRate(t *testing.T) {
	b, err := playtest.Start(t.Context(), "")
	if errors.Is(err, playtest.ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const settled, seconds = 8, 4 // frames until it runs
	for _, hertz := range []int{60, 144} {
		d := drawnAt(t, b, hertz, seconds)
		frames := 60 / float64(hertz)
		jumps := 0
		for i := settled; i < len(d.Hero); i++ {
			moved := d.Hero[i] - d.Hero[i-1]
			if moved < 0 {
				jumps++
				continue
			}
			if even := math.Abs(moved-3*frames) < 0.01; !even && d.Hero[i-1] > 20 && d.Hero[i] < 460 {
				t.Fatalf("at %d Hz frame %d moves it by %.3f, want %.3f: %v", hertz, i, moved, 3*frames, d.Hero[i-4:i+2])
			}
			for _, x := range d.Rocks[i] {
				from := func(was float64) bool { return math.Abs(was-5*frames-x) < 0.01 }
				if !slices.ContainsFunc(d.Rocks[i-1], from) && x < 474 {
					t.Fatalf("at %d Hz frame %d has a body at %v, before it were %v", hertz, i, x, d.Rocks[i-1])
				}
			}
		}
		if jumps != 1 {
			t.Errorf("at %d Hz it went back %d times, want once", hertz, jumps)
		}
		if math.Abs(d.T-seconds) > 0.05 {
			t.Errorf("at %d Hz %d seconds are %v", hertz, seconds, d.T)
		}
	}
}
