// Chase: the hero eats all dots of a maze. Four pursuers hunt it, each in its own
// way; a power dot turns the tables for a while. A tunnel joins the sides.
import { W, H, STEP, base, tick, gain, hurt, note, clear, heat, choose, clamp, near, blink } from '../core/world.js';
import { COLS, ROWS, MAZE, BACK, DOTS, NEXT, on, open } from '../core/arena.js';

export { NEXT };

export const meta = { id: 'chase', scroll: 'none', controls: 'swipe' };

const CELL = 27;
const LEFT = (W - COLS * CELL) / 2;
const TOP = 150;
const START = 14 * COLS + 7;
const DOOR = 6 * COLS + 7; // in front of it
const HOUSE = 8 * COLS + 7;
const FRUIT = 10 * COLS + 7;
const HOMES = [COLS + 13, COLS + 1, 18 * COLS + 13, 18 * COLS + 1];
const COLORS = ['#ff4040', '#ff8fd0', '#35d6f0', '#ffae42'];
const FRIGHT = 6.5; // seconds that a power dot lasts

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.wave = 0;
  fill(s);
  return s;
}

function fill(s) {
  sow(s);
  s.wave++;
  line(s);
}
// sow lays all dots; a boss comes to a maze that is full of them.
function sow(s) { Object.assign(s, { dots: MAZE.replace(/[^.o]/g, ' '), left: DOTS, sown: Boolean(s.boss) }); }

// line puts everyone in their places.
function line(s) {
  s.hero = { cell: START, k: 1, from: START, dir: '', want: '', face: 1 };
  const told = s.cfg.params.ghosts || 4;
  const n = told < 4 ? told : clamp(Math.round(told * Math.sqrt(s.cfg.density)), 2, 4); // what was asked for holds
  s.foes = [DOOR, HOUSE - 1, HOUSE, HOUSE + 1].slice(0, n).map((cell, i) =>
    ({ i, cell, from: cell, k: 1, dir: 'left', out: i * 2.5, mode: i ? 'home' : 'hunt', blue: false }));
  Object.assign(s, { fright: 0, row: 0, fruit: 0, clock: 0 }); // row: pursuers eaten in a row
  s.wait = 1; // seconds until all start
}

function middle(cell) {
  return { x: LEFT + ((cell % COLS) + 0.5) * CELL, y: TOP + (Math.floor(cell / COLS) + 0.5) * CELL };
}
export function place(m) {
  const { x, y } = middle(m.cell);
  const from = middle(m.from);
  const side = Math.abs(x - from.x) < CELL * 2 ? 0 : x > from.x ? 1 : -1; // through the tunnel
  if (side) return { x: m.k < 0.5 ? from.x - side * m.k * CELL : x + side * (1 - m.k) * CELL, y };
  return { x: from.x + (x - from.x) * m.k, y: from.y + (y - from.y) * m.k };
}

export function pace(s) { return 6.2 * s.cfg.speed; } // cells a second

// go moves one along; in each cell, turn says where next.
function go(m, speed, turn) {
  m.k += speed * STEP;
  while (m.k >= 1) {
    const dir = turn(m);
    m.from = m.cell;
    if (!dir) {
      m.k = 1;
      return;
    }
    m.dir = dir;
    m.cell = on(m.cell, dir);
    m.k -= 1;
  }
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  if (s.boss && !s.sown) sow(s);
  const h = s.hero;
  if (input.move) {
    h.want = input.move;
    if (h.k < 1 && h.dir && input.move === BACK[h.dir]) { // about at once
      [h.cell, h.from] = [h.from, h.cell];
      h.k = 1 - h.k;
      h.dir = input.move;
    }
  }
  s.wait -= STEP;
  if (s.wait > 0) return;
  s.clock += STEP;
  s.fright = Math.max(0, s.fright - STEP);
  s.fruit = Math.max(0, s.fruit - STEP);
  go(h, pace(s), (m) => {
    eat(s, m);
    if (m.want && open(on(m.cell, m.want))) return m.want;
    return m.dir && open(on(m.cell, m.dir)) ? m.dir : '';
  });
  if (h.dir === 'left' || h.dir === 'right') h.face = h.dir === 'left' ? -1 : 1;
  for (const f of s.foes) prowl(s, f);
  for (const f of s.foes) touch(s, f);
  if (s.left > 0 || s.over) return;
  gain(s, 10, W / 2, 330, 'perfect');
  if (s.cfg.levels > 1 && !s.cfg.duration) clear(s);
  if (!s.over) fill(s);
}

function eat(s, m) {
  const { x, y } = middle(m.cell);
  const dot = s.dots[m.cell];
  if (dot !== ' ') {
    s.dots = s.dots.slice(0, m.cell) + ' ' + s.dots.slice(m.cell + 1);
    s.left--;
    if (dot === 'o') {
      gain(s, 3, x, y);
      s.fright = FRIGHT / Math.sqrt(heat(s));
      s.row = 0;
      for (const f of s.foes) {
        f.blue = f.mode !== 'eyes';
        if (f.mode === 'hunt' && f.k < 1) [f.cell, f.from, f.k, f.dir] = [f.from, f.cell, 1 - f.k, BACK[f.dir]];
      }
    } else gain(s, 1, x, H + 300); // no word for each dot
    note(s, 'dot', x, y);
    if (s.left === Math.floor(DOTS * 0.7) || s.left === Math.floor(DOTS * 0.3)) s.fruit = 9;
  }
  if (s.fruit > 0 && m.cell === FRUIT) {
    s.fruit = 0;
    gain(s, 10, x, y, 'perfect');
  }
}

// prowl moves a pursuer: at home, on its hunt, or back as a pair of eyes.
function prowl(s, f) {
  if (f.mode === 'home') {
    f.out -= STEP;
    if (f.out > 0) return;
    Object.assign(f, { mode: 'hunt', cell: DOOR, from: DOOR, k: 1, dir: f.i % 2 ? 'left' : 'right' });
  }
  const blue = s.fright > 0 && f.blue;
  const hunting = pace(s) * Math.min(0.97, 0.76 + 0.07 * (heat(s) - 1) + 0.03 * Math.min(5, s.wave - 1));
  const tunnel = Math.floor(f.cell / COLS) === 8 && (f.cell % COLS < 3 || f.cell % COLS > 11);
  go(f, f.mode === 'eyes' ? pace(s) * 2 : blue ? hunting * 0.55 : tunnel ? hunting * 0.7 : hunting, (m) => {
    if (m.mode === 'eyes' && m.cell === DOOR) {
      Object.assign(m, { mode: 'home', out: 1.2, blue: false, cell: HOUSE });
      return '';
    }
    const can = NEXT[m.cell].filter((n) => n.dir !== BACK[m.dir]);
    if (can.length < 2) return can.length ? can[0].dir : BACK[m.dir];
    if (blue || (m.mode !== 'eyes' && s.cfg.params.foes === 2)) return choose(s, can).dir;
    const goal = target(s, m);
    return can.reduce((best, n) => (far(n.to, goal) < far(best.to, goal) ? n : best)).dir;
  });
}

function far(a, b) { return ((a % COLS) - (b % COLS)) ** 2 + (Math.floor(a / COLS) - Math.floor(b / COLS)) ** 2; }

// target is the cell that a pursuer makes for: from time to time its own corner;
// else the first follows the hero, the second cuts it off, the third takes it in
// pincers with the first, and the fourth is bold from afar only.
function target(s, f) {
  if (f.mode === 'eyes') return DOOR;
  if (s.cfg.params.foes === 1) return s.hero.cell;
  if (s.clock % 20 < 5 && s.clock < 65) return HOMES[f.i];
  const h = s.hero;
  let ahead = h.cell;
  for (let i = 0; i < (f.i === 1 ? 4 : 2) && h.dir; i++) if (open(on(ahead, h.dir))) ahead = on(ahead, h.dir);
  if (f.i === 1) return ahead;
  if (f.i === 2) return clamp(2 * ahead - s.foes[0].cell, 0, COLS * ROWS - 1);
  return f.i === 3 && far(f.cell, h.cell) < 30 ? HOMES[3] : h.cell;
}

function touch(s, f) {
  const a = place(f);
  const b = place(s.hero);
  if (f.mode !== 'hunt' || s.over || !near(a.x, a.y, b.x, b.y, CELL * 0.72)) return;
  if (s.fright > 0 && f.blue) {
    f.mode = 'eyes';
    f.blue = false;
    s.row++;
    gain(s, 5 * s.row, a.x, a.y, s.row > 1 ? 'perfect' : 'gain');
  } else if (hurt(s, b.x, b.y) && !s.over) line(s);
}

// WALLS are boxes that together are the walls: rows, columns and what lies
// between four, in cells.
const wall = (c, r) => MAZE[r * COLS + c] === '#';
const WALLS = [];
for (let r = 0; r < ROWS; r++) for (let c = 0; c < COLS; c++) {
  if (!wall(c, r)) continue;
  let n = 1;
  while (c + n < COLS && wall(c + n, r)) n++;
  if (c === 0 || !wall(c - 1, r)) WALLS.push([c, r, n, 1]);
  n = 1;
  while (r + n < ROWS && wall(c, r + n)) n++;
  if (n > 1 && (r === 0 || !wall(c, r - 1))) WALLS.push([c, r, 1, n]);
  if (c + 1 < COLS && r + 1 < ROWS && wall(c + 1, r) && wall(c, r + 1) && wall(c + 1, r + 1)) {
    WALLS.push([c + 0.3, r + 0.3, 1.4, 1.4]);
  }
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(LEFT - 8, TOP - 8, COLS * CELL + 16, ROWS * CELL + 16, '#08081c', { radius: 16, alpha: 0.94 });
  for (const [c, r, w, h] of WALLS) {
    d.box(LEFT + c * CELL + 5, TOP + r * CELL + 5, w * CELL - 10, h * CELL - 10, '#3d5cff', { radius: 8 });
  }
  for (const [c, r, w, h] of WALLS) {
    d.box(LEFT + c * CELL + 8, TOP + r * CELL + 8, w * CELL - 16, h * CELL - 16, '#10133c', { radius: 6 });
  }
  d.box(LEFT + 7 * CELL + 1, TOP + 7 * CELL + 11, CELL - 2, 5, '#ffb8de');
  for (let i = 0; i < s.dots.length; i++) {
    if (s.dots[i] === ' ') continue;
    const { x, y } = middle(i);
    if (s.dots[i] === '.') d.disc(x, y, 3, '#ffe3b0');
    else d.disc(x, y, 8 + Math.sin(s.t * 8) * 1.5, '#ffe3b0');
  }
  if (s.fruit > 0) {
    const { x, y } = middle(FRUIT);
    d.sprite('pickup', x, y, CELL * (1.2 + 0.1 * Math.sin(s.t * 6)));
  }
  for (const f of s.foes) drawFoe(s, d, f);
  const h = s.hero;
  const at = place(h);
  if (blink(s)) {
    d.sprite('hero', at.x, at.y, CELL * 1.3 * (0.6 + 0.4 * s.cfg.size), {
      sx: h.face, sy: 1 - 0.08 * Math.abs(Math.sin(s.t * 14)),
      rot: h.dir === 'up' ? -0.25 * h.face : h.dir === 'down' ? 0.25 * h.face : 0,
    });
  }
}

function drawFoe(s, d, f) {
  const { x, y } = place(f);
  const bob = Math.sin(s.t * 9 + f.i) * 1.5;
  const blue = s.fright > 0 && f.blue;
  if (f.mode !== 'eyes') {
    const color = blue ? (s.fright < 2 && Math.floor(s.t * 6) % 2 ? '#ffffff' : '#3b5bff') : COLORS[f.i];
    d.sprite('glow', x, y, CELL * 2.2, { tint: color, alpha: 0.5 });
    d.sprite('hazard', x, y + bob, CELL * 1.3, { tint: color });
    d.sprite('hazard', x, y + bob, CELL * 1.3, { alpha: blue ? 0.15 : 0.3 });
    if (!blue) return;
  }
  for (const k of [-1, 1]) {
    d.disc(x + k * 5, y - 3 + bob, 4.5, '#ffffff', { stroke: 'ink', width: 1 });
    d.disc(x + k * 5 + (f.dir === 'left' ? -1.5 : f.dir === 'right' ? 1.5 : 0),
      y - 3 + bob + (f.dir === 'up' ? -1.5 : f.dir === 'down' ? 1.5 : 0), 2, '#1a1a3a');
  }
}
