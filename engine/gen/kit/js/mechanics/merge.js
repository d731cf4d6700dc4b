// Merge: numbered tiles slide over a board, all at once, and two alike become one
// of twice their value. The run is won at the goal and lost without a move.
import { W, STEP, base, tick, gain, note, finish, choose, chance, clamp, lerp } from '../core/world.js';
import { grid, centre, drawBoard } from '../core/board.js';

export const meta = { id: 'merge', scroll: 'none', controls: 'swipe', hearts: false };

const SLIDE = 0.1; // seconds that tiles take to their places
const POP = 0.14; // and that new and merged ones take to their size
const FOURS = 0.1; // share of new tiles that are worth four
const COLORS = [
  '#eee4da', '#ede0c8', '#f2b179', '#f59563', '#f67c5f', '#f65e3b', '#edcf72', '#edcc61', '#edc850', '#edc53f',
  '#edc22e',
];
export const DIRS = ['down', 'left', 'right', 'up'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.n = clamp(Math.round(s.cfg.params.size || 4), 3, 6);
  s.goal = Math.min(s.cfg.params.goal || 2048, s.n === 3 ? 256 : 1 << 17);
  s.cells = [];
  for (let i = 0; i < s.n * s.n; i++) s.cells.push(0);
  s.trips = []; // of the last move: from, to, value
  s.merged = [];
  s.fresh = [];
  s.since = 1; // seconds since the last move
  s.shove = { dir: '', at: -1 }; // the last direction in which nothing moved
  s.top = 2;
  s.end = '';
  s.fresh = [drop(s), drop(s)];
  return s;
}

function drop(s) {
  const free = [];
  s.cells.forEach((v, i) => { if (!v) free.push(i); });
  const cell = choose(s, free);
  s.cells[cell] = chance(s, FOURS) ? 4 : 2;
  return cell;
}

// cell is the i-th of a line, counted from the side that tiles slide to.
function cell(line, i, n, dir) {
  if (dir === 'left') return line * n + i;
  if (dir === 'right') return line * n + n - 1 - i;
  return (dir === 'up' ? i : n - 1 - i) * n + line;
}

// slide returns what a move makes of the cells of a board.
export function slide(cells, n, dir) {
  const out = { cells: cells.map(() => 0), trips: [], merged: [], worth: 0, moved: false };
  for (let line = 0; line < n; line++) {
    let free = 0;
    let last = -1; // a tile that may still merge
    for (let i = 0; i < n; i++) {
      const from = cell(line, i, n, dir);
      const v = cells[from];
      if (!v) continue;
      const joins = last >= 0 && out.cells[last] === v;
      const to = joins ? last : cell(line, free++, n, dir);
      out.cells[to] += v;
      out.trips.push([from, to, v]);
      out.moved = out.moved || from !== to;
      last = joins ? -1 : to;
      if (!joins) continue;
      out.merged.push(to);
      out.worth += v * 2;
    }
  }
  return out;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.since += STEP;
  if (s.end && s.since > 0.8) finish(s, s.end);
  if (s.over || s.end || !input.move) return;
  const made = slide(s.cells, s.n, input.move);
  if (!made.moved) {
    s.shove = { dir: input.move, at: s.t };
    return;
  }
  s.since = 0;
  s.cells = made.cells;
  s.trips = made.trips;
  s.merged = made.merged;
  score(s, made);
  s.fresh = [drop(s)];
  if (s.top >= s.goal) s.end = 'win';
  else if (!DIRS.some((dir) => slide(s.cells, s.n, dir).moved)) s.end = 'lose';
}

function score(s, made) {
  if (!made.merged.length) return;
  const best = made.merged.reduce((a, b) => (s.cells[b] > s.cells[a] ? b : a));
  const at = centre(board(s), best);
  s.streak = 0; // rows of merges are no feat here
  gain(s, made.worth, at.x, at.y, s.cells[best] > Math.max(32, s.top) ? 'perfect' : 'gain');
  s.top = Math.max(s.top, s.cells[best]);
  for (const i of made.merged) if (i !== best) note(s, 'merge', centre(board(s), i).x, centre(board(s), i).y);
}

function board(s) { return grid(s.n, s.n, 152, 36); }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const g = board(s);
  const nudge = 7 * Math.sin(clamp((s.t - s.shove.at) / 0.16, 0, 1) * Math.PI);
  g.x += { left: -nudge, right: nudge }[s.shove.dir] || 0;
  g.y += { up: -nudge, down: nudge }[s.shove.dir] || 0;
  drawBoard(d, g, '#bbada0');
  for (let i = 0; i < s.cells.length; i++) box(d, g, centre(g, i), 1, '#cdc1b4');
  const p = s.since / SLIDE;
  if (p < 1) {
    for (const [from, to, v] of s.trips) {
      const a = centre(g, from);
      const b = centre(g, to);
      const k = p * (2 - p);
      tile(d, g, { x: lerp(a.x, b.x, k), y: lerp(a.y, b.y, k) }, v, 1);
    }
  } else {
    const q = clamp((s.since - SLIDE) / POP, 0, 1);
    s.cells.forEach((v, i) => {
      if (!v) return;
      const at = centre(g, i);
      tile(d, g, at, v, s.fresh.includes(i) ? 0.2 + 0.8 * q : s.merged.includes(i) ? 1 + 0.16 * Math.sin(q * Math.PI)
        : 1);
    });
  }
  const label = (s.cfg.labels.goal || 'Goal') + ' ' + s.goal;
  d.text(label, W / 2, 122, 24, { color: 'text', outline: 'textInk', role: 'goal' });
  const hop = s.merged.length ? Math.max(0, Math.sin(Math.min(1, s.since * 3) * Math.PI)) : 0;
  d.sprite('hero', W - 58, 126 - hop * 12, 58, { sy: 1 + hop * 0.1 });
}

function box(d, g, at, k, color) {
  const r = (g.size / 2 - 5) * k;
  d.box(at.x - r, at.y - r, r * 2, r * 2, color, { radius: 10 * k });
}

function tile(d, g, at, v, k) {
  let level = 0;
  for (let n = v; n > 2; n /= 2) level++;
  box(d, g, { x: at.x, y: at.y + 3 }, k, '#8f7f70');
  box(d, g, at, k, COLORS[level] || '#3c3a32');
  const size = g.size * [0.5, 0.5, 0.44, 0.36, 0.29, 0.25][String(v).length - 1];
  d.text(v, at.x, at.y, Math.max(18, size * Math.min(1, k)),
    { color: v < 8 ? '#776e65' : '#ffffff', alpha: Math.min(1, k) });
}
