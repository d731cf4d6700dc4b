// Cannon: the hero's aim swings to and fro; a tap fires. Hit what comes down,
// spare what is good. Three shots, then reloading takes a moment of rest.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, between, chance, near, sin, cos, plenty,
} from '../core/world.js';

export const meta = { id: 'cannon', scroll: 'none' };

const X = W / 2;
const Y = 628;
const LINE = 566; // who gets here costs a life
const SHOT = 820; // pixels a second
const RELOAD = 0.85; // seconds of rest for one shot
const HOUSES = [52, 428, 120, 360, 176]; // places of those that are defended, one a life

function clip(s) { return s.cfg.params.shots || 3; }

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.phase = 0;
  s.angle = 0;
  s.clip = clip(s);
  s.reload = 0;
  s.kick = 0;
  s.shots = [];
  s.foes = [];
  for (let i = 0; i < 3; i++) addFoe(s, { x: 110 + i * 130, y: 40 + 90 * (i % 2), bad: true });
  s.wait = 0.9;
  return s;
}

// addFoe lets one more come down, from a place of its own or from a given one.
function addFoe(s, at) {
  const bad = chance(s, 1 - 0.22 * plenty(s));
  const f = Object.assign({
    x: between(s, 60, W - 60), y: -40, vx: between(s, -34, 34), vy: between(s, 52, 74) * s.cfg.speed * heat(s), bad,
  }, at);
  f.r = f.bad ? 34 : 27;
  s.foes.push(f);
  s.wait = between(s, 1.05, 1.45) / (heat(s) * s.cfg.density);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.phase += 1.9 * Math.sqrt(s.cfg.speed) * STEP;
  s.angle = sin(s.phase) * 0.98;
  s.kick *= 0.85;
  if (s.clip < clip(s)) {
    s.reload += STEP;
    if (s.reload > RELOAD) { s.reload = 0; s.clip++; }
  }
  if (input.pressed) s.reload = 0; // those who hammer never get to reload
  if (input.pressed && s.clip > 0) {
    s.clip--;
    s.kick = 1;
    s.shots.push({
      x: X + sin(s.angle) * 58, y: Y - cos(s.angle) * 58, vx: sin(s.angle) * SHOT,
      vy: -cos(s.angle) * SHOT,
    });
    note(s, 'shot', X + sin(s.angle) * 64, Y - cos(s.angle) * 64);
  }
  s.wait -= STEP;
  if (s.wait <= 0) addFoe(s);
  for (const b of s.shots) { b.x += b.vx * STEP; b.y += b.vy * STEP; }
  for (const f of s.foes) {
    f.x += f.vx * STEP;
    f.y += f.vy * STEP;
    if ((f.x < 40 && f.vx < 0) || (f.x > W - 40 && f.vx > 0)) f.vx = -f.vx;
    const shot = s.shots.find((b) => near(b.x, b.y, f.x, f.y, f.r + 13 * s.cfg.size));
    if (shot) {
      shot.y = -999;
      f.gone = true;
      if (f.bad) gain(s, 1, f.x, f.y);
      else hurt(s, f.x, f.y);
    } else if (f.y > LINE) {
      f.gone = true;
      if (f.bad) hurt(s, f.x, LINE);
    }
  }
  s.shots = s.shots.filter((b) => b.y > -30 && b.x > -30 && b.x < W + 30);
  s.foes = s.foes.filter((f) => !f.gone);
}

// aimed is who a shot fired now would meet first; null for no one.
export function aimed(s) {
  const nx = sin(s.angle);
  const ny = -cos(s.angle);
  let first = null;
  let when = 1;
  for (const f of s.foes) {
    const t = ((f.x - X) * nx + (f.y - Y) * ny - 58) / SHOT;
    const dx = f.x + f.vx * t - X;
    const dy = f.y + f.vy * t - Y;
    if (t > 0 && t < when && Math.abs(dx * ny - dy * nx) < f.r) { first = f; when = t; }
  }
  return first;
}

// house stands for a life; one that is lost smokes.
function house(s, d, x, whole) {
  const y = LINE + 38;
  if (!whole) {
    for (const [dx, tall] of [[-16, 16], [2, 24], [17, 12]]) {
      d.poly([[x + dx - 11, y], [x + dx - 3, y - tall], [x + dx + 11, y]], 'shade', { stroke: 'ink', width: 3 });
    }
    for (let i = 0; i < 3; i++) {
      const k = (s.t * 0.5 + i / 3) % 1;
      d.disc(x + sin(k * 5 + i) * 6, y - 16 - k * 60, 6 + k * 10, 'shade', { alpha: 0.4 * (1 - k) });
    }
    return;
  }
  d.box(x - 24, y - 34, 48, 36, 'block', { stroke: 'ink', width: 4 });
  d.poly([[x - 32, y - 32], [x, y - 62], [x + 32, y - 32]], 'hero2', { stroke: 'ink', width: 4 });
  d.box(x - 16, y - 24, 12, 12, 'accent', { stroke: 'ink', width: 2 });
  d.box(x + 4, y - 22, 13, 24, 'ink', { radius: 4, alpha: 0.7 });
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  for (let i = 0; i < s.cfg.lives; i++) house(s, d, HOUSES[i], i < s.lives);
  d.box(-20, LINE + 36, W + 40, H - LINE, 'ground');
  d.box(-20, LINE + 36, W + 40, 9, 'groundTop');
  for (let i = 0; i < 9; i++) {
    d.box(14 + i * 56, LINE + 62 + (i % 3) * 26, 30, 7, 'groundTop', { radius: 3, alpha: 0.5 });
  }
  const target = s.clip > 0 ? aimed(s) : null;
  for (let i = 0; i < 16; i++) d.box(6 + i * 30, LINE + 14, 16, 5, 'hazard', { radius: 2, alpha: 0.75 });
  for (let i = 1; i < 12; i++) {
    d.disc(X + sin(s.angle) * (50 + i * 40), Y - cos(s.angle) * (50 + i * 40), 5 - i * 0.25, 'accent',
      { alpha: (s.clip > 0 ? 0.85 : 0.25) * (1 - i / 13) });
  }
  for (const f of s.foes) {
    for (let i = 1; i < 4; i++) {
      d.sprite('dot', f.x - f.vx * i * 0.16, f.y - f.r * 0.7 - i * 15, 15 - i * 3,
        { tint: f.bad ? 'hazard' : 'pickup', alpha: 0.5 - i * 0.12 });
    }
    if (f === target) d.ring(f.x, f.y, f.r * 1.35, 5, f.bad ? 'accent' : 'text', { alpha: 0.9 });
    d.sprite(f.bad ? 'hazard' : 'pickup', f.x, f.y, f.r * 2.3, { rot: sin(s.t * 3 + f.x) * 0.1 });
  }
  for (const b of s.shots) {
    d.sprite('dot', b.x - b.vx * 0.018, b.y - b.vy * 0.018, 16, { tint: 'accent', alpha: 0.5 });
    d.disc(b.x, b.y, 12 * s.cfg.size, 'accent', { stroke: 'ink', width: 4 });
  }
  const nx = sin(s.angle);
  const ny = -cos(s.angle);
  const px = -ny;
  const py = nx;
  const len = 62 - s.kick * 16;
  d.poly([
    [X + px * 19, Y + py * 19], [X + px * 15 + nx * len, Y + py * 15 + ny * len],
    [X - px * 15 + nx * len, Y - py * 15 + ny * len], [X - px * 19, Y - py * 19],
  ], 'block', { stroke: 'ink', width: 5 });
  d.disc(X + nx * len, Y + ny * len, 15, 'blockLight', { stroke: 'ink', width: 4 });
  d.sprite('hero', X, Y + 14 + s.kick * 6, 104 * Math.sqrt(s.cfg.size),
    { sy: 1 - s.kick * 0.12, sx: 1 + s.kick * 0.1 });
  for (let i = 0; i < clip(s); i++) {
    const x = W - 28 - (clip(s) - 1 - i) * 32;
    d.disc(x, 690, 11, i < s.clip ? 'accent' : 'shade',
      { alpha: i < s.clip ? 1 : 0.35, stroke: 'ink', width: 3 });
    if (i === s.clip) d.disc(x, 690, 9 * (s.reload / RELOAD), 'accent', { alpha: 0.6 });
  }
}
