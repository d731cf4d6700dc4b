// Gap: the hero falls; a tap flaps. Fly through the openings.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, between, clamp, chance, near, blink, plenty, sin,
} from '../core/world.js';

export const meta = { id: 'gap', scroll: 'x' };

export const X = 130; // the hero's place
const FLOOR = 668;
const OPEN = [0, 0.88, 1, 1.25]; // of the usual opening, by params.gaps
const SWAY = 42; // pixels that moving gates go up and down

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.y = 300;
  s.vy = -200;
  s.r = 24 * cfg.size;
  s.flap = 0;
  s.gates = [];
  s.coins = [];
  s.next = 330; // pixels to go until the next gate appears
  s.last = 330;
  return s;
}

function addGate(s) {
  const open = clamp(214 / Math.sqrt(heat(s)), 150, 230) * OPEN[s.cfg.params.gaps || 2] + (s.r - 24) * 2;
  const y = clamp(s.last + between(s, -170, 170), 130 + open / 2, FLOOR - 40 - open / 2);
  s.last = y;
  s.gates.push({ x: W + 60, y, home: y, open, done: false });
  if (chance(s, 0.45 * plenty(s))) {
    s.coins.push({ x: W + 60 + 150, y: clamp(y + between(s, -90, 90), 150, FLOOR - 60) });
  }
  s.next = 290 / s.cfg.density;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 158 * s.cfg.speed * heat(s);
  if (input.pressed) {
    s.vy = -420;
    s.flap = 1;
    note(s, 'flap', X - 14, s.y + 14);
  }
  s.vy = Math.min(620, s.vy + 1350 * s.cfg.gravity * STEP);
  s.y += s.vy * STEP;
  s.flap = Math.max(0, s.flap - 4 * STEP);
  if (s.y < s.r) { s.y = s.r; s.vy = 0; }
  if (s.y > FLOOR - s.r) {
    s.y = FLOOR - s.r;
    s.vy = -520;
    hurt(s, X, s.y);
  }
  s.next -= v * STEP;
  if (s.next <= 0) addGate(s);
  for (const g of s.gates) {
    g.x -= v * STEP;
    if (s.cfg.params.moving === 1) g.y = g.home + SWAY * sin(s.t * 1.7 + g.home);
    const inside = Math.abs(g.x - X) < 38 + s.r * 0.8;
    if (inside && Math.abs(s.y - g.y) > g.open / 2 - s.r * 0.8) hurt(s, X, s.y);
    if (!g.done && g.x < X - 38) { g.done = true; gain(s, 1, X, s.y); }
  }
  for (const c of s.coins) {
    c.x -= v * STEP;
    if (near(c.x, c.y, X, s.y, s.r + 22)) { c.x = -99; gain(s, 2, X, s.y); }
  }
  s.gates = s.gates.filter((g) => g.x > -70);
  s.coins = s.coins.filter((c) => c.x > -40);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  for (const g of s.gates) {
    const top = g.y - g.open / 2;
    const low = g.y + g.open / 2;
    post(d, g.x, -20, top, true);
    post(d, g.x, low, FLOOR + 10, false);
    const sway = Math.sin(s.t * 5 + g.y) * 4; // those who make the posts hurt
    if (top > 130) d.sprite('hazard', g.x, top - 66 + sway, 52);
    if (low < FLOOR - 110) d.sprite('hazard', g.x, low + 66 - sway, 52);
  }
  for (const c of s.coins) d.sprite('pickup', c.x, c.y + Math.sin(s.t * 4 + c.x / 60) * 5, 44);
  d.box(-20, FLOOR, W + 40, H - FLOOR + 20, 'ground');
  d.box(-20, FLOOR, W + 40, 9, 'groundTop');
  if (blink(s)) {
    d.sprite('hero', X, s.y, s.r * 2.9,
      { rot: clamp(s.vy / 900, -0.45, 0.6), sx: 1 - s.flap * 0.12, sy: 1 + s.flap * 0.14 });
  }
}

function post(d, x, y1, y2, hanging) {
  d.box(x - 32, y1, 64, y2 - y1, 'block', { radius: 8, stroke: 'ink', width: 4 });
  d.box(x - 24, y1 + 6, 12, Math.max(0, y2 - y1 - 12), 'blockLight', { radius: 6, alpha: 0.7 });
  const cap = hanging ? y2 - 30 : y1;
  d.box(x - 40, cap, 80, 30, 'block', { radius: 10, stroke: 'ink', width: 4 });
  d.box(x - 32, cap + 7, 64, 7, 'blockLight', { radius: 4, alpha: 0.8 });
}
