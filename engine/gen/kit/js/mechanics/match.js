// Match: swap two neighbours so that three or more alike are in a row. They
// vanish, others fall, and a level is done when enough are gone.
import { W, H, STEP, base, tick, gain, hurt, note, clear, heat, random, clamp } from '../core/world.js';

export const meta = { id: 'match', scroll: 'none', full: true, controls: 'pointer' };

const TALL = H > W;
const COLS = TALL ? 7 : 8;
const SHORT = TALL && H < 800;
const ROWS = TALL && !SHORT ? 8 : 7;
const CELL = SHORT ? 56 : 58;
const LEFT = TALL ? (W - COLS * CELL) / 2 : 300;
const TOP = SHORT ? 312 : TALL ? 322 : 106;
// Where the moves and the goal are written: beside the board, or above it.
/** @type {{ [place: string]: number[] }} */
const SIDE = TALL
  ? {
    box: [37, 160, 406, 128], hero: [98, 222], moves: [200, 206], dots: [160, 256, 7], goal: [292, 210],
    share: [364, 252],
  }
  : {
    box: [50, 150, 210, 292], hero: [155, 208], moves: [155, 286], dots: [57, 326, 14], goal: [84, 382],
    share: [176, 414],
  };
const KINDS = ['hero', 'hazard', 'pickup', 'heart', 'gem'];
const TILES = ['hero2', 'far', 'accent', 'panel', 'blockLight'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  s.sel = -1;
  s.phase = 'idle'; // idle, swap, back, vanish, fall
  s.clock = 0;
  s.swap = [0, 0];
  s.gone = [];
  s.chain = 0;
  build(s);
  return s;
}

function goal(s) { return Math.round((28 + 8 * s.level) * Math.sqrt(s.cfg.density)); }

function moves(s) { return s.cfg.params.moves || 15; }

function build(s) {
  s.moves = moves(s);
  s.done = 0;
  do {
    s.cells = [];
    for (let i = 0; i < COLS * ROWS; i++) {
      let k;
      do k = roll(s);
      while ((i % COLS > 1 && s.cells[i - 1] === k && s.cells[i - 2] === k)
        || (i >= 2 * COLS && s.cells[i - COLS] === k && s.cells[i - 2 * COLS] === k));
      s.cells.push(k);
    }
    s.hint = best(s);
  } while (!s.hint);
  s.drops = s.cells.map(() => 0); // how far each still falls, in cells
}

function roll(s) { return Math.floor(random(s) * (s.cfg.params.colors || KINDS.length)); }

// runs returns the cells of all rows of three or more.
function runs(cells) {
  const hit = new Set();
  const scan = (start, stride, length) => {
    let from = 0;
    for (let i = 1; i <= length; i++) {
      if (i < length && cells[start + i * stride] === cells[start + from * stride]) continue;
      if (i - from >= 3) for (let j = from; j < i; j++) hit.add(start + j * stride);
      from = i;
    }
  };
  for (let y = 0; y < ROWS; y++) scan(y * COLS, 1, COLS);
  for (let x = 0; x < COLS; x++) scan(x, COLS, ROWS);
  return [...hit];
}

function swapped(cells, a, b) {
  const out = cells.slice();
  [out[a], out[b]] = [out[b], out[a]];
  return out;
}

function neighbours(a, b) {
  return (Math.abs(a - b) === 1 && Math.floor(a / COLS) === Math.floor(b / COLS)) || Math.abs(a - b) === COLS;
}

// best is the swap that clears most, null when there is none.
function best(s) {
  let found = null;
  for (let i = 0; i < COLS * ROWS; i++) for (const j of [i + 1, i + COLS]) {
    if (j >= COLS * ROWS || !neighbours(i, j)) continue;
    const n = runs(swapped(s.cells, i, j)).length;
    if (n > (found ? found.n : 0)) found = { a: i, b: j, n };
  }
  return found;
}

function cellAt(x, y) {
  const cx = Math.floor((x - LEFT) / CELL);
  const cy = Math.floor((y - TOP) / CELL);
  return cx < 0 || cy < 0 || cx >= COLS || cy >= ROWS ? -1 : cy * COLS + cx;
}

export function centre(i) { return [LEFT + (i % COLS + 0.5) * CELL, TOP + (Math.floor(i / COLS) + 0.5) * CELL]; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.clock += STEP * s.cfg.speed * Math.sqrt(heat(s));
  if (s.phase === 'idle' && input.pressed && input.x !== null && input.y !== null) pick(s, cellAt(input.x, input.y));
  else if (s.phase === 'swap' && s.clock > 0.16) settle(s);
  else if (s.phase === 'back' && s.clock > 0.16) s.phase = 'idle';
  else if (s.phase === 'vanish' && s.clock > 0.2) collapse(s);
  else if (s.phase === 'fall') {
    let moving = false;
    s.drops = s.drops.map((v) => { const left = Math.max(0, v - 9 * STEP); moving = moving || left > 0; return left; });
    if (!moving) next(s);
  }
}

function pick(s, i) {
  if (i < 0) { s.sel = -1; return; }
  if (s.sel < 0 || !neighbours(s.sel, i)) { s.sel = s.sel === i ? -1 : i; return; }
  s.swap = [s.sel, i];
  s.sel = -1;
  s.clock = 0;
  s.chain = 0;
  if (runs(swapped(s.cells, s.swap[0], s.swap[1])).length === 0) {
    s.phase = 'back';
    s.streak = 0;
    note(s, 'miss', ...centre(i));
    spend(s);
    return;
  }
  s.phase = 'swap';
}

function settle(s) {
  s.cells = swapped(s.cells, s.swap[0], s.swap[1]);
  spend(s);
  vanish(s, runs(s.cells));
}

function vanish(s, hit) {
  s.gone = hit;
  s.chain++;
  s.phase = 'vanish';
  s.clock = 0;
  const [x, y] = centre(hit[Math.floor(hit.length / 2)]);
  s.done += hit.length;
  gain(s, (hit.length - 2) * s.chain, x, y, hit.length > 3 || s.chain > 1 ? 'perfect' : 'gain');
}

function collapse(s) {
  const gone = new Set(s.gone);
  for (let x = 0; x < COLS; x++) {
    const kept = [];
    for (let y = ROWS - 1; y >= 0; y--) if (!gone.has(y * COLS + x)) kept.push({ k: s.cells[y * COLS + x], y });
    for (let n = 0, y = ROWS - 1; y >= 0; y--, n++) {
      const i = y * COLS + x;
      s.cells[i] = n < kept.length ? kept[n].k : roll(s);
      s.drops[i] = n < kept.length ? y - kept[n].y : ROWS - kept.length;
    }
  }
  s.gone = [];
  s.phase = 'fall';
}

function next(s) {
  const hit = runs(s.cells);
  if (hit.length > 0) { vanish(s, hit); return; }
  s.phase = 'idle';
  if (s.done >= goal(s)) {
    gain(s, 5, LEFT + (COLS * CELL) / 2, 260, 'perfect');
    clear(s);
    if (!s.over) build(s);
    return;
  }
  s.hint = best(s);
  if (!s.hint) build(s); // a board without a move is dealt anew
}

// spend takes a move; without any, a life buys new ones.
function spend(s) {
  s.moves--;
  if (s.moves > 0 || s.done >= goal(s)) return;
  s.safe = 0;
  hurt(s, SIDE.moves[0], SIDE.moves[1] + 44);
  s.moves = moves(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(LEFT - 12, TOP - 12, COLS * CELL + 24, ROWS * CELL + 24, 'shade', { radius: 20, alpha: 0.75 });
  for (let i = 0; i < COLS * ROWS; i++) piece(s, d, i);
  if (s.sel >= 0) {
    const [x, y] = centre(s.sel);
    d.ring(x, y, CELL * 0.48 + Math.sin(s.t * 8) * 2, 5, 'text');
  }
  const [gx, gy] = SIDE.goal;
  const [dx, dy, gap] = SIDE.dots;
  const [x, y, w, h] = SIDE.box;
  d.box(x, y, w, h, 'panel', { radius: 22, alpha: 0.95, stroke: 'ink', width: 4 });
  d.sprite('hero', SIDE.hero[0], SIDE.hero[1] + Math.sin(s.t * 3) * 4, 84);
  d.text(s.moves, SIDE.moves[0], SIDE.moves[1], 54,
    { color: s.moves < 4 ? 'panelAccent' : 'panelText', role: 'moves' });
  for (let i = 0; i < Math.min(15, s.moves); i++) d.disc(dx + i * gap, dy, gap > 7 ? 5 : 3, 'panelAccent');
  const k = clamp(s.done / goal(s), 0, 1);
  d.sprite('pickup', gx, gy, 44);
  d.box(gx + 28, gy - 11, 112, 22, 'shade', { radius: 11, alpha: 0.35 });
  if (k > 0.08) d.box(gx + 28, gy - 11, 112 * k, 22, 'panelAccent', { radius: 11 });
  d.text(Math.min(s.done, goal(s)) + ' / ' + goal(s), SIDE.share[0], SIDE.share[1], 20,
    { color: 'panelText', role: 'goal' });
}

function piece(s, d, i) {
  const k = s.cells[i];
  let [x, y] = centre(i);
  y -= s.drops[i] * CELL;
  if (y < TOP - CELL * 0.6) return;
  const at = s.swap.indexOf(i);
  if (at >= 0 && (s.phase === 'swap' || s.phase === 'back')) {
    const [ox, oy] = centre(s.swap[1 - at]);
    const p = clamp(s.clock / 0.16, 0, 1);
    const q = s.phase === 'swap' ? p : Math.sin(p * Math.PI) * 0.5;
    x += (ox - x) * q;
    y += (oy - y) * q;
  }
  const size = s.phase === 'vanish' && s.gone.indexOf(i) >= 0 ? Math.max(0, 1 - s.clock / 0.2) : 1;
  if (size < 0.05) return;
  const h = CELL * 0.46 * size;
  d.box(x - h, y - h, h * 2, h * 2, TILES[k], { radius: 14 * size, alpha: 0.92 });
  if (KINDS[k] === 'gem') {
    const r = 17 * size;
    d.poly([[x, y - r * 1.2], [x + r, y], [x, y + r * 1.2], [x - r, y]], 'block', { stroke: 'ink', width: 3 });
    d.poly([[x, y - r * 0.7], [x + r * 0.4, y], [x, y + r * 0.3], [x - r * 0.4, y]], 'text', { alpha: 0.6 });
  } else d.sprite(KINDS[k], x, y, 42 * size);
}
