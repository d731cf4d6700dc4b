// Mini golf, seen from above: drag back to aim and for power, let go to putt.
// Nine holes with walls, sand, water, posts, moving blocks and windmills.
import {
  W, STEP, PI, base, tick, gain, hurt, note, heat, chance, clamp, near, sin, cos, atan2, hypot, finish,
} from '../core/world.js';
import { HOLES } from '../core/holes.js';

export const meta = { id: 'golf', scroll: 'none', controls: 'board' };

export const R = 10;
const CUP = 16;
export const FAST = 680; // units a second at full power
const PULL = 150; // units of a drag for it
const OVER = 3; // strokes above par that a hole allows
const BLADE = 46;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.holes = Math.min(HOLES.length, cfg.params.holes || HOLES.length);
  s.hole = 0;
  s.angle = -PI / 2;
  s.force = 0.4;
  s.pulled = 0;
  lay(s);
  return s;
}

// lay makes the next hole; some are seen in a mirror.
function lay(s) {
  const h = HOLES[s.hole];
  const flip = chance(s, 0.5);
  /** @type {(place: any) => any} */
  const at = ([x, ...rest]) => [flip ? W - x : x, ...rest];
  /** @type {(box: any) => any} */
  const box = ([x, y, w, ...rest]) => [flip ? W - x - w : x, y, w, ...rest];
  const all = (list, how) => (list || []).map((o) => how(o));
  s.course = {
    par: h.par, tee: at(h.tee), cup: at(h.cup), floor: all(h.floor, box), blocks: all(h.blocks, box),
    sand: all(h.sand, box), water: all(h.water, box),
    posts: all(h.posts, at), mills: all(h.mills, at), movers: all(h.movers, at), way: [...all(h.way, at), at(h.cup)],
  };
  s.coin = { x: at(h.coin)[0], y: h.coin[1], taken: false };
  s.strokes = 0;
  s.from = null;
  s.drag = 0;
  s.sunk = 0;
  s.ball = { x: s.course.tee[0], y: s.course.tee[1], vx: 0, vy: 0 };
  rest(s);
}

function rest(s) {
  s.moving = false;
  s.spot = { x: s.ball.x, y: s.ball.y };
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  if (s.sunk > 0) {
    s.sunk -= STEP;
    if (s.sunk <= 0) next(s);
  } else if (s.moving) {
    for (let k = 0; k < 3 && s.moving; k++) roll(s, STEP / 3);
  } else aim(s, input);
  if (!s.moving && s.sunk <= 0) for (const m of s.course.movers) off(s.ball, bar(s, m)); // it may be pushed
}

function aim(s, input) {
  const turned = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  s.angle += turned * 1.4 * STEP;
  s.force = clamp(s.force + ((input.up ? 1 : 0) - (input.duck ? 1 : 0)) * 0.6 * STEP, 0.08, 1);
  if (input.down && input.x !== null && input.y !== null) {
    if (!s.from) s.from = { x: input.x, y: input.y };
    s.drag++;
    const [dx, dy] = [s.from.x - input.x, s.from.y - input.y];
    s.pulled = hypot(dx, dy);
    s.force = clamp(s.pulled / PULL, 0.05, 1);
    if (s.pulled > 4) s.angle = atan2(dy, dx);
    return;
  }
  const dragged = s.from && input.released && s.pulled > 14;
  s.from = null;
  s.drag = 0;
  if (dragged || (input.tapped && input.x === null)) putt(s);
}

function putt(s) {
  s.strokes++;
  s.moving = true;
  s.ball.vx = cos(s.angle) * s.force * FAST;
  s.ball.vy = sin(s.angle) * s.force * FAST;
  note(s, 'putt', s.ball.x, s.ball.y);
}

export function within(list, x, y) {
  return list.some(([bx, by, w, h]) => x >= bx && x <= bx + w && y >= by && y <= by + h);
}

// slow is how much speed the ground takes in a second, at a speed.
export function slow(s, v, sand) { return (sand ? 900 : 120) * s.cfg.gravity + v * 0.55; }

function roll(s, dt) {
  const b = s.ball;
  const c = s.course;
  const v = hypot(b.vx, b.vy);
  const k = Math.max(0, 1 - (slow(s, v, within(c.sand, b.x, b.y)) * dt) / (v || 1));
  b.vx *= k;
  b.vy *= k;
  b.x += b.vx * dt;
  if (!within(c.floor, b.x + Math.sign(b.vx) * R, b.y)) { b.x -= b.vx * dt; b.vx *= -0.82; }
  b.y += b.vy * dt;
  if (!within(c.floor, b.x, b.y + Math.sign(b.vy) * R)) { b.y -= b.vy * dt; b.vy *= -0.82; }
  for (const o of c.blocks) off(b, o);
  for (const o of c.movers) off(b, bar(s, o));
  for (const [x, y, r] of c.posts) away(b, x, y, r, 0, 0);
  for (const [x, y] of c.mills) {
    away(b, x, y, 13, 0, 0);
    for (let q = 0; q < 4; q++) {
      const a = spin(s) + (q * PI) / 2;
      const along = clamp((b.x - x) * cos(a) + (b.y - y) * sin(a), 0, BLADE);
      away(b, x + cos(a) * along, y + sin(a) * along, 5, -sin(a) * along * 1.3, cos(a) * along * 1.3);
    }
  }
  if (!s.coin.taken && near(b.x, b.y, s.coin.x, s.coin.y, 28)) {
    s.coin.taken = true;
    gain(s, 1, b.x, b.y);
  }
  if (near(b.x, b.y, c.cup[0], c.cup[1], CUP - 2) && v < 520) return sink(s);
  if (within(c.water, b.x, b.y)) return splash(s);
  if (v < 14) { rest(s); late(s); }
}

export function spin(s) { return s.t * 1.3 * Math.sqrt(s.cfg.speed) * heat(s); }

// bar is where a moving block is.
/** @param {GameState} s @param {any} block */
export function bar(s, [x, y, w, h, by]) {
  return [x + by * sin(s.t * 1.5 * s.cfg.speed * heat(s)) - w / 2, y - h / 2, w, h];
}

// off takes the ball off a rectangle, away off a disc that moves.
/** @param {any} b @param {number[]} box */
function off(b, [x, y, w, h]) { away(b, clamp(b.x, x, x + w), clamp(b.y, y, y + h), 0, 0, 0); }

function away(b, x, y, r, vx, vy) {
  const [dx, dy] = [b.x - x, b.y - y];
  const d = hypot(dx, dy);
  if (d >= r + R || d === 0) return;
  const [nx, ny] = [dx / d, dy / d];
  [b.x, b.y] = [x + nx * (r + R), y + ny * (r + R)];
  const into = (b.vx - vx) * nx + (b.vy - vy) * ny;
  if (into < 0) [b.vx, b.vy] = [b.vx - 1.8 * into * nx, b.vy - 1.8 * into * ny];
}

function sink(s) {
  const [x, y] = s.course.cup;
  const under = s.course.par - s.strokes;
  Object.assign(s.ball, { x, y, vx: 0, vy: 0 });
  s.moving = false;
  s.sunk = 0.9;
  gain(s, s.strokes === 1 ? 10 : Math.max(1, 4 + under * 2), x, y, under > 0 || s.strokes === 1 ? 'perfect' : 'gain');
}

function splash(s) {
  note(s, 'miss', s.ball.x, s.ball.y);
  s.strokes++;
  Object.assign(s.ball, { x: s.spot.x, y: s.spot.y, vx: 0, vy: 0 });
  rest(s);
  late(s);
}

// late ends a hole that took too many strokes.
function late(s) {
  if (s.strokes < s.course.par + OVER) return;
  s.safe = 0;
  hurt(s, s.ball.x, s.ball.y);
  if (!s.over) next(s);
}

function next(s) {
  s.hole++;
  if (s.hole >= s.holes) finish(s, 'win');
  else lay(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const c = s.course;
  const [b, l] = [s.ball, s.cfg.labels];
  for (const [x, y, w, h] of c.floor) d.box(x - 12, y - 6, w + 24, h + 24, 'shade', { radius: 14, alpha: 0.4 });
  for (const [x, y, w, h] of c.floor) d.box(x - 12, y - 12, w + 24, h + 24, '#a86b3a', { radius: 14 });
  for (const [x, y, w, h] of c.floor) d.box(x, y, w, h, '#4caf50', { radius: 4 });
  for (const [x, y, w, h] of c.floor) for (let k = 0; k < h - 30; k += 60) d.box(x, y + k, w, 30, '#57bb5b');
  for (const [x, y, w, h] of c.sand) d.box(x, y, w, h, '#e9cf8f', { radius: 22, stroke: '#cfae66', width: 3 });
  for (const [x, y, w, h] of c.water) {
    d.box(x, y, w, h, '#3aa0e6', { radius: 14, stroke: '#2b7fbd', width: 3 });
    for (let k = 0; k < 3; k++) {
      d.line(x + 16, y + h * (0.25 + k * 0.25) + 3 * Math.sin(s.t * 2 + k), x + w - 16,
        y + h * (0.25 + k * 0.25) - 3 * Math.sin(s.t * 2 + k), 3, '#bfe6ff', { alpha: 0.5 });
    }
  }
  d.disc(c.cup[0], c.cup[1], CUP, '#123018', { stroke: '#dff5df', width: 2 });
  if (!s.coin.taken) d.sprite('pickup', s.coin.x, s.coin.y, 34 + 2 * Math.sin(s.t * 5));
  for (const [x, y, w, h] of c.blocks) d.box(x, y, w, h, '#a86b3a', { radius: 6, stroke: 'ink', width: 3 });
  for (const [x, y, r] of c.posts) d.disc(x, y, r, '#c98d4f', { stroke: 'ink', width: 3 });
  for (const m of c.movers) {
    const [x, y, w, h] = bar(s, m);
    d.box(x, y, w, h, 'block', { radius: 8, stroke: 'ink', width: 3 });
    d.sprite('hazard', x + w / 2, y + h / 2, 44);
  }
  if (s.sunk > 0) d.disc(b.x, b.y, R * Math.min(1, s.sunk), '#ffffff');
  else d.disc(b.x, b.y, R, '#ffffff', { stroke: 'ink', width: 2 });
  const [ax, ay] = [Math.cos(s.angle), Math.sin(s.angle)];
  if (!s.moving && s.sunk <= 0) {
    for (let k = 1; k < 10; k++) {
      d.disc(b.x + ax * k * (6 + 20 * s.force), b.y + ay * k * (6 + 20 * s.force), 5 - k * 0.3,
        s.force > 0.8 ? 'hazard' : 'text', { alpha: 1 - k * 0.07 });
    }
  }
  const [hx, hy] = [s.spot.x - ax * (30 + 16 * s.force), s.spot.y - ay * (30 + 16 * s.force)];
  d.line(hx, hy, hx + ax * 24, hy + ay * 24 + 6, 4, 'ink');
  d.sprite('hero', hx, hy - 8, 46 * Math.sqrt(s.cfg.size), { sx: ax < -0.1 ? -1 : 1 });
  for (const [x, y] of c.mills) {
    for (let q = 0; q < 4; q++) {
      const a = spin(s) + (q * PI) / 2;
      d.line(x, y, x + BLADE * Math.cos(a), y + BLADE * Math.sin(a), 16, 'ink');
      d.line(x, y, x + (BLADE - 3) * Math.cos(a), y + (BLADE - 3) * Math.sin(a), 10, q % 2 ? '#ffffff' : '#e63946');
    }
    d.disc(x, y, 14, '#ffd23f', { stroke: 'ink', width: 3 });
  }
  d.line(c.cup[0], c.cup[1], c.cup[0], c.cup[1] - 56, 4, '#f5f5f5');
  d.poly([[c.cup[0] + 2, c.cup[1] - 56], [c.cup[0] + 34, c.cup[1] - 46], [c.cup[0] + 2, c.cup[1] - 34]], 'hazard',
    { stroke: 'ink', width: 2 });
  d.box(72, 100, W - 86, 36, 'panel', { radius: 12, alpha: 0.92, stroke: 'ink', width: 2 });
  [l.hole + ' ' + (s.hole + 1) + '/' + s.holes, l.par + ' ' + c.par, l.strokes + ' ' + s.strokes].forEach((text, k) =>
    d.text(text, [140, 250, 370][k], 119, 21, { color: 'panelText', role: 'card' + k }));
}
