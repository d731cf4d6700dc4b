// Four in a row: two sides let discs fall into columns in turn. Four of a side in a
// line win the round; two and three with room for a fourth, and a block, score on the way.
import { STEP, tick, gain, note, clamp, choose, chance } from '../core/world.js';
import { grid, centre } from '../core/board.js';
import { match, yours, theirs, pass, settle, proceed, drawTally } from '../core/duel.js';

export const meta = { id: 'fourinrow', scroll: 'none', controls: 'board', hearts: false };

export const COLS = 7;
export const ROWS = 6;
export const board = grid(COLS, ROWS, 204, 26);
const FALL = 4200; // units a second, each second
const ORDER = [3, 2, 4, 1, 5, 0, 6];
const WAYS = [[1, 0], [0, 1], [1, 1], [1, -1]];
const COLORS = ['#e8352e', '#ffd426'];
const EDGES = ['#a51f1b', '#d79a06'];
const DEPTH = [0, 1, 2, 5]; // moves that the game's own side looks ahead, by level
const ERRS = [0, 0.4, 0.12, 0];
const LOST = 1000;
// How many fours each cell can be part of.
const WORTH = [
  3, 4, 5, 7, 5, 4, 3, 4, 6, 8, 10, 8, 6, 4, 5, 8, 11, 13, 11, 8, 5, 5, 8, 11, 13, 11, 8, 5, 4, 6, 8, 10, 8, 6, 4, 3, 4,
  5, 7, 5, 4, 3,
];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = match(seed, cfg);
  s.col = 3;
  clean(s);
  return s;
}

function clean(s) {
  s.cells = [];
  for (let i = 0; i < COLS * ROWS; i++) s.cells.push(-1);
  s.line = [];
  s.last = -1;
  s.since = 9; // seconds since the last disc was let go
}

// landing is the cell that a disc comes to in a column, -1 in a full one.
export function landing(cells, col) {
  for (let i = (ROWS - 1) * COLS + col; i >= 0; i -= COLS) if (cells[i] < 0) return i;
  return -1;
}

// lineOf returns the cells of a side in a line of four or more through a cell, [] for none.
export function lineOf(cells, cell, side) {
  for (const [dx, dy] of WAYS) {
    const line = [cell];
    for (const k of [-1, 1]) {
      let c = (cell % COLS) + k * dx;
      let r = Math.floor(cell / COLS) + k * dy;
      while (c >= 0 && c < COLS && r >= 0 && r < ROWS && cells[r * COLS + c] === side) {
        line.push(r * COLS + c);
        c += k * dx;
        r += k * dy;
      }
    }
    if (line.length >= 4) return line;
  }
  return [];
}

// search returns what the best move of a side comes to, between two bounds; value
// is that of the discs on the board, for the side.
function search(cells, side, depth, least, most, value) {
  let found = -Infinity;
  for (const col of ORDER) {
    const cell = landing(cells, col);
    if (cell < 0) continue;
    const worth = trial(cells, cell, side, depth, Math.max(least, found), most, value);
    if (worth > found) found = worth;
    if (found >= most) break;
  }
  return found === -Infinity ? 0 : found;
}

function trial(cells, cell, side, depth, least, most, value) {
  cells[cell] = side;
  let worth = value + WORTH[cell];
  if (lineOf(cells, cell, side).length) worth = LOST + depth;
  else if (depth > 1) worth = -search(cells, 1 - side, depth - 1, -most, -least, -worth);
  cells[cell] = -1;
  return worth;
}

// wise is the column that a side takes that looks so many moves ahead.
export function wise(from, side, depth) {
  const cells = from.slice();
  const value = cells.reduce((v, of, i) => v + (of < 0 ? 0 : of === side ? WORTH[i] : -WORTH[i]), 0);
  let best = -1;
  let most = -Infinity;
  for (const col of ORDER) {
    const cell = landing(cells, col);
    if (cell < 0) continue;
    const worth = trial(cells, cell, side, depth, most, Infinity, value);
    if (worth > most) {
      most = worth;
      best = col;
    }
  }
  return best;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.since += STEP;
  if (proceed(s)) clean(s);
  if (input.move === 'left' || input.move === 'right') {
    s.col = clamp(s.col + (input.move === 'left' ? -1 : 1), 0, COLS - 1);
  }
  const pointed = input.x !== null && input.y !== null && input.y > board.y - 90;
  if (pointed) s.col = clamp(Math.floor((input.x - board.x) / board.size), 0, COLS - 1);
  if (theirs(s)) drop(s, reply(s));
  else if (yours(s) && (input.fire || input.move === 'down' || ((input.tapped || input.alt) && pointed))) {
    drop(s, s.col);
  }
}

function reply(s) {
  const level = clamp(Math.round(s.cfg.params.level || 2), 1, 3);
  if (!chance(s, ERRS[level])) return wise(s.cells, 1, DEPTH[level]);
  return choose(s, ORDER.filter((col) => landing(s.cells, col) >= 0));
}

function drop(s, col) {
  const cell = landing(s.cells, col);
  if (cell < 0) return note(s, 'miss', centre(board, col).x, board.y);
  const at = centre(board, cell);
  const blocks = lineOf(s.cells, cell, 1 - s.side).length > 0;
  s.cells[cell] = s.side;
  s.last = cell;
  s.since = 0;
  note(s, 'drop', at.x, board.y - 30);
  s.line = lineOf(s.cells, cell, s.side);
  if (s.line.length) settle(s, s.side, at.x, at.y);
  else if (!s.cells.includes(-1)) settle(s, -1, at.x, at.y);
  else {
    s.streak = 0;
    const worth = Math.max(blocks ? 1 : 0, together(s.cells, cell, s.side) - 1);
    if (s.side === 0 && !s.both && worth > 0) gain(s, worth, at.x, at.y);
    pass(s, falling(cell) + 0.12);
  }
}

// together is how many of a side's discs, the one in a cell among them, are in four
// cells in a line that the other side has none of.
function together(cells, cell, side) {
  let most = 0;
  for (const [dx, dy] of WAYS) for (let back = 0; back < 4; back++) {
    let n = 0;
    for (let k = -back; k < 4 - back; k++) {
      const c = (cell % COLS) + k * dx;
      const r = Math.floor(cell / COLS) + k * dy;
      const of = c >= 0 && c < COLS && r >= 0 && r < ROWS ? cells[r * COLS + c] : 1 - side;
      n += of === side ? 1 : of < 0 ? 0 : -9;
    }
    most = Math.max(most, n);
  }
  return most;
}

function falling(cell) { return Math.sqrt((2 * (centre(board, cell).y - board.y + board.size)) / FALL); }

// height is how far above its place the last disc still is.
function height(s, cell) {
  const all = centre(board, cell).y - board.y + board.size;
  const left = all - (FALL / 2) * s.since * s.since;
  if (left > 0) return left;
  const u = (s.since - falling(cell)) / 0.18;
  return u < 1 ? all * 0.24 * u * (1 - u) : 0;
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const { x, y, size } = board;
  if (yours(s)) {
    const at = centre(board, s.col);
    d.box(at.x - size / 2, y - 74, size, size * ROWS + 70, 'text', { radius: 14, alpha: 0.16 });
    disc(d, s.side, at.x, y - 42 + Math.sin(s.t * 5) * 3, size * 0.41);
  }
  d.box(x - 12, y - 6, size * COLS + 24, size * ROWS + 30, 'shade', { radius: 18, alpha: 0.35 });
  d.box(x, y, size * COLS, size * ROWS, '#0c2f7d');
  s.cells.forEach((side, i) => {
    if (side < 0) return;
    const at = centre(board, i);
    disc(d, side, at.x, at.y - (i === s.last ? height(s, i) : 0), size * 0.43);
  });
  frame(d);
  s.cells.forEach((side, i) => {
    const at = centre(board, i);
    if (s.line.includes(i) && s.since > falling(s.last)) {
      d.ring(at.x, at.y, size * (0.4 + 0.03 * Math.sin(s.t * 10)), 6, '#ffffff');
    } else if (i === s.last && s.since > falling(i)) d.disc(at.x, at.y, 6, '#ffffff', { alpha: 0.85 });
  });
  drawTally(s, d, (k, px, py) => disc(d, k, px, py, 15));
}

// frame is the board with its holes: what is behind shows through them only.
function frame(d) {
  const { x, y, size } = board;
  const hole = size * 0.41;
  const far = size - hole - 0.2;
  for (let i = 0; i < COLS * ROWS; i++) {
    const at = centre(board, i);
    d.ring(at.x, at.y, (hole + far) / 2, far - hole, '#1f57d0');
  }
  for (let c = 0; c <= COLS; c++) {
    for (let r = 0; r <= ROWS; r++) d.disc(x + c * size, y + r * size, size * 0.2, '#1f57d0');
  }
  for (const [bx, by, w, h] of [
      [x - 14, y - 14, size * COLS + 28, 18], [x - 14, y + size * ROWS - 4, size * COLS + 28, 18],
      [x - 14, y - 14, 18, size * ROWS + 28], [x + size * COLS - 4, y - 14, 18, size * ROWS + 28],
    ]) {
    d.box(bx, by, w, h, '#1f57d0', { radius: 9 });
  }
  for (let i = 0; i < COLS * ROWS; i++) {
    const at = centre(board, i);
    d.ring(at.x, at.y, hole + 1, 2.5, '#163f9c');
  }
}

function disc(d, side, x, y, r) {
  d.disc(x, y, r, COLORS[side], { stroke: EDGES[side], width: 2 });
  d.ring(x, y, r * 0.66, r * 0.12, EDGES[side], { alpha: 0.7 });
}
