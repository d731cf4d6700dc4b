// Maze: collect all there is in a maze while others look for the hero. Each
// level has a new maze and one more of them.
import {
  W, H, STEP, base, tick, gain, hurt, clear, heat, random, choose, chance, clamp, near, blink,
} from '../core/world.js';

export const meta = { id: 'maze', scroll: 'none', controls: 'stick' };

const TALL = H > W;
const COLS = TALL ? 9 : 19;
const ROWS = TALL ? 13 : 9;
const CELL = TALL ? 51 : 48;
const LEFT = (W - COLS * CELL) / 2;
const TOP = TALL ? 156 : 100;
export const WAYS = { left: [-1, 0], right: [1, 0], up: [0, -1], duck: [0, 1] };

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  build(s);
  return s;
}

// build digs a maze, opens more of its walls, and puts everyone in place.
function build(s) {
  const wall = Array.from({ length: ROWS }, () => '#'.repeat(COLS).split(''));
  const dig = (x, y) => {
    wall[y][x] = ' ';
    for (const w of shuffled(s, Object.values(WAYS))) {
      const nx = x + w[0] * 2;
      const ny = y + w[1] * 2;
      if (nx < 1 || ny < 1 || nx >= COLS - 1 || ny >= ROWS - 1 || wall[ny][nx] === ' ') continue;
      wall[y + w[1]][x + w[0]] = ' ';
      dig(nx, ny);
    }
  };
  dig(1, 1);
  for (let y = 1; y < ROWS - 1; y++) {
    for (let x = 1; x < COLS - 1; x++) if (wall[y][x] === '#' && (x + y) % 2 && chance(s, 0.34)) wall[y][x] = ' ';
  }
  s.rows = wall.map((r) => r.join(''));
  s.hero = { x: 1, y: 1, px: 1, py: 1, k: 1, dir: 'right' };
  const free = [];
  for (let y = 1; y < ROWS - 1; y += 2) for (let x = 1; x < COLS - 1; x += 2) if (x + y > 4) free.push({ x, y });
  s.treats = shuffled(s, free).slice(0, 9 + 2 * s.level);
  const foes = Math.round((1 + s.level * 0.8) * Math.sqrt(s.cfg.density));
  s.foes = Array.from({ length: clamp(foes, 1, 6) }, (_, i) => {
    const x = COLS - 2 - (i % 3) * (TALL ? 2 : 4);
    const y = i % 2 ? (TALL ? 7 : 1) : ROWS - 2;
    return { x, y, px: x, py: y, k: 1, dir: 'left' };
  });
}

function shuffled(s, list) {
  const out = list.slice();
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random(s) * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

function open(s, x, y) { return x >= 0 && y >= 0 && x < COLS && y < ROWS && s.rows[y][x] === ' '; }
function place(m) {
  return [LEFT + (m.px + (m.x - m.px) * m.k + 0.5) * CELL, TOP + (m.py + (m.y - m.py) * m.k + 0.5) * CELL];
}
export function ways(s, m) { return Object.keys(WAYS).filter((w) => open(s, m.x + WAYS[w][0], m.y + WAYS[w][1])); }

// walk moves one along; at a cell, turn says where to go next.
function walk(s, m, speed, turn) {
  m.k += speed * STEP;
  if (m.k < 1) return;
  m.px = m.x;
  m.py = m.y;
  const dir = turn();
  if (!dir || !open(s, m.x + WAYS[dir][0], m.y + WAYS[dir][1])) {
    m.k = 1;
    return;
  }
  m.dir = dir;
  m.k -= 1;
  m.x += WAYS[dir][0];
  m.y += WAYS[dir][1];
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const wish = Object.keys(WAYS).find((w) => input[w] && open(s, s.hero.x + WAYS[w][0], s.hero.y + WAYS[w][1]));
  const moving = Object.keys(WAYS).some((w) => input[w]);
  walk(s, s.hero, 4.6 * s.cfg.speed, () => wish || (moving ? s.hero.dir : ''));
  for (const f of s.foes) walk(s, f, 2.7 * s.cfg.speed * Math.sqrt(heat(s)), () => hunt(s, f));
  const [x, y] = place(s.hero);
  for (const t of s.treats) {
    if (!near(LEFT + (t.x + 0.5) * CELL, TOP + (t.y + 0.5) * CELL, x, y, 28)) continue;
    t.gone = true;
    gain(s, 1, x, y);
  }
  s.treats = s.treats.filter((t) => !t.gone);
  for (const f of s.foes) {
    const [fx, fy] = place(f);
    if (near(fx, fy, x, y, 30) && hurt(s, x, y) && !s.over) Object.assign(s.hero, { x: 1, y: 1, px: 1, py: 1, k: 1 });
  }
  if (s.treats.length > 0 || s.over) return;
  gain(s, 3, x, y, 'perfect');
  clear(s);
  if (!s.over) build(s);
}

// hunt goes on through corridors, and at crossings mostly towards the hero.
function hunt(s, f) {
  const back = { left: 'right', right: 'left', up: 'duck', duck: 'up' }[f.dir];
  const can = ways(s, f).filter((w) => w !== back);
  if (can.length === 0) return back;
  if (can.length === 1 || chance(s, [0.4, 0.04, 1][s.cfg.params.foes || 0])) return choose(s, can);
  const far = (w) => Math.abs(f.x + WAYS[w][0] - s.hero.x) + Math.abs(f.y + WAYS[w][1] - s.hero.y);
  return can.reduce((best, w) => (far(w) < far(best) ? w : best));
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(LEFT - 10, TOP - 10, COLS * CELL + 20, ROWS * CELL + 20, 'shade', { radius: 18, alpha: 0.78 });
  for (let y = 0; y < ROWS; y++) for (let x = 0; x < COLS; x++) {
    if (s.rows[y][x] !== '#') continue;
    let n = 1;
    while (x + n < COLS && s.rows[y][x + n] === '#') n++;
    d.box(LEFT + x * CELL + 2, TOP + y * CELL + 2, n * CELL - 4, CELL - 4, 'block', { radius: 10 });
    d.box(LEFT + x * CELL + 8, TOP + y * CELL + 7, n * CELL - 16, 6, 'blockLight', { radius: 3, alpha: 0.6 });
    x += n - 1;
  }
  for (const t of s.treats) {
    d.sprite('pickup', LEFT + (t.x + 0.5) * CELL, TOP + (t.y + 0.5) * CELL + Math.sin(s.t * 4 + t.x) * 3, 32);
  }
  for (const f of s.foes) {
    const [x, y] = place(f);
    d.sprite('hazard', x, y, 48, { rot: Math.sin(s.t * 6 + f.px) * 0.12 });
  }
  const [x, y] = place(s.hero);
  d.sprite('glow', x, y, 120, { tint: 'accent', alpha: 0.35 });
  if (blink(s)) {
    d.sprite('hero', x, y - Math.abs(Math.sin(s.t * 10)) * 3, 50 * s.cfg.size, { sx: s.hero.dir === 'left' ? -1 : 1 });
  }
}
