// Pinball: two flippers keep a ball on a sloped table with bumpers, slingshots
// and targets. A ball that gets between them is lost.
import {
  H, STEP, PI, base, tick, gain, hurt, note, clear, heat, between, clamp, near, sin, cos, hypot,
} from '../core/world.js';

export const meta = { id: 'pinball', scroll: 'none', controls: 'sides' };

const SUB = 4; // steps of the physics in one of the game
const R = 11;
const LANE = 444; // where a ball waits to be launched
const SWING = 19; // radians a second that a flipper turns
export const LONG = 78; // of a flipper
export const FLIPPERS = [
  { x: 128, y: 624, rest: 0.5, up: -0.55, way: 1 }, { x: 312, y: 624, rest: PI - 0.5, up: PI + 0.55, way: -1 },
];
const BUMPERS = [[138, 268, 31], [302, 268, 31], [220, 356, 31], [220, 196, 24], [84, 352, 22]];
const SAVED = 4; // seconds from the launch in which a lost ball comes back, where it does
const TARGETS = [[24, 338], [24, 378], [24, 418], [416, 358], [416, 398]];
const GATE = [424, 330, 462, 262];

const ARC = Array.from({ length: 17 }, (_, i) => [240 - 224 * cos((i / 16) * PI), 290 - 160 * sin((i / 16) * PI)]);
const SLINGS = [
  [62, 478, 62, 536], [62, 536, 116, 572], [62, 478, 116, 572, 1], [378, 478, 378, 536], [378, 536, 324, 572],
  [378, 478, 324, 572, 1],
];
const WALLS = [
  ...ARC.slice(1).map((p, i) => [ARC[i][0], ARC[i][1], p[0], p[1]]), ...SLINGS,
  [16, 290, 16, 546], [16, 546, 128, 615], [424, 330, 424, 546], [424, 546, 312, 615], [424, 546, 424, 720],
  [464, 290, 464, 720],
].map((w) => ({ w, top: Math.min(w[1], w[3]) - R, low: Math.max(w[1], w[3]) + R }));

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.flips = [{ a: FLIPPERS[0].rest, v: 0 }, { a: FLIPPERS[1].rest, v: 0 }];
  s.lit = TARGETS.map(() => false);
  s.bumpers = BUMPERS.slice(0, s.cfg.params.bumpers || 3);
  s.glow = s.bumpers.map(() => 0);
  s.foe = { x: 220, dir: 1, hit: 0 };
  load(s);
  return s;
}

function load(s, saved = false) {
  s.ball = { x: LANE, y: 668, vx: 0, vy: 0, spin: 0, lane: true, still: 0, since: -1e9, saved };
  s.pull = 0;
  s.wait = 0;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.glow = s.glow.map((g) => Math.max(0, g - 4 * STEP));
  s.foe.hit = Math.max(0, s.foe.hit - STEP);
  s.foe.x += s.foe.dir * 62 * Math.sqrt(s.cfg.density) * heat(s) * STEP;
  if (s.foe.x < 110 || s.foe.x > 330) s.foe.dir = s.foe.x < 110 ? 1 : -1;
  if (s.ball.lane && s.ball.vy === 0) charge(s, input);
  const walls = WALLS.filter((o) => s.ball.y > o.top - 24 && s.ball.y < o.low + 24); // that it may meet in this step
  for (let k = 0; k < SUB; k++) {
    flip(s, input);
    if (s.ball.vy !== 0 || !s.ball.lane) roll(s, walls, STEP / SUB);
  }
  const b = s.ball;
  b.spin += b.vx * 0.02 * STEP * 3;
  if (!b.lane && hypot(b.vx, b.vy) < 14) b.still += STEP;
  else b.still = 0;
  if (b.still > 1.6) { b.vx = between(s, -260, 260); b.vy = -360; } // who lies still is nudged
  if (b.lane && b.x < 408) b.lane = false;
  if (b.lane && b.vy > 0 && b.y > 668) load(s, b.saved); // a weak shot comes back
  if (b.y < H + 30) return;
  const again = s.cfg.params.saver === 1 && !b.saved && s.t - b.since < SAVED; // once for each ball
  if (again) note(s, 'again', clamp(b.x, 60, 400), H - 60);
  else hurt(s, clamp(b.x, 60, 400), H - 60);
  load(s, again);
}

// charge pulls the plunger while something is held, and lets it go.
function charge(s, input) {
  if (!s.cfg.duration) s.wait += STEP; // without a clock it does not wait for ever
  if (input.down && s.wait < 9) s.pull = Math.min(1, s.pull + 1.4 * STEP);
  else if (s.pull > 0 || s.wait >= 9) {
    s.ball.vy = -(1010 + 190 * s.pull + between(s, 0, 50)) * Math.sqrt(s.cfg.gravity);
    s.pull = 0;
    s.ball.since = s.t;
    note(s, 'launch', LANE, 640);
  }
}

function flip(s, input) {
  [input.left, input.right].forEach((held, i) => {
    const [f, t] = [s.flips[i], FLIPPERS[i]];
    const to = held ? t.up : t.rest;
    const was = f.a;
    f.a += clamp(to - f.a, (-SWING * STEP) / SUB, (SWING * STEP) / SUB);
    f.v = ((f.a - was) * SUB) / STEP;
  });
}

// roll moves the ball by a moment, and off all that it meets.
function roll(s, walls, dt) {
  const b = s.ball;
  b.vy += 640 * s.cfg.gravity * Math.sqrt(s.cfg.speed * heat(s)) * dt;
  const v = hypot(b.vx, b.vy);
  const most = 1250 * Math.sqrt(s.cfg.gravity);
  if (v > most) { b.vx *= most / v; b.vy *= most / v; }
  b.x += b.vx * dt;
  b.y += b.vy * dt;
  for (const o of walls) {
    const hit = bounce(b, o.w, R, 0.4, 0, 0);
    if (o.w[4] && hit > 60) { kick(b, o.w, 520); note(s, 'sling', b.x, b.y); }
  }
  if (!b.lane && b.y < 345) bounce(b, GATE, R, 0.4, 0, 0);
  s.flips.forEach((f, i) => {
    const p = FLIPPERS[i];
    if (b.y < p.y - 110) return;
    const at = foot(b, [p.x, p.y, p.x + LONG * cos(f.a), p.y + LONG * sin(f.a)]);
    bounce(b, [at.x, at.y, at.x, at.y], R + 8, 0.25, -f.v * (at.y - p.y), f.v * (at.x - p.x));
  });
  s.bumpers.forEach(([x, y, r], i) => {
    if (!near(b.x, b.y, x, y, r + R)) return;
    push(b, x, y, r + R, 500);
    s.glow[i] = 1;
    gain(s, 1, x, y - 20);
  });
  if (s.foe.hit <= 0 && near(b.x, b.y, s.foe.x, 440, 24 + R)) {
    push(b, s.foe.x, 440, 24 + R, 420);
    s.foe.hit = 3;
    gain(s, 3, s.foe.x, 430, 'perfect');
  }
  TARGETS.forEach(([x, y], i) => {
    if (!s.lit[i] && Math.abs(b.x - x) < R + 12 && Math.abs(b.y - y) < 20) light(s, i);
  });
}

function light(s, i) {
  s.lit[i] = true;
  s.ball.vx = Math.abs(s.ball.vx) * (TARGETS[i][0] < 220 ? 1 : -1);
  gain(s, 2, TARGETS[i][0], TARGETS[i][1]);
  if (s.lit.some((on) => !on)) return;
  s.lit = TARGETS.map(() => false);
  gain(s, 10, 220, 300, 'perfect');
  if (!s.cfg.duration) clear(s);
}

// foot is the point of a segment that is nearest to the ball.
function foot(b, [x1, y1, x2, y2]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const l = dx * dx + dy * dy;
  const t = l ? clamp(((b.x - x1) * dx + (b.y - y1) * dy) / l, 0, 1) : 0;
  return { x: x1 + t * dx, y: y1 + t * dy };
}

// bounce takes the ball off a segment that moves with vx, vy, and returns how
// fast it came, 0 when they don't touch.
function bounce(b, seg, r, spring, vx, vy) {
  const at = foot(b, seg);
  const [dx, dy] = [b.x - at.x, b.y - at.y];
  const d = hypot(dx, dy);
  if (d >= r || d === 0) return 0;
  const [nx, ny] = [dx / d, dy / d];
  b.x = at.x + nx * r;
  b.y = at.y + ny * r;
  const into = (b.vx - vx) * nx + (b.vy - vy) * ny;
  if (into >= 0) return 0;
  b.vx -= (1 + spring) * into * nx;
  b.vy -= (1 + spring) * into * ny;
  return -into;
}

function push(b, x, y, r, v) {
  const d = hypot(b.x - x, b.y - y) || 1;
  const [nx, ny] = [(b.x - x) / d || 0, (b.y - y) / d || 1];
  Object.assign(b, { x: x + nx * r, y: y + ny * r, vx: b.vx * 0.35 + nx * v, vy: b.vy * 0.35 + ny * v });
}

function kick(b, seg, v) {
  const at = foot(b, seg);
  push(b, at.x, at.y, R, v);
}

/** @param {DrawList} d @param {number[]} ends @param {number} width @param {string} color @param {Look} [look] */
function line(d, [x1, y1, x2, y2], width, color, look) { d.line(x1, y1, x2, y2, width, color, look); }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const b = s.ball;
  d.poly([...ARC, [464, H + 40], [16, H + 40]], 'bg2');
  d.poly([...ARC, [464, H + 40], [16, H + 40]], 'shade', { alpha: 0.72 });
  for (let k = 0; k < 3; k++) d.ring(220, 300, 96 + k * 34, 4, 'accent', { alpha: 0.16 });
  for (let k = 0; k < 5; k++) {
    d.poly([[220, 560 - k * 22], [236, 574 - k * 22], [204, 574 - k * 22]], 'accent',
      { alpha: (Math.floor(s.t * 8) - k) % 5 === 0 ? 0.9 : 0.2 });
  }
  for (const k of [0, 3]) {
    const q = SLINGS[k];
    d.poly([[q[0], q[1]], [q[2], q[3]], [SLINGS[k + 1][2], SLINGS[k + 1][3]]], 'hero2', { stroke: 'ink', width: 3 });
    line(d, SLINGS[k + 2], 6, 'hazard');
  }
  for (const o of WALLS) if (!SLINGS.includes(o.w)) line(d, o.w, 12, 'ink');
  for (const o of WALLS) if (!SLINGS.includes(o.w)) line(d, o.w, 7, 'blockLight');
  line(d, GATE, 4, 'accent', { alpha: b.lane ? 0.25 : 0.9 });
  TARGETS.forEach(([x, y], i) => {
    d.box(x - 7, y - 17, 14, 34, s.lit[i] ? 'shade' : 'pickup',
      { radius: 4, stroke: 'ink', width: 2, alpha: s.lit[i] ? 0.5 : 1 });
    d.disc(x + (x < 220 ? 24 : -24), y, 6, s.lit[i] ? 'pickup' : 'shade', { alpha: s.lit[i] ? 1 : 0.6 });
  });
  s.bumpers.forEach(([x, y, r], i) => {
    const big = r + 5 * s.glow[i];
    d.disc(x, y, big + 4, 'ink');
    d.disc(x, y, big, s.glow[i] > 0 ? 'accent' : 'hazard');
    d.disc(x, y, big * 0.76, 'panel');
    d.sprite('pickup', x, y, big * 1.15);
  });
  d.sprite('hazard', s.foe.x, 440, s.foe.hit > 0 ? 30 : 54, { sx: s.foe.dir, alpha: s.foe.hit > 0 ? 0.35 : 1 });
  s.flips.forEach((f, i) => {
    const p = FLIPPERS[i];
    const [x, y] = [p.x + LONG * cos(f.a), p.y + LONG * sin(f.a)];
    for (const more of [4, 0]) {
      const color = more ? 'ink' : 'hero';
      d.line(p.x, p.y, x, y, 17 + more, color);
      d.disc(p.x, p.y, 12 + more / 2, color);
      d.disc(x, y, 8 + more / 2, color);
    }
    d.disc(p.x, p.y, 5, 'text');
  });
  const rod = 682 + s.pull * 24;
  for (let y = rod + 8; y < H; y += 8) d.line(434, y, 454, y + 4, 3, 'text', { alpha: 0.8 });
  d.box(432, rod, 24, 8, 'hazard', { radius: 3, stroke: 'ink', width: 2 });
  d.disc(b.x, b.y, R + 2, '#dfe6ee', { stroke: 'ink', width: 2 });
  d.sprite('hero', b.x, b.y, 27 * Math.sqrt(s.cfg.size), { rot: b.spin });
}
