// Dial: the hero runs around a ring; a tap counts when it is over the bright
// part. Each hit moves the part and turns the hero around.
import { W, STEP, base, tick, gain, hurt, note, heat, random, between, blink, sin, cos } from '../core/world.js';

export const meta = { id: 'dial', scroll: 'none' };

const CX = W / 2;
const CY = 390;
const R = 158;
const WIDE = [0, 0.78, 1, 1.25]; // of the bright part, by params.zone
const TAU = Math.PI * 2;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.a = -Math.PI / 2;
  s.dir = 1;
  s.laps = 0; // of the ring without a hit
  s.pulse = 0;
  place(s);
  return s;
}

function wrap(a) { return ((a % TAU) + TAU) % TAU; }

export function apart(a, b) {
  const v = wrap(b - a);
  return v > Math.PI ? v - TAU : v;
}

// place moves the bright part ahead of the hero, far enough to be seen.
function place(s) {
  s.half = between(s, 0.26, 0.36) * WIDE[s.cfg.params.zone || 2] * Math.sqrt(s.cfg.size) / Math.sqrt(heat(s));
  s.zone = wrap(s.a + s.dir * between(s, 1.3, 4.2));
  s.bonus = random(s) < 0.25;
  s.laps = 0;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 2.25 * s.cfg.speed * heat(s) * Math.sqrt(s.cfg.density);
  const before = apart(s.zone, s.a);
  s.a = wrap(s.a + s.dir * v * STEP);
  s.pulse *= 0.9;
  const off = apart(s.zone, s.a);
  const [x, y] = at(s.a, R);
  if (input.pressed) {
    if (Math.abs(off) < s.half + 0.05) {
      const perfect = Math.abs(off) < s.half * 0.3;
      if (s.cfg.params.turns !== 0) s.dir = -s.dir;
      s.pulse = 1;
      gain(s, (s.bonus ? 2 : 1) + (perfect ? 1 : 0), x, y, perfect ? 'perfect' : 'gain');
      place(s);
      return;
    }
    note(s, 'miss', x, y);
    hurt(s, x, y);
  }
  // Running past the part without a tap is a miss as well.
  if (Math.abs(before) < 1 && Math.abs(off) < 1 && (before * s.dir <= s.half) && off * s.dir > s.half) {
    s.laps++;
    hurt(s, x, y);
  }
}

function at(a, r) { return [CX + cos(a) * r, CY + sin(a) * r]; }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.disc(CX, CY, R + 52, 'shade', { alpha: 0.28 });
  d.ring(CX, CY, R, 46, 'ink', { alpha: 0.9 });
  d.ring(CX, CY, R, 36, 'block');
  const n = 14;
  for (let i = 0; i < n; i++) {
    const a = s.zone + ((i + 0.5) / n - 0.5) * 2 * s.half;
    const [x, y] = at(a, R);
    d.disc(x, y, 17, s.bonus ? 'accent' : 'pickup');
  }
  const [zx, zy] = at(s.zone, R);
  d.sprite('glow', zx, zy, 120, { tint: s.bonus ? 'accent' : 'pickup', alpha: 0.5 + 0.2 * sin(s.t * 8) });
  d.sprite('pickup', zx, zy, 34);
  d.disc(CX, CY, 86 + s.pulse * 14, 'panel', { stroke: 'ink', width: 6 });
  d.sprite('hazard', CX, CY, 104 + s.pulse * 30, { rot: s.dir * s.t * 0.8 });
  const [x, y] = at(s.a, R);
  const [ix, iy] = at(s.a, 92);
  d.line(ix, iy, x, y, 8, 'text', { alpha: 0.9 });
  if (blink(s)) {
    d.sprite('hero', x, y, 68 + s.pulse * 12, { rot: s.a + (s.dir > 0 ? Math.PI / 2 : -Math.PI / 2), sx: s.dir });
  }
}
