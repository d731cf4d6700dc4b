// Bricks: a ball, a paddle, and a wall of bricks above, in portrait. Some bricks
// let a capsule fall: a wider paddle, three balls, a slow ball, one that goes
// through everything, or another life.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, choose, clamp, lerp, hypot,
} from '../core/world.js';

export const meta = { id: 'bricks', scroll: 'none', controls: 'pointer' };

export const Y = 640; // the paddle
export const R = 9;
const COLS = 8;
const BW = 57;
const BH = 26;
const LEFT = (W - COLS * BW) / 2;
const TOP = 156;
const CEILING = 92;
const SIZES = [0, 0.7, 1, 1.35]; // of the paddle, by params.paddle
const STEEP = 1.1; // sideways to upwards, at most
const DRY = 3; // bounces without a brick, after which the paddle sends the ball to one
const COLORS = ['#ff4d6d', '#ff9f1c', '#ffd23f', '#4cc247', '#2fa8ee', '#a55ee8'];
const GIFTS = { wide: '#4cc247', three: '#2fa8ee', slow: '#ffd23f', fire: '#ff5d2e', life: '#ff4d6d' };

// What the walls look like, one after the other.
const WALLS = [
  ['########', '########', '########', '########', '########'],
  ['...##...', '..####..', '.######.', '########', '.######.', '..####..'],
  ['##.##.##', '##.##.##', '########', '##.##.##', '##.##.##', '########'],
  ['#.#.#.#.', '.#.#.#.#', '#.#.#.#.', '.#.#.#.#', '#.#.#.#.', '.#.#.#.#'],
  ['########', '#......#', '#.####.#', '#.####.#', '#......#', '########'],
  ['..#..#..', '...##...', '.######.', '##.##.##', '########', '.#....#.'],
];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.x = W / 2;
  s.wide = 0; // seconds that each gift still lasts
  s.slow = 0;
  s.fire = 0;
  s.wall = 0;
  build(s);
  return s;
}

function build(s) {
  const { rows: told, capsules } = s.cfg.params;
  const rows = told ? Array.from({ length: told }, () => '########') : WALLS[s.wall % WALLS.length];
  s.bricks = [];
  s.gifts = [];
  rows.forEach((row, r) => {
    for (let c = 0; c < COLS; c++) {
      if (row[c] !== '#') continue;
      const hard = s.wall > 0 && r === 0 && s.cfg.density > 0.6 ? 2 : 1;
      s.bricks.push({ x: LEFT + c * BW, y: TOP + r * BH, r, tough: hard, hit: 0 });
    }
  });
  const full = s.bricks.map((_, i) => i); // every eighth brick or so holds a gift
  for (let n = capsules === 0 ? 0 : Math.ceil(s.bricks.length / 8); n > 0; n--) {
    s.bricks[full.splice(Math.floor(between(s, 0, full.length)), 1)[0]].gift = choose(s,
      ['wide', 'three', 'slow', 'fire', 'three', s.lives < s.cfg.lives ? 'life' : 'wide']);
  }
  s.wall++;
  serve(s);
}

function serve(s) {
  s.dry = 0;
  s.balls = Array.from({ length: s.cfg.params.balls || 1 }, (_, i) =>
    ({ x: s.x, y: Y - 22, vx: clamp(between(s, -0.4, 0.4) + i * 0.5, -STEEP, STEEP), vy: -1, wait: 1 + i * 0.4 }));
}

export function half(s) { return (s.wide > 0 ? 66 : 44) * (0.5 + 0.5 * s.cfg.size) * SIZES[s.cfg.params.paddle || 2]; }
export function pace(s) {
  return 400 * s.cfg.speed * Math.sqrt(heat(s)) * (1 + 0.05 * Math.min(6, s.wall - 1)) * (s.slow > 0 ? 0.65 : 1);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const v = 520 * Math.max(0.8, s.cfg.speed) * STEP;
  if (input.left !== input.right) s.x += input.right ? v : -v;
  else if (input.x !== null) s.x = lerp(s.x, input.x, 0.4);
  s.x = clamp(s.x, half(s), W - half(s));
  for (const name of ['wide', 'slow', 'fire']) s[name] = Math.max(0, s[name] - STEP);
  for (const b of s.balls) {
    if (b.wait > 0) {
      b.wait = input.tapped ? 0 : b.wait - STEP;
      b.x = s.x;
    } else fly(s, b);
    if (s.over) return;
  }
  s.balls = s.balls.filter((b) => b.y < H + 20);
  for (const k of s.bricks) k.hit = Math.max(0, k.hit - 5 * STEP);
  take(s);
  if (s.balls.length === 0) {
    s.safe = 0; // the last ball always costs a life
    hurt(s, s.x, H - 30);
    if (!s.over) serve(s);
  }
  if (s.bricks.length > 0 || s.over) return;
  gain(s, 5, W / 2, 240, 'perfect');
  if (s.cfg.levels > 1 && !s.cfg.duration) clear(s);
  if (!s.over) build(s);
}

function take(s) {
  for (const g of s.gifts) {
    g.y += 150 * STEP;
    if (Math.abs(g.y - Y) > 18 || Math.abs(g.x - s.x) > half(s) + 16) continue;
    g.y = H + 99;
    gain(s, 2, g.x, Y - 24, 'perfect');
    if (g.kind === 'life') s.lives = Math.min(s.cfg.lives, s.lives + 1);
    else if (g.kind === 'three') {
      const b = s.balls[0];
      if (s.balls.length < 4) {
        for (const k of [-0.6, 0.6]) {
          s.balls.push({ x: b.x, y: b.y, vx: clamp(b.vx + k, -STEEP, STEEP), vy: b.vy < 0 ? -1 : 1, wait: b.wait });
        }
      }
    } else s[g.kind] = g.kind === 'fire' ? 5 : 10;
  }
  s.gifts = s.gifts.filter((g) => g.y < H + 20);
}

function fly(s, b) {
  const v = pace(s);
  const n = hypot(b.vx, b.vy);
  b.x += (b.vx / n) * v * STEP;
  b.y += (b.vy / n) * v * STEP;
  if ((b.x < R && b.vx < 0) || (b.x > W - R && b.vx > 0)) b.vx = -b.vx;
  if (b.y < R + CEILING && b.vy < 0) b.vy = -b.vy;
  if (b.vy > 0 && b.y > Y - 11 - R && b.y < Y + 12 && Math.abs(b.x - s.x) < half(s) + R) bounce(s, b);
  const hit = s.bricks.find((k) => b.x > k.x - R && b.x < k.x + BW + R && b.y > k.y - R && b.y < k.y + BH + R);
  if (hit) smash(s, b, hit);
  if (Math.abs(b.vy) < 0.25) b.vy = b.vy < 0 ? -0.25 : 0.25;
}

// bounce: where the ball meets the paddle decides where it goes.
function bounce(s, b) {
  b.vx = clamp((b.x - s.x) / half(s), -1, 1) * STEEP;
  b.vy = -1;
  note(s, 'bounce', b.x, Y - 14);
  if (s.dry++ < DRY || s.bricks.length === 0) return;
  const slant = (k) => Math.abs(k.x + BW / 2 - b.x) / (b.y - k.y);
  const goal = s.bricks.reduce((best, k) => (slant(best) <= slant(k) ? best : k));
  b.vx = clamp((goal.x + BW / 2 - b.x) / (b.y - goal.y), -STEEP, STEEP);
}

function smash(s, b, k) {
  s.dry = 0;
  const through = s.fire > 0;
  const side = Math.min(Math.abs(b.x - k.x), Math.abs(b.x - k.x - BW))
    < Math.min(Math.abs(b.y - k.y), Math.abs(b.y - k.y - BH));
  if (!through && side) b.vx = Math.abs(b.vx || 0.2) * (b.x < k.x + BW / 2 ? -1 : 1);
  else if (!through) b.vy = Math.abs(b.vy) * (b.y < k.y + BH / 2 ? -1 : 1);
  k.tough -= through ? 2 : 1;
  k.hit = 1;
  if (k.tough > 0) {
    note(s, 'crack', k.x + BW / 2, k.y + BH / 2);
    return;
  }
  s.bricks = s.bricks.filter((o) => o !== k);
  gain(s, 1, k.x + BW / 2, k.y + BH / 2);
  if (k.gift) s.gifts.push({ x: k.x + BW / 2, y: k.y, kind: k.gift });
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(0, CEILING - 8, W, 8, 'shade', { alpha: 0.5 });
  for (const k of s.bricks) {
    const color = k.tough > 1 ? '#aab4c8' : COLORS[k.r % COLORS.length];
    d.box(k.x + 2, k.y + 2, BW - 4, BH - 4, k.hit > 0 ? '#ffffff' : color, { radius: 5, stroke: 'ink', width: 2 });
    d.box(k.x + 7, k.y + 5, BW - 14, 5, '#ffffff', { radius: 2, alpha: 0.45 });
  }
  for (const g of s.gifts) {
    d.box(g.x - 24, g.y - 13, 48, 26, GIFTS[g.kind], { radius: 13, stroke: 'ink', width: 3 });
    sign(s, d, g);
  }
  const h = half(s);
  d.box(s.x - h, Y - 10, h * 2, 20, 'block', { radius: 10, stroke: 'ink', width: 4 });
  d.box(s.x - h + 10, Y - 6, h * 2 - 20, 5, 'blockLight', { radius: 3 });
  for (const k of [-1, 1]) {
    d.disc(s.x + k * (h - 9), Y, 7, s.fire > 0 ? GIFTS.fire : 'accent', { stroke: 'ink', width: 2 });
  }
  d.sprite('hero', s.x, Y + 32, 50);
  for (const b of s.balls) {
    const n = hypot(b.vx, b.vy);
    if (!(b.wait > 0)) {
      for (let i = 1; i < 6; i++) {
        d.disc(b.x - (b.vx / n) * i * 7, b.y - (b.vy / n) * i * 7, R * (1 - i * 0.14),
          s.fire > 0 ? GIFTS.fire : 'accent', { alpha: 0.4 - i * 0.06 });
      }
    }
    d.disc(b.x, b.y, R, s.fire > 0 ? '#ffe066' : '#ffffff', { stroke: 'ink', width: 3 });
  }
}

// sign shows what a capsule holds.
function sign(s, d, g) {
  if (g.kind === 'life') d.sprite('heart', g.x, g.y, 22);
  else if (g.kind === 'wide') {
    for (const k of [-1, 1]) {
      d.poly([[g.x + k * 17, g.y], [g.x + k * 6, g.y - 8], [g.x + k * 6, g.y + 8]], '#ffffff',
        { stroke: 'ink', width: 1.5 });
    }
  } else if (g.kind === 'three') {
    for (const k of [-1, 0, 1]) d.disc(g.x + k * 12, g.y, 5, '#ffffff', { stroke: 'ink', width: 1.5 });
  } else if (g.kind === 'slow') {
    for (const k of [-1, 1]) {
      d.box(g.x + k * 6 - 3, g.y - 8, 6, 16, '#ffffff', { radius: 2, stroke: 'ink', width: 1.5 });
    }
  } else d.poly([[g.x - 8, g.y + 8], [g.x, g.y - 10], [g.x + 8, g.y + 8]], '#ffe066', { stroke: 'ink', width: 1.5 });
}
