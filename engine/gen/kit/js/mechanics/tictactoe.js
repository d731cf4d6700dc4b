// Three in a row: two sides put their marks into nine cells in turn.
import { tick, note, clamp, choose, chance, PI } from '../core/world.js';
import { grid, centre, pick, firm, drawBoard, drawCursor } from '../core/board.js';
import { match, yours, theirs, pass, settle, proceed, drawTally } from '../core/duel.js';

export const meta = { id: 'tictactoe', scroll: 'none', controls: 'board', hearts: false };

export const board = grid(3, 3, 160, 40);
const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const COLORS = ['#e63946', '#2f6fed'];
const ERRS = [0, 0.55, 0.25, 0]; // how often it does not look ahead, by level

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = match(seed, cfg);
  clean(s);
  return s;
}

function clean(s) {
  s.cells = [-1, -1, -1, -1, -1, -1, -1, -1, -1];
  s.at = s.cells.map(() => 0); // when each was marked
  s.line = [];
  s.last = -1;
}

// rowOf returns the three of a side that won, [] for none.
export function rowOf(cells, side) {
  for (const line of LINES) {
    if (cells[line[0]] === side && cells[line[1]] === side && cells[line[2]] === side) return line;
  }
  return [];
}

function free(cells) { return cells.map((v, i) => (v < 0 ? i : -1)).filter((i) => i >= 0); }

const ORDER = [4, 0, 2, 6, 8, 1, 3, 5, 7];

// best returns the best cell for a side and what it comes to, between the least
// that it wants and the most that the other side lets it have: more for a win soon.
function best(cells, side, depth, least, most) {
  let found = { cell: -1, worth: least };
  let any = false;
  for (const cell of ORDER) {
    if (cells[cell] >= 0) continue;
    any = true;
    cells[cell] = side;
    const worth = rowOf(cells, side).length ? 10 - depth : -best(cells, 1 - side, depth + 1, -most, -found.worth).worth;
    cells[cell] = -1;
    if (worth > found.worth || found.cell < 0) found = { cell, worth: Math.max(worth, found.worth) };
    if (found.worth >= most) break;
  }
  return any ? found : { cell: -1, worth: 0 };
}

// wise is the cell that one takes who looks all the way ahead.
export function wise(cells, side) { return best(cells.slice(), side, 0, -99, 99).cell; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (proceed(s)) clean(s);
  const cell = pick(s, board, firm(input));
  if (theirs(s)) put(s, reply(s));
  else if (cell >= 0 && yours(s) && s.cells[cell] < 0) put(s, cell);
}

function reply(s) {
  const open = free(s.cells);
  const level = clamp(Math.round(s.cfg.params.level || 2), 1, 3);
  if (open.length === 9) return choose(s, [4, 0, 2, 6, 8]);
  return chance(s, ERRS[level]) ? choose(s, open) : wise(s.cells, 1);
}

function put(s, cell) {
  const at = centre(board, cell);
  s.cells[cell] = s.side;
  s.at[cell] = s.t;
  s.last = cell;
  note(s, 'mark', at.x, at.y);
  s.line = rowOf(s.cells, s.side);
  if (s.line.length) {
    const middle = centre(board, s.line[1]);
    settle(s, s.side, middle.x, middle.y);
  } else if (!free(s.cells).length) settle(s, -1, at.x, at.y);
  else pass(s, 0.2);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  drawBoard(d, board, '#fffaf0');
  const span = board.size * 3;
  for (let i = 1; i < 3; i++) {
    d.line(board.x + i * board.size, board.y + 16, board.x + i * board.size, board.y + span - 16, 8, '#b9b2a7');
    d.line(board.x + 16, board.y + i * board.size, board.x + span - 16, board.y + i * board.size, 8, '#b9b2a7');
  }
  if (s.last >= 0 && !s.line.length) {
    const at = centre(board, s.last);
    d.box(at.x - board.size / 2 + 8, at.y - board.size / 2 + 8, board.size - 16, board.size - 16,
      COLORS[s.cells[s.last]], { radius: 16, alpha: 0.12 });
  }
  drawCursor(d, s, board);
  s.cells.forEach((side, i) => {
    if (side < 0) return;
    const at = centre(board, i);
    const p = clamp((s.t - s.at[i]) / 0.22, 0, 1);
    const won = s.line.includes(i) ? 1 + 0.08 * Math.sin(s.t * 12) : 1;
    mark(d, side, at.x, at.y, board.size * 0.28 * won, p, s.line.length && !s.line.includes(i) ? 0.35 : 1);
  });
  if (s.line.length) strike(s, d);
  drawTally(s, d, (k, x, y) => mark(d, k, x, y, 11, 1, 1));
}

// mark draws a cross or a ring as far as it has been drawn, p from 0 to 1.
function mark(d, side, x, y, r, p, alpha) {
  const width = r * 0.34;
  const opt = { alpha };
  if (side === 0) {
    const a = clamp(p * 2, 0, 1);
    const b = clamp(p * 2 - 1, 0, 1);
    if (a > 0) d.line(x - r, y - r, x - r + 2 * r * a, y - r + 2 * r * a, width, COLORS[0], opt);
    if (b > 0) d.line(x + r, y - r, x + r - 2 * r * b, y - r + 2 * r * b, width, COLORS[0], opt);
    return;
  }
  if (p >= 1) return d.ring(x, y, r, width, COLORS[1], opt);
  const steps = Math.ceil(24 * p);
  for (let i = 0; i < steps; i++) {
    const a = (i / 24) * 2 * PI - PI / 2;
    const b = ((i + 1) / 24) * 2 * PI - PI / 2;
    d.line(x + Math.cos(a) * r, y + Math.sin(a) * r, x + Math.cos(b) * r, y + Math.sin(b) * r, width, COLORS[1], opt);
  }
}

function strike(s, d) {
  const from = centre(board, s.line[0]);
  const to = centre(board, s.line[2]);
  const p = clamp((s.t - s.at[s.last] - 0.25) / 0.3, 0, 1);
  if (p <= 0) return;
  const over = 0.22; // how far it goes beyond the middles
  const x = from.x + (from.x - to.x) * over * 0.5;
  const y = from.y + (from.y - to.y) * over * 0.5;
  d.line(x, y, x + (to.x - from.x) * (1 + over) * p, y + (to.y - from.y) * (1 + over) * p, 12, 'accent',
    { alpha: 0.9 });
}
