// Slingshot: pull the hero back and let go. Towers of blocks come down when they
// are hit or lose what they stand on; all who sit in them must go.
import {
  W, H, STEP, PI, base, tick, gain, hurt, note, clear, heat, between, clamp, near, sin, cos, atan2, hypot,
} from '../core/world.js';
import { GROUND, FOE, tower, reach } from '../core/towers.js';

export const meta = { id: 'slingshot', scroll: 'none', controls: 'board' };

export const FORK = { x: 92, y: 520 };
export const PULL = 100; // how far the band goes
export const KICK = 9.2; // speed for each unit of it
const R = 16;
const WOOD = ['#c98d4f', '#b0763c', '#8fa3b8'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.stage = 1;
  build(s);
  return s;
}

export function pull(s) { return 900 * s.cfg.gravity; }

// build raises the towers of a stage, one storey upon another.
function build(s) {
  Object.assign(s, { blocks: [], foes: [], shot: null, drag: 0, from: null, bx: -26, by: 10, calm: 0 });
  s.bonus = { x: between(s, 210, 260), y: between(s, 300, 400), taken: false };
  const hard = s.cfg.duration ? Math.floor((s.stage + heat(s)) / 2) : s.stage + Math.floor(heat(s) * 1.3 - 1);
  const towers = s.cfg.params.towers || (hard > 5 ? 3 : hard > 1 ? 2 : 1);
  for (let k = 0; k < towers; k++) {
    const x = towers === 1 ? between(s, 330, 390) : towers === 2 ? 278 + k * 126 : 236 + k * 94;
    tower(s, x, towers === 3 ? 76 : between(s, 84, 104), clamp(Math.round(between(s, 0.6, 1.4) + hard * 0.45), 1, 4),
      towers, s.cfg.density);
  }
  s.shots = s.cfg.params.shots || s.foes.length + 2;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  aim(s, input);
  if (s.shot) fly(s);
  if (s.calm-- > 0) {
    for (const b of s.blocks) if (b.loose) fall(s, b);
    if (s.calm % 3 === 0) for (const b of s.blocks) if (!b.loose) stand(s, b);
    for (const f of s.foes) if (!f.gone) sit(s, f);
    s.blocks = s.blocks.filter((b) => b.x > -60 && b.x < W + 60);
  }
  s.foes = s.foes.filter((f) => !f.gone);
  if (s.foes.length === 0) {
    gain(s, 2 + s.shots * 2, W / 2, 260, 'perfect');
    s.stage++;
    if (!s.cfg.duration) clear(s);
    if (!s.over) build(s);
  } else if (s.shots === 0 && !s.shot && s.calm < 100) {
    s.safe = 0;
    hurt(s, FORK.x, FORK.y);
    if (!s.over) build(s);
  }
}

// aim follows a finger that draws the band, or arrow keys.
function aim(s, input) {
  if (s.shot || s.shots === 0) return;
  const turned = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  const drawn = (input.duck ? 1 : 0) - (input.up ? 1 : 0);
  if (input.down && input.x !== null && input.y !== null) {
    if (!s.from) {
      s.from = near(input.x, input.y, FORK.x, FORK.y, 90) ? { x: FORK.x, y: FORK.y } : { x: input.x, y: input.y };
    }
    s.drag++;
    const [dx, dy] = [input.x - s.from.x, input.y - s.from.y];
    const k = Math.min(1, PULL / (hypot(dx, dy) || 1));
    [s.bx, s.by] = [Math.min(8, dx * k), dy * k];
  } else if (turned || drawn) {
    const a = clamp(atan2(s.by, -s.bx) - turned * 0.9 * STEP, 0.05, 1.45);
    const p = clamp(hypot(s.bx, s.by) + drawn * 60 * STEP, 20, PULL);
    [s.bx, s.by] = [-p * cos(a), p * sin(a)];
  }
  const freed = (s.from && input.released) || (!s.from && input.tapped && input.x === null);
  if (s.from && !input.down && !input.released) s.from = null;
  if (!freed) return;
  Object.assign(s, { from: null, drag: 0 });
  if (hypot(s.bx, s.by) < 18) return;
  s.shot = { x: FORK.x + s.bx, y: FORK.y + s.by, vx: -s.bx * KICK, vy: -s.by * KICK, t: 0, a: 0 };
  note(s, 'shot', FORK.x, FORK.y - 10 * s.shots--);
}

function fly(s) {
  const o = s.shot;
  o.t += STEP;
  o.vy += pull(s) * STEP;
  o.a += o.vx * 0.012 * STEP;
  s.calm = 150;
  for (let k = 0; k < 2; k++) {
    [o.x, o.y] = [o.x + (o.vx * STEP) / 2, o.y + (o.vy * STEP) / 2];
    for (const f of s.foes) if (!f.gone && near(o.x, o.y, f.x, f.y, FOE + R)) squash(s, f);
    for (const b of s.blocks) knock(s, o, b);
  }
  if (!s.bonus.taken && near(o.x, o.y, s.bonus.x, s.bonus.y, 40)) {
    s.bonus.taken = true;
    gain(s, 2, s.bonus.x, s.bonus.y);
  }
  if (o.y > GROUND - R) {
    if (o.vy > 120) note(s, 'thud', o.x, GROUND);
    Object.assign(o, { y: GROUND - R, vy: o.vy * -0.4, vx: o.vx * 0.8 });
  }
  if (o.x > W + 40 || o.x < -40 || o.t > 2.6 || (o.t > 0.8 && o.y > GROUND - R - 2 && hypot(o.vx, o.vy) < 60)) {
    s.shot = null;
  }
}

// knock lets the shot hit a block.
function knock(s, o, b) {
  const [ex, ey] = reach(b);
  const [dx, dy] = [o.x - clamp(o.x, b.x - ex, b.x + ex), o.y - clamp(o.y, b.y - ey, b.y + ey)];
  const d = hypot(dx, dy);
  if (d >= R || d === 0) return;
  const [nx, ny] = [dx / d, dy / d];
  const into = o.vx * nx + o.vy * ny;
  [o.x, o.y] = [o.x + nx * (R - d), o.y + ny * (R - d)];
  if (into >= 0) return;
  const heavy = clamp((b.w * b.h) / 1400, 0.5, 1.4);
  const back = (1.1 * into * heavy) / (heavy + 0.7);
  [o.vx, o.vy] = [o.vx - back * nx, o.vy - back * ny];
  if (-into < 90) return;
  loosen(s, b);
  b.vx += (into * nx * 0.9) / (heavy + 0.5);
  b.vy += (into * ny * 0.9) / (heavy + 0.5);
  b.va += clamp(((o.y - b.y) * into * nx * 0.02) / heavy, -7, 7);
  note(s, 'hit', o.x, o.y);
}

function loosen(s, b) {
  if (!b.fell) note(s, 'crack', b.x, b.y);
  b.loose = b.fell = true;
  b.still = 0;
}

// fall moves a loose block; it pushes others, and lies still in the end.
function fall(s, b) {
  b.vy += pull(s) * STEP;
  [b.x, b.y, b.a] = [b.x + b.vx * STEP, b.y + b.vy * STEP, b.a + b.va * STEP];
  const [ex, ey] = reach(b);
  let floor = GROUND;
  for (const o of s.blocks) {
    if (o === b || o.loose) continue;
    const over = Math.min(b.x + ex, o.x + o.w / 2) - Math.max(b.x - ex, o.x - o.w / 2);
    if (over <= 2 || b.y + ey < o.y - o.h / 2 || b.y - ey > o.y + o.h / 2) continue;
    const speed = hypot(b.vx, b.vy);
    if (b.y + ey - (o.y - o.h / 2) < 14 + b.vy * STEP && speed < 420) floor = Math.min(floor, o.y - o.h / 2);
    else if (speed > 150) {
      loosen(s, o);
      [o.vx, o.vy] = [o.vx + b.vx * 0.55, o.vy + b.vy * 0.3];
      o.va += clamp(b.vx * 0.012, -4, 4);
      b.vx *= 0.5;
    }
  }
  for (const f of s.foes) {
    if (!f.gone && hypot(b.vx, b.vy) > 70 && Math.abs(f.x - b.x) < ex + FOE - 6 && Math.abs(f.y - b.y) < ey + FOE - 6) {
      squash(s, f);
    }
  }
  b.still = b.y + ey < floor ? 0 : b.still;
  if (b.y + ey < floor) return;
  b.y = floor - ey;
  b.vy = b.vy > 160 ? -b.vy * 0.22 : 0;
  b.vx *= 0.86;
  const flat = Math.round(b.a / (PI / 2)) * (PI / 2);
  b.va = b.va * 0.8 + (flat - b.a) * 2;
  b.still += hypot(b.vx, b.vy) < 40 ? 1 : 0;
  if (b.still < 14) return;
  if (Math.round(flat / (PI / 2)) % 2 !== 0) [b.w, b.h] = [b.h, b.w];
  Object.assign(b, { a: 0, va: 0, vx: 0, vy: 0, loose: false, y: floor - b.h / 2 });
}

// stand lets a block fall that too little holds: it tips to the open side.
function stand(s, b) {
  const low = b.y + b.h / 2;
  if (low > GROUND - 2) return;
  let [left, right] = [1e9, -1e9];
  for (const o of s.blocks) {
    if (o === b || o.loose || Math.abs(o.y - o.h / 2 - low) > 4 || Math.abs(o.x - b.x) > (o.w + b.w) / 2 - 2) continue;
    left = Math.min(left, Math.max(o.x - o.w / 2, b.x - b.w / 2));
    right = Math.max(right, Math.min(o.x + o.w / 2, b.x + b.w / 2));
  }
  if (left <= b.x + 3 && right >= b.x - 3) return;
  loosen(s, b);
  b.va = left > right ? between(s, -0.7, 0.7) : left > b.x ? -2.2 : 2.2;
  b.vx += b.va * 10;
}

function sit(s, f) {
  f.vy += pull(s) * STEP;
  f.y += f.vy * STEP;
  let floor = GROUND;
  for (const b of s.blocks) {
    if (!b.loose && Math.abs(b.x - f.x) < b.w / 2 + 4 && f.y < b.y) floor = Math.min(floor, b.y - b.h / 2);
  }
  if (f.y < floor - FOE) return;
  f.y = floor - FOE;
  if (f.vy > 250) squash(s, f);
  f.vy = 0;
}

function squash(s, f) {
  f.gone = true;
  gain(s, 3, f.x, f.y, 'perfect');
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(-20, GROUND, W + 40, H - GROUND + 20, 'ground');
  d.box(-20, GROUND, W + 40, 12, 'groundTop');
  for (const b of s.blocks) {
    const [c, n] = [Math.cos(b.a), Math.sin(b.a)];
    /** @type {(x: number, y: number) => [number, number]} */
    const at = (x, y) => [b.x + x * c - y * n, b.y + x * n + y * c];
    const [w, h] = [b.w / 2, b.h / 2];
    d.poly([at(-w, -h), at(w, -h), at(w, h), at(-w, h)], WOOD[b.w === b.h ? 2 : b.w > b.h ? 1 : 0],
      { stroke: 'ink', width: 2.5 });
    d.line(...at(Math.min(0, 7 - w), Math.min(0, 7 - h)), ...at(Math.max(0, w - 7), Math.max(0, h - 7)), 2, 'ink',
      { alpha: 0.2 });
  }
  for (const f of s.foes) d.sprite('hazard', f.x, f.y, FOE * 2.3);
  if (!s.bonus.taken) d.sprite('pickup', s.bonus.x, s.bonus.y + Math.sin(s.t * 3) * 5, 40);
  for (let i = 1; i < s.shots; i++) d.sprite('hero', 22 + (i - 1) * 25, GROUND + 48, 30);
  const ready = !s.shot && s.shots > 0;
  const at = ready ? { x: FORK.x + s.bx, y: FORK.y + s.by } : FORK;
  d.line(FORK.x, GROUND + 4, FORK.x, FORK.y + 34, 14, '#7a4a21');
  d.line(FORK.x, FORK.y + 36, FORK.x + 20, FORK.y - 6, 10, '#7a4a21');
  if (ready) d.line(FORK.x + 18, FORK.y - 2, at.x, at.y, 6, '#3b2413');
  const hero = s.shot || at;
  if (s.shot || ready) d.sprite('hero', hero.x, hero.y, 44 * Math.sqrt(s.cfg.size), { rot: (hero.a || 0) * 4 });
  if (ready) d.line(FORK.x - 18, FORK.y - 2, at.x, at.y, 6, '#3b2413');
  d.line(FORK.x, FORK.y + 36, FORK.x - 20, FORK.y - 6, 10, '#96602f');
  if (!ready) return;
  for (let i = 1; i < 15; i++) {
    const t = i * 0.055;
    const y = at.y - s.by * KICK * t + (pull(s) * t * t) / 2;
    if (y < GROUND) d.disc(at.x - s.bx * KICK * t, y, 5 - i * 0.2, 'text', { alpha: 0.9 - i * 0.045 });
  }
}
