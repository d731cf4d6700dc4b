// Sudoku: each row, column and box takes each number once. All of it follows from
// what is given, a step at a time; a wrong number costs a life.
import { W, STEP, base, tick, gain, hurt, note, clear, random, clamp } from '../core/world.js';
import { grid, centre, pick, firm, drawBoard } from '../core/board.js';
import { keys, typed } from '../core/keys.js';

export const meta = { id: 'sudoku', scroll: 'none', controls: 'board' };

const GIVEN = [0, 0.6, 0.47, 0.34]; // share of the cells that a level shows
const DIGITS = '123456789';

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration); // with a clock there is another one
  const size = s.cfg.params.size || 9;
  s.n = size < 5 ? 4 : size < 8 ? 6 : 9;
  s.high = s.n === 4 ? 2 : Math.floor(s.n / 3); // rows of a box
  s.wide = s.n / s.high;
  s.pad = keys([DIGITS.slice(0, s.n)], 60);
  lay(s);
  return s;
}

export function board(s) { return grid(s.n, s.n, 152, 104); }

function shuffled(s, list) {
  const out = list.slice();
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random(s) * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

// order deals bands of lines, and the lines in each.
function order(s, bands, each) {
  const out = [];
  for (const b of shuffled(s, [...Array(bands).keys()])) {
    for (const i of shuffled(s, [...Array(each).keys()])) out.push(b * each + i);
  }
  return out;
}

function lay(s) {
  const { n, high, wide } = s;
  const rows = order(s, n / high, high);
  const cols = order(s, n / wide, wide);
  const digits = shuffled(s, [...DIGITS.slice(0, n)]);
  let full = '';
  for (const r of rows) for (const c of cols) full += digits[((r % high) * wide + Math.floor(r / high) + c) % n];
  s.full = full;
  s.cells = dig(s, full);
  s.given = s.cells.map((v) => (v ? '1' : '0')).join('');
  s.at = s.cells.map(() => -9); // when each was filled
  s.sel = -1;
  s.wrong = { cell: -1, digit: 0, at: -9 };
  s.swept = { cells: '', at: -9 };
  s.done = 0;
}

// dig empties cells as long as each follows from those that stay.
function dig(s, full) {
  const level = clamp(Math.round(s.cfg.params.level || 1) + s.level - 1, 1, 3);
  const wanted = s.cfg.params.givens || Math.round(s.n * s.n * GIVEN[level]);
  const cells = [...full].map(Number);
  let left = cells.length;
  for (const i of shuffled(s, [...cells.keys()])) {
    if (left <= wanted) break;
    const v = cells[i];
    cells[i] = 0;
    if (follows(s, cells, i, v)) left--;
    else cells[i] = v;
  }
  return cells;
}

function boxOf(s, i) { return Math.floor(Math.floor(i / s.n) / s.high) * s.high + Math.floor((i % s.n) / s.wide); }

// units are the cells of the row, the column and the box of a cell.
export function units(s, i) {
  const row = [];
  const col = [];
  const box = [];
  for (let k = 0; k < s.n * s.n; k++) {
    if (Math.floor(k / s.n) === Math.floor(i / s.n)) row.push(k);
    if (k % s.n === i % s.n) col.push(k);
    if (boxOf(s, k) === boxOf(s, i)) box.push(k);
  }
  return [row, col, box];
}

function may(s, cells, i, v) { return !units(s, i).some((unit) => unit.some((k) => cells[k] === v)); }

// follows tells whether an empty cell must be v: nothing else fits into it, or v
// fits nowhere else in its row, its column or its box.
export function follows(s, cells, i, v) {
  const all = units(s, i);
  let others = 0;
  for (let d = 1; d <= s.n; d++) if (d !== v && !all.some((unit) => unit.some((k) => cells[k] === d))) others++;
  return others === 0 || all.some((unit) => unit.every((k) => k === i || cells[k] || !may(s, cells, k, v)));
}

/** @param {GameState} s */
export function step(s, given) {
  tick(s);
  const input = firm(given);
  if (s.over) return;
  if (s.done > 0) {
    s.done -= STEP;
    if (s.done > 0) return;
    if (s.staged) clear(s);
    if (!s.over) lay(s);
    return;
  }
  const key = typed(s.pad, input);
  if (key && DIGITS.includes(key)) {
    if (Number(key) <= s.n) enter(s, Number(key));
    return;
  }
  if (input.move) s.cursor = s.sel;
  const cell = pick(s, board(s), input);
  if (input.move) s.sel = s.cursor;
  else if (cell >= 0) s.sel = cell;
}

function enter(s, digit) {
  const i = s.sel;
  if (i < 0 || s.cells[i]) return;
  const at = centre(board(s), i);
  if (Number(s.full[i]) !== digit) {
    s.wrong = { cell: i, digit, at: s.t };
    s.safe = 0;
    hurt(s, at.x, at.y);
    return;
  }
  s.cells[i] = digit;
  s.at[i] = s.t;
  const whole = units(s, i).filter((unit) => unit.every((k) => s.cells[k]));
  s.streak = 0;
  if (whole.length) s.swept = { cells: ',' + whole.flat().join(',') + ',', at: s.t };
  if (!s.cells.includes(0)) s.done = 1.8;
  gain(s, s.done ? 10 : 1 + 2 * whole.length, at.x, at.y, whole.length ? 'perfect' : 'gain');
  if (!whole.length) note(s, 'put', at.x, at.y);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const g = board(s);
  const { size, x, y } = g;
  drawBoard(d, g, '#fffdf7');
  const chosen = s.sel >= 0 ? s.cells[s.sel] : 0;
  for (let i = 0; i < s.cells.length; i++) cell(s, d, g, i, chosen);
  for (let k = 1; k < s.n; k++) {
    const thick = (every) => (k % every === 0 ? 4 : 1.5);
    const tone = (every) => (k % every === 0 ? '#2b2b38' : '#b9bccb');
    d.line(x + k * size, y, x + k * size, y + size * s.n, thick(s.wide), tone(s.wide));
    d.line(x, y + k * size, x + size * s.n, y + k * size, thick(s.high), tone(s.high));
  }
  for (const k of s.pad) {
    const left = s.n - s.cells.filter((v) => v === Number(k.key)).length;
    const lit = chosen === Number(k.key);
    d.box(k.x, k.y + 4, k.w, k.h, 'shade', { radius: 10, alpha: 0.4 });
    d.box(k.x, k.y, k.w, k.h, lit ? 'accent' : 'panel',
      { radius: 10, alpha: left ? 1 : 0.35, stroke: 'ink', width: 2 });
    d.text(k.key, k.x + k.w / 2, k.y + 25, 32,
      { color: lit ? 'text' : 'panelText', outline: lit ? 'textInk' : undefined, alpha: left ? 1 : 0.4 });
    d.text(left || '✓', k.x + k.w / 2, k.y + 48, 18,
      { color: lit ? 'text' : 'panelText', outline: lit ? 'textInk' : undefined, alpha: 0.6 });
  }
  const hop = s.done > 0 ? Math.abs(Math.sin(s.t * 8)) * 10 : 0;
  d.sprite('hero', W / 2, 120 - hop, 48, { rot: s.safe > 0 ? Math.sin(s.t * 30) * 0.15 : 0 });
}

function cell(s, d, g, i, chosen) {
  const at = centre(g, i);
  const r = g.size / 2;
  const square = (color, alpha) => d.box(at.x - r, at.y - r, r * 2, r * 2, color, { alpha });
  const v = s.cells[i];
  const same = s.sel >= 0
    && (Math.floor(i / s.n) === Math.floor(s.sel / s.n) || i % s.n === s.sel % s.n || boxOf(s, i) === boxOf(s, s.sel));
  if (i === s.sel) square('#9fc5ff', 1);
  else if (chosen && v === chosen) square('#c3dafc', 1);
  else if (same) square('#e6eefb', 1);
  const sweep = (s.t - s.swept.at) / 0.7;
  if (sweep < 1 && s.swept.cells.includes(',' + i + ',')) square('#ffd65c', 0.75 * (1 - sweep));
  const bad = s.wrong.cell === i && s.t - s.wrong.at < 1;
  if (bad) {
    square('#ffc9c4', 1);
    d.text(s.wrong.digit, at.x + Math.sin(s.t * 50) * 3 * (1 - (s.t - s.wrong.at)), at.y + 1, g.size * 0.6,
      { color: '#e0281c' });
  } else if (v) {
    const p = clamp((s.t - s.at[i]) / 0.22, 0, 1);
    const pop = 1 + 0.5 * Math.sin(p * Math.PI) * (p < 1 ? 1 : 0);
    d.text(v, at.x, at.y + 1, g.size * 0.6, { color: s.given[i] === '1' ? '#23232e' : '#1f63d6', scale: pop });
  }
}
