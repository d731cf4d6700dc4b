// Breakout: a ball, a paddle, and bricks to break. Some bricks let a treat
// fall that makes the paddle wider.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, clamp, lerp, hypot, plenty,
} from '../core/world.js';

export const meta = { id: 'breakout', scroll: 'none', full: true, controls: 'pointer' };

const TALL = H > W;
const COLS = TALL ? 7 : 11;
const MIDDLE = (COLS - 1) / 2;
export const BW = TALL ? 64 : 76;
const BH = 26;
const LEFT = (W - COLS * BW) / 2;
const TOP = TALL ? 156 : 112;
export const Y = H - (TALL ? 110 : 48); // the paddle
const R = 11;
const SIZES = [0, 0.8, 1, 1.25]; // of the paddle, by params.paddle
const STEEP = 1.15; // sideways to upwards, at most
const DRY = 3; // bounces without a brick, after which the paddle sends the ball to one
const COLORS = ['hazard', 'accent', 'pickup', 'block', 'hero2', 'far'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  s.x = W / 2;
  s.wide = 0; // seconds of a wider paddle
  s.trail = [];
  build(s);
  return s;
}

// patterns say which bricks a level has.
const patterns = [
  (x, y) => y < 4,
  (x, y) => (x + y) % 2 === 0 || y === 0,
  (x, y) => Math.abs(x - MIDDLE) + y < 7 && y < 5,
  (x, y) => x % 3 !== 1 && y < 5,
  (x, y) => y === 0 || y === 4 || x === 0 || x === COLS - 1 || (x + y) % 4 === 0,
];

function build(s) {
  s.bricks = [];
  s.treats = [];
  const pattern = patterns[(s.level - 1 + s.seed) % patterns.length];
  for (let y = 0; y < 5; y++) for (let x = 0; x < COLS; x++) {
    if (!pattern(x, y)) continue;
    s.bricks.push({
      x: LEFT + x * BW, y: TOP + y * BH, row: y, tough: s.level > 1 && chance(s, 0.12 * s.cfg.density) ? 2 : 1,
      treat: chance(s, 0.14 * plenty(s)),
    });
  }
  serve(s);
}

function serve(s) {
  s.dry = 0;
  s.ball = { x: s.x, y: Y - 40, vx: between(s, -0.5, 0.5), vy: -1, wait: 0.8 };
}

export function half(s) { return (s.wide > 0 ? 92 : 62) * s.cfg.size * SIZES[s.cfg.params.paddle || 2]; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const v = 620 * Math.max(0.8, s.cfg.speed) * STEP;
  if (input.left || input.right) s.x += (input.right ? v : 0) - (input.left ? v : 0);
  else if (input.x !== null) s.x = lerp(s.x, input.x, 0.35);
  s.x = clamp(s.x, half(s), W - half(s));
  s.wide = Math.max(0, s.wide - STEP);
  const b = s.ball;
  if (b.wait > 0) {
    b.wait -= STEP;
    b.x = s.x;
  } else fly(s, b);
  for (const t of s.treats) {
    t.y += 150 * STEP;
    if (Math.abs(t.y - Y) < 20 && Math.abs(t.x - s.x) < half(s) + 18) {
      t.y = H + 99;
      s.wide = 10;
      gain(s, 2, t.x, Y - 20);
    }
  }
  s.treats = s.treats.filter((t) => t.y < H + 30);
  if (s.bricks.length > 0 || s.over) return;
  gain(s, 5, W / 2, 220, 'perfect');
  clear(s);
  if (!s.over) build(s);
}

// nearest is the brick with the steepest way to it.
function nearest(s, b) {
  const slant = (k) => Math.abs(k.x + BW / 2 - b.x) / (b.y - k.y);
  return s.bricks.reduce((best, k) => (best && slant(best) <= slant(k) ? best : k), null);
}

function fly(s, b) {
  const v = 460 * s.cfg.speed * Math.sqrt(heat(s));
  const n = hypot(b.vx, b.vy);
  b.x += (b.vx / n) * v * STEP;
  b.y += (b.vy / n) * v * STEP;
  s.trail.push([b.x, b.y]);
  if (s.trail.length > 9) s.trail.shift();
  if ((b.x < R && b.vx < 0) || (b.x > W - R && b.vx > 0)) b.vx = -b.vx;
  if (b.y < R + TOP - 34 && b.vy < 0) b.vy = -b.vy;
  if (b.vy > 0 && b.y > Y - 14 - R && b.y < Y + 12 && Math.abs(b.x - s.x) < half(s) + R) {
    // Where it meets the paddle decides where it goes, or the last bricks of a
    // level would take as long as all the others.
    b.vx = clamp((b.x - s.x) / half(s), -1, 1) * STEEP;
    b.vy = -1;
    const target = s.dry++ < DRY ? null : nearest(s, b);
    if (target) b.vx = clamp((target.x + BW / 2 - b.x) / (b.y - target.y), -STEEP, STEEP);
    note(s, 'bounce', b.x, Y - 14);
  }
  const hit = s.bricks.find((k) => b.x > k.x - R && b.x < k.x + BW + R && b.y > k.y - R && b.y < k.y + BH + R);
  if (hit) {
    s.dry = 0;
    const side = Math.min(Math.abs(b.x - hit.x), Math.abs(b.x - hit.x - BW)) < Math.min(Math.abs(b.y - hit.y),
      Math.abs(b.y - hit.y - BH));
    if (side) b.vx = Math.abs(b.vx || 0.2) * (b.x < hit.x + BW / 2 ? -1 : 1);
    else b.vy = Math.abs(b.vy) * (b.y < hit.y + BH / 2 ? -1 : 1);
    hit.tough--;
    if (hit.tough <= 0) {
      s.bricks = s.bricks.filter((k) => k !== hit);
      gain(s, 1, hit.x + BW / 2, hit.y + BH / 2);
      if (hit.treat) s.treats.push({ x: hit.x + BW / 2, y: hit.y });
    } else note(s, 'crack', hit.x + BW / 2, hit.y + BH / 2);
  }
  if (Math.abs(b.vy) < 0.25) b.vy = b.vy < 0 ? -0.25 : 0.25;
  if (b.y <= H + 20) return;
  s.safe = 0; // a lost ball always costs a life
  hurt(s, b.x, H - 30);
  s.trail = [];
  if (!s.over) serve(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(LEFT - 14, TOP - 34, COLS * BW + 28, 8, 'shade', { alpha: 0.5, radius: 4 });
  for (const k of s.bricks) {
    d.box(k.x + 2, k.y + 2, BW - 4, BH - 4, COLORS[k.row % COLORS.length], { radius: 7, stroke: 'ink', width: 3 });
    d.box(k.x + 9, k.y + 6, BW - 18, 5, 'text', { radius: 2, alpha: 0.45 });
    if (k.tough > 1) d.ring(k.x + BW / 2, k.y + BH / 2, 7, 4, 'ink');
    if (k.treat) d.sprite('pickup', k.x + BW / 2, k.y + BH / 2 + 1, 18);
  }
  for (const t of s.treats) d.sprite('pickup', t.x, t.y, 36, { rot: s.t * 2 });
  const h = half(s);
  d.box(s.x - h, Y - 12, h * 2, 22, 'block', { radius: 11, stroke: 'ink', width: 4 });
  d.box(s.x - h + 12, Y - 7, h * 2 - 24, 5, 'blockLight', { radius: 3 });
  d.sprite('hero', s.x, Y + 14, 56);
  s.trail.forEach((p, i) => d.disc(p[0], p[1], R * (0.3 + 0.06 * i), 'accent', { alpha: 0.05 * i }));
  d.disc(s.ball.x, s.ball.y, R, 'text', { stroke: 'ink', width: 4 });
}
