// Blocks: pieces of four squares fall into a well. They are turned and moved, and
// each row that is filled vanishes. More rows at once are worth more.
import { W, STEP, base, tick, gain, hurt, note, heat, random, pow } from '../core/world.js';
import { PIECES, KICKS } from '../core/pieces.js';
import { drawBoard } from '../core/board.js';

export { PIECES };

export const meta = { id: 'blocks', scroll: 'none', controls: 'swipe' };

export const ROWS = 20;
const CELL = 27; // at most
const TOP = 158;
const LOCK = 0.45; // seconds that a piece lies before it is fixed
const AGAIN = 15; // moves that put that off
const FLASH = 0.26; // seconds that full rows are seen
const WORTH = [0, 1, 3, 5, 8];
const HELD = [0.19, 0.045]; // seconds until a held key repeats, and between two

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.cols = s.cfg.params.columns || 10;
  s.cell = Math.min(CELL, Math.floor(270 / s.cols));
  s.left = (W - s.cols * s.cell) / 2;
  s.rows = Array.from({ length: ROWS }, () => empty(s));
  const junk = Math.min(6, Math.round((cfg.density - 1) * 5)); // rows that lie there from the start
  for (let i = 0; i < junk; i++) {
    const hole = Math.floor(random(s) * s.cols);
    const junkAt = (_, c) => (c === hole ? '.' : 'ISZJLOT'[Math.floor(random(s) * 7)]);
    s.rows[ROWS - 1 - i] = Array.from({ length: s.cols }, junkAt).join('');
  }
  s.bag = [];
  s.lines = 0;
  s.stage = 1; // the level that the game itself counts
  s.full = []; // rows that vanish now
  s.flash = 0;
  s.cheer = 0;
  s.rest = 0; // seconds that a finger has lain
  s.held = 0; // seconds that a key has been held
  s.next = deal(s);
  spawn(s);
  return s;
}

function empty(s) { return '.'.repeat(s.cols); }

// deal takes a piece from a bag that holds each once.
function deal(s) {
  if (s.bag.length === 0) {
    s.bag = Object.keys(PIECES);
    for (let i = 6; i > 0; i--) {
      const j = Math.floor(random(s) * (i + 1));
      [s.bag[i], s.bag[j]] = [s.bag[j], s.bag[i]];
    }
  }
  return s.bag.pop();
}

function spawn(s) {
  s.piece = {
    k: s.next, rot: 0, x: Math.floor((s.cols - PIECES[s.next].n) / 2), y: s.next === 'I' ? -1 : 0, wait: 0, lock: 0,
    moves: 0,
  };
  s.next = deal(s);
  if (fits(s, s.piece)) return;
  hurt(s, W / 2, TOP + 40);
  s.rows = s.rows.map((r, y) => (y < ROWS - 4 ? empty(s) : r)); // another life makes room
}

// cells are the places of a piece, [column, row].
export function cells(k, rot) {
  let list = PIECES[k].cells;
  for (let i = 0; i < rot; i++) list = list.map(([x, y]) => [PIECES[k].n - 1 - y, x]);
  return list;
}

function fits(s, p, dx, dy, rot) {
  return cells(p.k, rot === undefined ? p.rot : rot).every(([cx, cy]) => {
    const x = p.x + cx + (dx || 0);
    const y = p.y + cy + (dy || 0);
    return x >= 0 && x < s.cols && y < ROWS && (y < 0 || s.rows[y][x] === '.');
  });
}

// fall is how many seconds a row takes.
function fall(s) {
  const slow = (s.cfg.duration ? 0.5 : 0.8) * pow(0.82, (s.stage - 1) * s.cfg.ramp);
  return slow / (s.cfg.speed * Math.sqrt(s.cfg.gravity * heat(s)));
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.cheer = Math.max(0, s.cheer - STEP);
  if (s.full.length > 0) {
    s.flash -= STEP;
    if (s.flash <= 0) collapse(s);
    return;
  }
  const finger = input.down && input.y !== null;
  s.rest = finger && !input.move ? s.rest + STEP : 0;
  const p = s.piece;
  steer(s, p, input);
  if (input.fire || (input.move === 'down' && !input.duck)) { // a swipe down, or space
    while (fits(s, p, 0, 1)) p.y++;
    note(s, 'drop', x0(s, p) + s.cell, TOP + (p.y + 1) * s.cell);
    fix(s, p);
    return;
  }
  const low = !fits(s, p, 0, 1);
  if (low) {
    p.lock += STEP;
    if (p.lock > LOCK) fix(s, p);
    return;
  }
  p.wait += STEP * (input.duck || s.rest > 0.35 ? Math.max(1, fall(s) / 0.045) : 1);
  if (p.wait < fall(s)) return;
  p.wait = 0;
  p.lock = 0;
  p.y++;
}

function x0(s, p) { return s.left + p.x * s.cell; }

function steer(s, p, input) {
  const dir = input.left === input.right ? '' : input.left ? 'left' : 'right';
  s.held = dir ? s.held + STEP : 0;
  let go = input.move === 'left' || input.move === 'right' ? input.move : '';
  if (!go && dir && s.held > HELD[0]) {
    go = dir;
    s.held -= HELD[1];
  }
  const dx = go === 'left' ? -1 : go === 'right' ? 1 : 0;
  let moved = dx !== 0 && fits(s, p, dx, 0);
  if (moved) p.x += dx;
  if (input.move === 'up' || (input.tapped && !input.fire && s.rest < 0.35)) moved = turn(s, p) || moved;
  if (moved && p.moves++ < AGAIN) p.lock = 0;
}

function turn(s, p) {
  const rot = (p.rot + 1) % 4;
  const kick = KICKS.find(([dx, dy]) => fits(s, p, dx, dy, rot));
  if (!kick || p.k === 'O') return false;
  p.x += kick[0];
  p.y += kick[1];
  p.rot = rot;
  return true;
}

// fix makes a piece part of the well and looks for full rows.
function fix(s, p) {
  for (const [cx, cy] of cells(p.k, p.rot)) {
    const y = p.y + cy;
    if (y < 0) continue;
    const row = s.rows[y];
    s.rows[y] = row.slice(0, p.x + cx) + p.k + row.slice(p.x + cx + 1);
  }
  s.full = s.rows.map((r, y) => (r.includes('.') ? -1 : y)).filter((y) => y >= 0);
  const n = s.full.length;
  if (n === 0) {
    note(s, 'lock', x0(s, p) + s.cell * 1.5, TOP + (p.y + 1) * s.cell);
    spawn(s);
    return;
  }
  s.flash = FLASH;
  s.cheer = 1;
  gain(s, WORTH[n] * s.stage, W / 2, TOP + s.full[0] * s.cell, n === 4 ? 'perfect' : 'gain');
}

function collapse(s) {
  const left = s.rows.filter((_, y) => !s.full.includes(y));
  s.lines += s.full.length;
  s.rows = s.full.map(() => empty(s)).concat(left);
  s.full = [];
  const stage = 1 + Math.floor(s.lines / (s.cfg.duration ? 4 : 10));
  if (stage > s.stage) note(s, 'faster', W / 2, TOP + 60);
  s.stage = stage;
  spawn(s);
}

function square(d, x, y, color, k, alpha) {
  d.box(x + 1, y + 1, k - 2, k - 2, color, { radius: 4, alpha });
  d.box(x + 3, y + 3, k - 6, k * 0.22, '#ffffff', { radius: 2, alpha: 0.38 * (alpha || 1) });
  d.box(x + 3, y + k - 3 - k * 0.18, k - 6, k * 0.18, '#000000', { radius: 2, alpha: 0.2 * (alpha || 1) });
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const { cols, cell, left } = s;
  drawBoard(d, { cols, rows: ROWS, size: cell, x: left, y: TOP }, '#12122b');
  for (let x = 1; x < cols; x++) {
    d.line(left + x * cell, TOP, left + x * cell, TOP + ROWS * cell, 1, '#ffffff', { alpha: 0.07 });
  }
  for (let y = 1; y < ROWS; y++) {
    d.line(left, TOP + y * cell, left + cols * cell, TOP + y * cell, 1, '#ffffff', { alpha: 0.07 });
  }
  s.rows.forEach((row, y) => {
    for (let x = 0; x < cols; x++) {
      if (row[x] !== '.') square(d, left + x * cell, TOP + y * cell, PIECES[row[x]].color, cell);
    }
  });
  for (const y of s.full) {
    const k = Math.max(0, s.flash / FLASH);
    d.box(left, TOP + y * cell, cols * cell, cell, '#ffffff', { alpha: 0.35 + 0.65 * Math.abs(Math.sin(k * 9)) });
  }
  if (s.full.length === 0) drawPiece(s, d, s.piece);
  aside(s, d);
}

function drawPiece(s, d, p) {
  const cell = s.cell;
  let ghost = 0;
  while (s.cfg.params.ghost !== 0 && fits(s, p, 0, ghost + 1)) ghost++;
  for (const [cx, cy] of cells(p.k, p.rot)) {
    const x = x0(s, p) + cx * cell;
    const y = TOP + (p.y + cy) * cell;
    if (ghost > 0) {
      d.box(x + 2, y + ghost * cell + 2, cell - 4, cell - 4, PIECES[p.k].color,
        { radius: 4, alpha: 0.22, stroke: '#ffffff', width: 1.5 });
    }
    if (p.y + cy >= 0) square(d, x, y, PIECES[p.k].color, cell);
  }
}

// aside shows what comes next, the level, the lines, and who looks on.
function aside(s, d) {
  const right = (W + s.left + s.cols * s.cell + 10) / 2;
  const words = s.cfg.labels;
  d.box(right - 42, TOP - 8, 84, 108, '#12122b', { radius: 12, stroke: 'ink', width: 3 });
  d.text(words.next || 'Next', right, TOP + 12, 19, { color: '#ffffff', role: 'next' });
  const n = PIECES[s.next].n;
  const k = 18;
  for (const [x, y] of cells(s.next, 0)) {
    square(d, right + (x - n / 2) * k, TOP + 60 + (y - 1) * k + (n === 4 ? -k / 2 : 0), PIECES[s.next].color, k);
  }
  const tell = (word, value, y) => {
    d.text(word, right, y, 18, { color: 'text', outline: 'textInk' });
    d.text(value, right, y + 28, 28, { color: 'text', outline: 'textInk', role: 'count' });
  };
  tell(words.level || 'Level', s.stage, TOP + 140);
  tell(words.lines || 'Lines', s.lines, TOP + 214);
  const hop = s.cheer > 0 ? Math.abs(Math.sin(s.cheer * 12)) * 22 : Math.sin(s.t * 2.5) * 3;
  d.sprite('hero', 44, TOP + ROWS * s.cell - 36 - hop, 64 * Math.min(1.15, s.cfg.size),
    { rot: s.cheer > 0 ? Math.sin(s.cheer * 12) * 0.2 : 0 });
}
