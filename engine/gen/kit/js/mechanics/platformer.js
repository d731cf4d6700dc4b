// Platformer: run and jump through levels from left to right. Treats are for
// taking, foes for landing on, and the flag ends the level.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, choose, clamp, lerp, near, blink,
} from '../core/world.js';

export const meta = { id: 'platformer', scroll: 'x', controls: 'pad' };

const T = 48; // a tile
const FLOOR = H - (H > W ? 3 : 1) * T; // the hero walks above the buttons
const LENGTH = 78; // tiles of a level
const RUN = 285; // pixels a second
const JUMP = 790;
const FALL = 2250;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  s.r = 24 * cfg.size;
  build(s);
  return s;
}

// build makes a level: columns of ground with gaps, ledges above them, and who
// lives there. Every gap and step is within a jump's reach.
function build(s) {
  s.ground = []; // rows of ground in each column, 0 is a gap
  s.ledges = []; // {from, to (columns), row}
  s.treats = [];
  s.foes = [];
  let rows = 2;
  while (s.ground.length < LENGTH) {
    const at = s.ground.length;
    const flat = at < 7 || at > LENGTH - 8;
    if (!flat && s.ground[at - 1] > 0 && chance(s, 0.34 * s.cfg.density)) {
      const wide = chance(s, 0.35) ? 3 : 2;
      for (let i = 0; i < wide; i++) s.ground.push(0);
      for (let i = 0; i < wide; i++) s.treats.push({ x: (at + i + 0.5) * T, y: FLOOR - (rows + 2.6) * T });
      continue;
    }
    // A step up after a gap is no higher than a jump can carry.
    const gap = s.ground[at - 1] === 0;
    if (!flat) rows = clamp(rows + choose(s, gap ? [-1, 0, 0, 1] : [-2, -1, 0, 1, 1, 2]), 1, 4);
    const run = 4 + Math.floor(between(s, 0, 4));
    for (let i = 0; i < run; i++) s.ground.push(rows);
    if (flat) continue;
    if (chance(s, Math.min(0.9, 0.55 * s.cfg.density * Math.sqrt(heat(s))))) {
      s.foes.push({
        x: (at + run / 2) * T, from: (at + 0.6) * T, to: (at + run - 0.6) * T, y: FLOOR - rows * T,
        dir: chance(s, 0.5) ? 1 : -1, gone: false, squash: 0,
      });
    } else if (chance(s, 0.6)) {
      const row = rows + 3;
      s.ledges.push({ from: at + 1, to: at + run - 1, row });
      for (let i = 1; i < run - 1; i++) s.treats.push({ x: (at + i + 0.5) * T, y: FLOOR - (row + 0.7) * T });
    }
    if (chance(s, 0.5)) s.treats.push({ x: (at + 0.5) * T, y: FLOOR - (rows + 0.7) * T });
  }
  s.ground.length = LENGTH;
  s.flag = (LENGTH - 4) * T;
  s.x = 2 * T;
  s.y = FLOOR - 2 * T - s.r;
  s.vx = s.vy = 0;
  s.onGround = true;
  s.face = 1;
  s.back = s.x; // where a fall leads back to
  s.cam = 0;
  s.squash = 0;
  s.grace = 0; // steps in which a jump from an edge still counts
}

export function groundTop(s, x) {
  const rows = s.ground[clamp(Math.floor(x / T), 0, LENGTH - 1)];
  return rows === 0 ? H + 400 : FLOOR - rows * T;
}

// floor is the highest thing below old feet to stand on.
function floor(s, feet) {
  let top = Math.min(groundTop(s, s.x - s.r * 0.5), groundTop(s, s.x + s.r * 0.5));
  for (const l of s.ledges) {
    const y = FLOOR - l.row * T;
    if (s.x + s.r * 0.5 > l.from * T && s.x - s.r * 0.5 < l.to * T && feet <= y + 6 && y < top) top = y;
  }
  return top;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const max = RUN * s.cfg.speed;
  const want = (input.right ? max : 0) - (input.left ? max : 0);
  s.vx = lerp(s.vx, want, s.onGround ? 0.2 : 0.12);
  if (want !== 0) s.face = Math.sign(want);
  s.grace = s.onGround ? 6 : s.grace - 1;
  if (input.jump && s.grace > 0) {
    s.vy = -JUMP;
    s.grace = 0;
    s.onGround = false;
    s.squash = -1;
    note(s, 'jump', s.x - s.cam, s.y + s.r);
  }
  const feet = s.y + s.r;
  // Sideways: ground higher than a small step is a wall.
  const x = clamp(s.x + s.vx * STEP, s.r, LENGTH * T - s.r);
  const side = x + Math.sign(s.vx) * s.r * 0.6;
  if (groundTop(s, side) < feet - 8) s.vx = 0;
  else s.x = x;
  s.vy = Math.min(900, s.vy + FALL * s.cfg.gravity * STEP);
  const top = floor(s, feet);
  s.y += s.vy * STEP;
  s.onGround = false;
  if (s.vy >= 0 && s.y + s.r >= top) {
    if (s.vy > 500) { s.squash = 1; note(s, 'land', s.x - s.cam, top); }
    s.y = top - s.r;
    s.vy = 0;
    s.onGround = true;
    if (s.ground[Math.floor(s.x / T)] > 0) s.back = s.x;
  }
  s.squash *= 0.85;
  if (s.y > H + 80) fallen(s);
  meet(s);
  s.cam = lerp(s.cam, clamp(s.x - W * 0.38, 0, LENGTH * T - W), 0.12);
  if (!s.over && s.x > s.flag) {
    gain(s, 5, s.flag - s.cam, 200, 'perfect');
    clear(s);
    if (!s.over) build(s);
  }
}

function fallen(s) {
  s.safe = 0; // a fall always costs a life
  hurt(s, s.x - s.cam, H - 40);
  let col = clamp(Math.floor(s.back / T) - 1, 1, LENGTH - 2);
  while (col > 1 && s.ground[col] === 0) col--;
  s.x = (col + 0.5) * T;
  s.y = groundTop(s, s.x) - s.r;
  s.vx = s.vy = 0;
}

function meet(s) {
  for (const t of s.treats) {
    if (!near(t.x, t.y, s.x, s.y, s.r + 24)) continue;
    t.gone = true;
    gain(s, 1, t.x - s.cam, t.y);
  }
  s.treats = s.treats.filter((t) => !t.gone);
  for (const f of s.foes) {
    if (f.gone) { f.squash += STEP; continue; }
    const way = s.cfg.params.foes;
    if (way === 1 && Math.abs(s.x - f.x) < 340) f.dir = s.x < f.x ? -1 : 1;
    else if (f.x < f.from || f.x > f.to) f.dir = f.x < f.from ? 1 : -1;
    if (way !== 2) f.x += f.dir * (way === 1 ? 95 : 70) * s.cfg.speed * heat(s) * STEP;
    if (way === 1) f.x = clamp(f.x, f.from - 1, f.to + 1); // a step beyond, where it turns
    if (!near(f.x, f.y - 22, s.x, s.y, s.r + 18)) continue;
    if (s.vy > 120 && s.y < f.y - 22) {
      f.gone = true;
      s.vy = -JUMP * 0.62;
      gain(s, 2, f.x - s.cam, f.y - 30);
    } else if (hurt(s, s.x - s.cam, s.y)) {
      s.vx = -Math.sign(f.x - s.x) * RUN;
      s.vy = -320;
    }
  }
  s.foes = s.foes.filter((f) => f.squash < 0.5);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const first = Math.max(0, Math.floor(s.cam / T) - 1);
  const last = Math.min(LENGTH, first + Math.ceil(W / T) + 3);
  for (let i = first; i < last;) {
    const rows = s.ground[i];
    let j = i;
    while (j < last && s.ground[j] === rows) j++;
    if (rows > 0) earth(d, i * T - s.cam, FLOOR - rows * T, (j - i) * T);
    i = j;
  }
  for (const l of s.ledges) {
    const x = l.from * T - s.cam;
    if (x > W || x + (l.to - l.from) * T < 0) continue;
    d.box(x, FLOOR - l.row * T, (l.to - l.from) * T, 22, 'block', { radius: 9, stroke: 'ink', width: 4 });
    d.box(x + 8, FLOOR - l.row * T + 5, (l.to - l.from) * T - 16, 5, 'blockLight', { radius: 3 });
  }
  const fx = s.flag - s.cam;
  if (fx < W + 60) {
    const base = groundTop(s, s.flag);
    d.box(fx - 4, base - 190, 8, 190, 'panel', { radius: 4, stroke: 'ink', width: 3 });
    const wave = Math.sin(s.t * 5) * 8;
    d.poly([[fx + 4, base - 186], [fx + 74, base - 162 + wave], [fx + 4, base - 130]], 'accent',
      { stroke: 'ink', width: 4 });
  }
  for (const t of s.treats) {
    if (Math.abs(t.x - s.cam - W / 2) < W) d.sprite('pickup', t.x - s.cam, t.y + Math.sin(s.t * 4 + t.x / 50) * 4, 38);
  }
  for (const f of s.foes) {
    if (Math.abs(f.x - s.cam - W / 2) > W) continue;
    const flat = f.gone ? 0.35 : 1;
    d.sprite('hazard', f.x - s.cam, f.y - 25 * flat, 56,
      { sy: flat, sx: f.gone ? 1.2 : -f.dir, alpha: f.gone ? 0.7 : 1, rot: f.gone ? 0 : Math.sin(s.t * 9) * 0.08 });
  }
  const run = s.onGround && Math.abs(s.vx) > 40 ? Math.abs(Math.sin(s.x / 22)) * 5 : 0;
  if (blink(s)) {
    d.sprite('hero', s.x - s.cam, s.y - run, s.r * 2.7, {
      sx: s.face * (1 + s.squash * 0.15), sy: 1 - s.squash * 0.15, rot: s.onGround ? 0 : clamp(s.vx / 2200, -0.2, 0.2),
    });
  }
}

function earth(d, x, y, w) {
  d.box(x, y, w, H - y + 30, 'ground', { radius: 10, stroke: 'ink', width: 4 });
  d.box(x + 2, y, w - 4, 16, 'groundTop', { radius: 8 });
  for (let i = 0; i * 70 + 30 < w; i++) {
    d.box(x + 18 + i * 70, y + 40 + (i % 2) * 26, 30, 9, 'groundTop', { radius: 4, alpha: 0.35 });
  }
}
