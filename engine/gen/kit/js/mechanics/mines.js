// Mines: open all cells without one. A number tells how many of the cells around it
// are mined; the first press is safe, and a flag keeps a cell shut.
import { STEP, base, tick, gain, hurt, note, clear, random, clamp, near } from '../core/world.js';
import { grid, centre, cellAt, pick, drawBoard, drawCursor } from '../core/board.js';

export const meta = { id: 'mines', scroll: 'none', controls: 'board' };

export const COLS = 9;
export const ROWS = 10;
export const board = grid(COLS, ROWS, 156, 20);
export const MINE = 9;
export const HIDDEN = 0;
export const OPEN = 1;
export const FLAG = 2;
const TRIES = 20; // fields that are laid to find one that needs no guess
const COLORS = ['', '#1b32e8', '#0a7d12', '#e01414', '#0b1480', '#7b1113', '#0b7d80', '#1c1c1c', '#6f6f6f'];
const BUTTON = { x: 366, y: 124, r: 24 }; // puts flags instead of opening

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration); // with a clock there is another field
  s.flagging = false;
  lay(s);
  return s;
}

function lay(s) {
  s.mines = clamp(Math.round((s.cfg.params.mines || 10) * s.cfg.density) + 3 * (s.level - 1), 4, 30);
  s.field = []; // MINE, or how many are around; nothing is there before the first press
  s.state = [];
  s.at = []; // when each was opened
  for (let i = 0; i < COLS * ROWS; i++) {
    s.state.push(HIDDEN);
    s.at.push(0);
  }
  s.last = -1;
  s.since = 0; // seconds since the last press
  s.done = 0; // seconds that a field that is done stays
}

const AROUND = [];
for (let i = 0; i < COLS * ROWS; i++) {
  AROUND.push([]);
  for (const dr of [-1, 0, 1]) {
    for (const dc of [-1, 0, 1]) {
      const c = (i % COLS) + dc;
      const r = Math.floor(i / COLS) + dr;
      if ((dc || dr) && c >= 0 && c < COLS && r >= 0 && r < ROWS) AROUND[i].push(r * COLS + c);
    }
  }
}

export function around(i) { return AROUND[i]; }

// bury puts the mines anywhere but around the first press.
function bury(s, first) {
  const free = s.state.map((_, i) => i).filter((i) => i !== first && !around(first).includes(i));
  for (let n = 0; n < TRIES; n++) {
    const left = free.slice();
    s.field = s.state.map(() => 0);
    for (let k = 0; k < s.mines; k++) s.field[left.splice(Math.floor(random(s) * left.length), 1)[0]] = MINE;
    s.field = s.field.map((v, i) => (v === MINE ? MINE : around(i).filter((j) => s.field[j] === MINE).length));
    if (fair(s.field, first)) return;
  }
}

// fair tells whether a field can be opened from its first cell without a guess.
function fair(field, first) {
  const state = field.map(() => HIDDEN);
  let found = { safe: [first], mined: [] };
  while (found.safe.length || found.mined.length) {
    for (const i of found.mined) state[i] = FLAG;
    flood(field, state, found.safe);
    found = proven(field, state);
  }
  return field.every((v, i) => v === MINE || state[i] === OPEN);
}

// proven returns the shut cells that the open numbers prove to be safe, or mined.
export function proven(field, state) {
  const sets = [];
  field.forEach((v, i) => {
    if (state[i] !== OPEN || v === MINE || v === 0) return;
    const cells = around(i).filter((j) => state[j] === HIDDEN);
    const known = around(i).filter((j) => state[j] === FLAG || (state[j] === OPEN && field[j] === MINE)).length;
    if (cells.length) sets.push({ cells, mines: v - known });
  });
  const out = { safe: [], mined: [], sets };
  for (const { cells, mines } of sets) tell(out, cells, mines);
  if (out.safe.length || out.mined.length) return out;
  for (const a of sets) {
    for (const b of sets) {
      if (a.cells.length >= b.cells.length || !a.cells.every((c) => b.cells.includes(c))) continue;
      tell(out, b.cells.filter((c) => !a.cells.includes(c)), b.mines - a.mines);
    }
  }
  return out;
}

function tell(out, cells, mines) {
  if (mines === 0) out.safe.push(...cells);
  else if (mines === cells.length) out.mined.push(...cells);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.since += STEP;
  if (s.over) return;
  if (s.done > 0) {
    s.done -= STEP;
    if (s.done > 0) return;
    if (s.staged) clear(s);
    if (!s.over) lay(s);
    return;
  }
  const tapped = input.tapped && !input.fire;
  if (tapped && input.x !== null && input.y !== null && near(input.x, input.y, BUTTON.x, BUTTON.y, BUTTON.r * 1.3)) {
    s.flagging = !s.flagging;
    return;
  }
  const cell = pick(s, board, input);
  const flagged = input.alt ? cellAt(board, input.x, input.y) : input.key === 'f' || input.key === 'F' ? s.cursor : -1;
  if (flagged >= 0) flag(s, flagged);
  else if (cell >= 0 && s.flagging && s.state[cell] === HIDDEN && s.field.length) flag(s, cell);
  else if (cell >= 0) press(s, cell);
}

function flag(s, i) {
  if (s.state[i] === OPEN) return;
  s.state[i] = s.state[i] === FLAG ? HIDDEN : FLAG;
  s.at[i] = s.t;
  s.since = 0;
  note(s, 'flag', centre(board, i).x, centre(board, i).y);
}

// press opens a cell; a number with all its flags opens what is around it.
function press(s, i) {
  if (s.state[i] === FLAG) return flag(s, i);
  s.since = 0;
  s.last = i;
  if (!s.field.length) bury(s, i);
  let cells = [i];
  if (s.state[i] === OPEN) {
    const shut = around(i).filter((j) => s.state[j] !== OPEN);
    const known = around(i).filter((j) => s.state[j] === FLAG || (s.state[j] === OPEN && s.field[j] === MINE)).length;
    cells = known === s.field[i] ? shut.filter((j) => s.state[j] === HIDDEN) : [];
  }
  const mine = cells.find((j) => s.field[j] === MINE);
  if (mine !== undefined) return blow(s, mine);
  const opened = flood(s.field, s.state, cells);
  const n = opened.length;
  if (!n) return;
  for (const j of opened) {
    s.at[j] = s.t
      + 0.03 * Math.max(Math.abs(j % COLS - i % COLS), Math.abs(Math.floor(j / COLS) - Math.floor(i / COLS)));
  }
  s.streak = 0;
  const at = centre(board, i);
  const left = s.field.filter((v, j) => v !== MINE && s.state[j] !== OPEN).length;
  gain(s, left ? n : n + 10, at.x, at.y, left ? 'gain' : 'perfect');
  if (!left) s.done = 1.6;
}

function blow(s, i) {
  s.state[i] = OPEN;
  s.at[i] = s.t;
  const at = centre(board, i);
  s.safe = 0;
  hurt(s, at.x, at.y);
}

// flood opens cells, and from those without a number all around; it returns those
// that it opened.
function flood(field, state, cells) {
  const queue = cells.slice();
  const opened = [];
  while (queue.length) {
    const i = queue.pop();
    if (state[i] !== HIDDEN) continue;
    state[i] = OPEN;
    opened.push(i);
    if (field[i] === 0) queue.push(...around(i));
  }
  return opened;
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  drawBoard(d, board, '#8a8a8a');
  for (let i = 0; i < COLS * ROWS; i++) cell(s, d, i);
  drawCursor(d, s, board);
  const left = s.mines - s.state.filter((v, i) => v === FLAG || (v === OPEN && s.field[i] === MINE)).length;
  d.box(84, 104, 84, 40, '#1b0f12', { radius: 6, stroke: '#6f6f6f', width: 2 });
  d.text(left, 140, 125, 28, { color: '#ff4538', role: 'mines' });
  d.sprite('hazard', 108, 124, 28);
  const glad = s.done > 0 ? Math.abs(Math.sin(s.t * 8)) * 8 : 0;
  d.sprite('hero', 240, 124 - glad, 46, { rot: s.safe > 0 ? Math.sin(s.t * 30) * 0.2 : 0 });
  d.disc(BUTTON.x, BUTTON.y, BUTTON.r, s.flagging ? 'accent' : 'panel', { stroke: 'ink', width: 3 });
  drawFlag(d, BUTTON, 30);
}

function cell(s, d, i) {
  const at = centre(board, i);
  const r = board.size / 2;
  const open = s.state[i] === OPEN && s.t >= s.at[i];
  if (open) {
    const hit = s.field[i] === MINE;
    d.box(at.x - r, at.y - r, r * 2, r * 2, hit ? '#ff5040' : '#d4d0c8', { stroke: '#9a9a9a', width: 1.5 });
    if (hit) d.sprite('hazard', at.x, at.y, r * 1.6);
    else if (s.field[i]) d.text(s.field[i], at.x, at.y + 1, 31, { color: COLORS[s.field[i]] });
    const p = (s.t - s.at[i]) / 0.18;
    if (p < 1) {
      d.box(at.x - r * (1 - p), at.y - r * (1 - p), r * 2 * (1 - p), r * 2 * (1 - p), '#f4f4f0', { alpha: 0.8 });
    }
    return;
  }
  d.box(at.x - r, at.y - r, r * 2, r * 2, '#777777');
  d.poly([[at.x - r, at.y - r], [at.x + r, at.y - r], [at.x - r, at.y + r]], '#ffffff');
  d.box(at.x - r + 4, at.y - r + 4, r * 2 - 8, r * 2 - 8, '#c0c0c0');
  if (s.done > 0 && s.field[i] === MINE && s.state[i] !== FLAG) d.sprite('hazard', at.x, at.y, r * 1.3);
  else if (s.state[i] === FLAG) {
    drawFlag(d, { x: at.x, y: at.y - 10 * clamp(1 - (s.t - s.at[i]) / 0.15, 0, 1) }, r * 1.3);
  }
}

function drawFlag(d, at, h) {
  d.box(at.x - h * 0.3, at.y - h * 0.5, h * 0.1, h, '#1c1c1c');
  d.box(at.x - h * 0.45, at.y + h * 0.38, h * 0.4, h * 0.12, '#1c1c1c');
  d.poly([[at.x - h * 0.2, at.y - h * 0.5], [at.x + h * 0.5, at.y - h * 0.2], [at.x - h * 0.2, at.y + h * 0.12]],
    '#e01414');
}
