// Hop: the hero runs by itself; a tap jumps, a second one in the air jumps
// again. Leap over what stands in the way, and stay down below what flies.
import { W, H, STEP, base, tick, gain, hurt, note, heat, between, chance, near, blink, plenty } from '../core/world.js';

export const meta = { id: 'hop', scroll: 'x' };

export const X = 116; // the hero's place
export const GROUND = 568;
const FLIGHT = GROUND - 156; // where flying ones are

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.r = 30 * cfg.size;
  s.y = GROUND - s.r;
  s.vy = 0;
  s.jumps = 0; // since the ground was left
  s.squash = 0;
  s.far = 0; // pixels run
  s.blocks = [];
  s.coins = [];
  s.next = 460;
  return s;
}

function addBlock(s) {
  s.next = between(s, 300, 460) * Math.sqrt(heat(s)) / s.cfg.density;
  if (s.cfg.params.flying !== 0 && s.t > 4 && chance(s, 0.22)) {
    s.blocks.push({ x: W + 60, n: 1, size: 54, air: true, done: false });
    return;
  }
  const wide = chance(s, 0.28 + 0.1 * (heat(s) - 1)) ? 2 : 1;
  const tall = wide === 1 && chance(s, 0.3);
  const block = { x: W + 60, n: wide, size: tall ? 76 : 54, air: false, done: false };
  s.blocks.push(block);
  if (chance(s, 0.55 * plenty(s))) {
    for (let i = -1; i <= 1; i++) s.coins.push({ x: block.x + i * 52, y: GROUND - 178 + Math.abs(i) * 34 });
  }
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 265 * s.cfg.speed * heat(s);
  s.far += v * STEP;
  if (input.pressed && s.jumps < (s.cfg.params.jumps || 2)) {
    s.vy = s.jumps === 0 ? -760 : -640;
    s.jumps++;
    s.squash = -1;
    note(s, 'jump', X, s.y + s.r);
  }
  s.vy += 2150 * s.cfg.gravity * STEP;
  s.y += s.vy * STEP;
  if (s.y >= GROUND - s.r) {
    if (s.jumps > 0) { s.squash = 1; note(s, 'land', X, GROUND); }
    s.y = GROUND - s.r;
    s.vy = 0;
    s.jumps = 0;
  }
  s.squash *= 0.86;
  s.next -= v * STEP;
  if (s.next <= 0) addBlock(s);
  for (const b of s.blocks) {
    b.x -= v * STEP;
    const half = (b.size * b.n) / 2;
    const high = b.air ? Math.abs(s.y - FLIGHT) < b.size * 0.4 + s.r * 0.6 : s.y > GROUND - b.size * 0.82 - s.r * 0.6;
    if (high && Math.abs(b.x - X) < half * 0.72 + s.r * 0.62) hurt(s, X, s.y);
    if (!b.done && b.x < X - half - s.r) { b.done = true; gain(s, 1, X, s.y - s.r); }
  }
  for (const c of s.coins) {
    c.x -= v * STEP;
    if (near(c.x, c.y, X, s.y, s.r + 24)) { c.x = -99; gain(s, 1, c.x + X + 99, c.y); }
  }
  s.blocks = s.blocks.filter((b) => b.x > -90);
  s.coins = s.coins.filter((c) => c.x > -40);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(-20, GROUND, W + 40, H - GROUND + 20, 'ground');
  d.box(-20, GROUND, W + 40, 10, 'groundTop');
  for (let i = 0; i < 7; i++) {
    const x = ((i * 90 - s.far) % 630 + 630) % 630 - 60;
    d.box(x, GROUND + 34 + (i % 3) * 36, 44, 8, 'groundTop', { radius: 4, alpha: 0.55 });
  }
  for (const b of s.blocks) {
    if (b.air) {
      d.disc(b.x, GROUND + 8, 18, 'shade', { alpha: 0.2 });
      const y = FLIGHT + Math.sin(s.t * 7 + b.x / 40) * 5;
      const beat = Math.sin(s.t * 22) * 14; // wings tell a flying one
      for (const k of [-1, 1]) {
        d.poly([[b.x + k * 12, y + 4], [b.x + k * 44, y - 16 - beat], [b.x + k * 34, y + 6 - beat * 0.4]], 'text',
          { stroke: 'ink', width: 3 });
      }
      d.sprite('hazard', b.x, y, b.size, { rot: Math.sin(s.t * 5) * 0.12 });
      continue;
    }
    for (let i = 0; i < b.n; i++) {
      d.sprite('hazard', b.x + (i - (b.n - 1) / 2) * b.size * 0.92, GROUND - b.size * 0.46, b.size);
    }
  }
  for (const c of s.coins) d.sprite('pickup', c.x, c.y, 38, { sx: Math.cos(s.t * 5 + c.x / 50) * 0.25 + 0.85 });
  const run = s.jumps === 0 ? Math.abs(Math.sin(s.far / 34)) : 0;
  d.disc(X, GROUND + 6, s.r * (0.9 - Math.min(0.6, (GROUND - s.y) / 500)), 'shade', { alpha: 0.22 });
  if (blink(s)) {
    d.sprite('hero', X, s.y - run * 9, s.r * 2.8, {
      rot: s.jumps ? Math.max(-0.3, Math.min(0.35, s.vy / 1800)) : Math.sin(s.far / 34) * 0.07, sx: 1 + s.squash * 0.18,
      sy: 1 - s.squash * 0.18,
    });
  }
}
