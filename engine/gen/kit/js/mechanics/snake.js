// Snake: the hero leads a chain over a board and grows with each thing that it
// eats. It must not run into itself or a wall.
import { STEP, base, tick, gain, hurt, note, heat, finish, choose, blink } from '../core/world.js';
import { grid, centre, drawBoard } from '../core/board.js';

export const meta = { id: 'snake', scroll: 'none', controls: 'swipe' };

const COLS = 13;
const ROWS = 15;
const ROCKS = 8; // things eaten until another rock lies in the way
export const DIRS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };
const BACK = { left: 'right', right: 'left', up: 'down', down: 'up' };
const board = grid(COLS, ROWS, 146, 24);

export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.eaten = 0;
  lay(s);
  return s;
}

// lay puts a short snake in the middle, at the start and after each hurt.
function lay(s) {
  const row = Math.floor(ROWS / 2);
  s.body = [3, 2, 1].map((c) => row * COLS + c);
  s.dir = 'right';
  s.turns = [];
  s.grow = 0;
  s.wait = 0;
  s.held = 0.5; // seconds before it starts
  s.rocks = [];
  for (let i = 0; i < Math.min(12, s.eaten / ROCKS - 1); i++) s.rocks.push(free(s, 4));
  s.food = free(s, 0);
}

// free returns an empty cell, at least so many rows away from the start.
function free(s, away) {
  const cells = [];
  for (let i = 0; i < COLS * ROWS; i++) {
    if (s.body.includes(i) || s.rocks.includes(i) || i === s.food) continue;
    if (Math.abs(Math.floor(i / COLS) - Math.floor(ROWS / 2)) >= away) cells.push(i);
  }
  return cells.length ? choose(s, cells) : -1;
}

// next returns the cell before a cell, -1 where the board ends.
export function next(s, cell, dir) {
  const wrap = s.cfg.params.walls === 0;
  let c = (cell % COLS) + DIRS[dir][0];
  let r = Math.floor(cell / COLS) + DIRS[dir][1];
  if (wrap) {
    c = (c + COLS) % COLS;
    r = (r + ROWS) % ROWS;
  }
  return c < 0 || r < 0 || c >= COLS || r >= ROWS ? -1 : r * COLS + c;
}

// deadly tells whether the head may not enter a cell. The tail's end moves away.
export function deadly(s, cell) {
  return cell < 0 || s.rocks.includes(cell) || s.body.slice(0, s.grow > 0 ? undefined : -1).includes(cell);
}

export function pace(s) { return 0.17 / (s.cfg.speed * Math.sqrt(heat(s))); }

export function step(s, input) {
  tick(s);
  const last = s.turns.length ? s.turns[s.turns.length - 1] : s.dir;
  if (input.move && input.move !== last && input.move !== BACK[last] && s.turns.length < 2) {
    s.turns.push(input.move);
    s.held = 0;
  }
  s.held -= STEP;
  if (s.held > 0) return;
  s.wait += STEP;
  if (s.wait < pace(s)) return;
  s.wait -= pace(s);
  s.dir = s.turns.shift() || s.dir;
  const cell = next(s, s.body[0], s.dir);
  const at = centre(board, cell < 0 ? s.body[0] : cell);
  if (deadly(s, cell)) {
    hurt(s, at.x, at.y);
    if (!s.over) lay(s);
    return;
  }
  s.body.unshift(cell);
  if (s.grow > 0) s.grow--;
  else s.body.pop();
  if (cell === s.food) eat(s, at);
}

function eat(s, at) {
  s.eaten++;
  s.grow += 2;
  gain(s, 1, at.x, at.y);
  s.food = free(s, 0);
  if (s.food < 0) finish(s, 'win');
  else note(s, 'eat', at.x, at.y);
}

export function draw(s, d) {
  drawBoard(d, board, 'ground');
  for (let i = 0; i < COLS * ROWS; i++) {
    if ((i % COLS + Math.floor(i / COLS)) % 2) continue;
    const at = centre(board, i);
    d.box(at.x - board.size / 2, at.y - board.size / 2, board.size, board.size, 'groundTop', { alpha: 0.35 });
  }
  for (const cell of s.rocks) {
    const at = centre(board, cell);
    d.sprite('hazard', at.x, at.y, board.size * 1.1);
  }
  if (s.food >= 0) {
    const at = centre(board, s.food);
    d.sprite('pickup', at.x, at.y, board.size * (1.1 + 0.08 * Math.sin(s.t * 6)));
  }
  if (!blink(s)) return;
  for (let i = s.body.length - 1; i > 0; i--) {
    const at = centre(board, s.body[i]);
    const on = centre(board, s.body[i - 1]);
    const r = board.size * (0.46 - 0.18 * (i / s.body.length));
    if (Math.abs(at.x - on.x) + Math.abs(at.y - on.y) < board.size * 1.5) {
      d.line(at.x, at.y, on.x, on.y, r * 1.7, 'hero');
    }
    d.disc(at.x, at.y, r, i % 2 ? 'hero' : 'hero2', { stroke: 'ink', width: 2 });
  }
  const at = centre(board, s.body[0]);
  if (s.cfg.cast && s.cfg.cast.hero.body === 'snake') head(s, d, at); // who would be a whole snake at the end of one
  else d.sprite('hero', at.x, at.y, board.size * 1.7, { sx: s.dir === 'left' ? -1 : 1 });
}

// head is a snake's own, with eyes and a tongue that look where it goes.
function head(s, d, { x, y }) {
  const [dx, dy] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[s.dir] || [1, 0];
  const u = board.size;
  const flick = u * (0.75 + 0.12 * Math.sin(s.t * 9));
  d.line(x, y, x + dx * flick, y + dy * flick, 4, 'hazard');
  d.disc(x, y, u * 0.56, 'hero', { stroke: 'ink', width: 3 });
  for (const side of [-1, 1]) {
    const ex = x + dx * u * 0.18 - dy * side * u * 0.27;
    const ey = y + dy * u * 0.18 + dx * side * u * 0.27;
    d.disc(ex, ey, u * 0.17, '#ffffff', { stroke: 'ink', width: 1.5 });
    d.disc(ex + dx * u * 0.07, ey + dy * u * 0.07, u * 0.09, '#1a1a2e');
  }
}
