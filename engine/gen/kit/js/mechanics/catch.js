// Catch: the hero walks along the bottom; a tap changes its direction. Catch
// what is good, miss what is bad, and let no good thing fall.
import { W, H, STEP, base, tick, gain, hurt, note, heat, between, chance, clamp, near, blink } from '../core/world.js';

export const meta = { id: 'catch', scroll: 'none' };

export const GROUND = 640;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.x = W / 2;
  s.dir = 1;
  s.r = 36 * cfg.size;
  s.chew = 0;
  s.items = [];
  s.wait = 0.8;
  s.last = W / 2;
  return s;
}

function addItem(s) {
  const bad = s.cfg.params.bad !== 0 && chance(s, 0.26 + 0.1 * (heat(s) - 1));
  // A good thing falls where the hero can get in time.
  const x = bad ? between(s, 50, W - 50) : between(s, Math.max(50, s.last - 200), Math.min(W - 50, s.last + 200));
  if (!bad) s.last = x;
  s.items.push({ x, y: -40, vy: between(s, 150, 200) * s.cfg.gravity * heat(s), bad, turn: between(s, -2, 2) });
  s.wait = between(s, 0.8, 1.1) / (Math.sqrt(heat(s)) * s.cfg.density);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (input.pressed) {
    s.dir = -s.dir;
    note(s, 'turn', s.x, GROUND);
  }
  s.x = clamp(s.x + s.dir * 275 * s.cfg.speed * Math.sqrt(heat(s)) * STEP, s.r * 1.35, W - s.r * 1.35);
  s.chew = Math.max(0, s.chew - 3 * STEP);
  s.wait -= STEP;
  if (s.wait <= 0) addItem(s);
  for (const i of s.items) {
    i.y += i.vy * STEP;
    if (near(i.x, i.y, s.x, GROUND - s.r, s.r + 26)) {
      i.gone = true;
      s.chew = 1;
      if (i.bad) hurt(s, i.x, i.y);
      else gain(s, 1, i.x, i.y - 20);
    } else if (i.y > GROUND + 6) {
      i.gone = true;
      note(s, 'miss', i.x, GROUND);
      if (!i.bad) hurt(s, i.x, GROUND);
    }
  }
  s.items = s.items.filter((i) => !i.gone);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(-20, GROUND, W + 40, H - GROUND + 20, 'ground');
  d.box(-20, GROUND, W + 40, 10, 'groundTop');
  for (let i = 0; i < 8; i++) {
    d.box(18 + i * 62, GROUND + 26 + (i % 2) * 22, 34, 8, 'groundTop', { radius: 4, alpha: 0.5 });
  }
  for (const i of s.items) {
    d.disc(i.x, GROUND + 8, 8 + 14 * clamp(i.y / GROUND, 0, 1), i.bad ? 'hazard' : 'shade', { alpha: 0.28 });
    d.sprite(i.bad ? 'hazard' : 'pickup', i.x, i.y, i.bad ? 58 : 50, { rot: i.turn * s.t * 0.6 });
  }
  d.disc(s.x, GROUND + 6, s.r * 0.9, 'shade', { alpha: 0.22 });
  const step = Math.abs(Math.sin(s.t * 11));
  if (blink(s)) {
    d.sprite('hero', s.x, GROUND - s.r - step * 6, s.r * 2.7,
      { sx: s.dir * (1 + s.chew * 0.16), sy: 1 - s.chew * 0.12, rot: s.dir * 0.06 });
  }
  d.poly([
    [s.x + s.dir * (s.r + 14), GROUND - s.r - 12], [s.x + s.dir * (s.r + 32), GROUND - s.r],
    [s.x + s.dir * (s.r + 14), GROUND - s.r + 12],
  ], 'accent', { stroke: 'ink', width: 3, alpha: 0.9 });
}
