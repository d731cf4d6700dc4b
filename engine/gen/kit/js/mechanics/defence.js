// Tower defence: waves walk along a path to the hero's home. Towers on the spots
// beside it stop them; gold for those who fall buys more towers and better ones.
import {
  W, STEP, base, tick, gain, hurt, note, clear, heat, chance, clamp, near, pow, hypot, atan2, hash,
} from '../core/world.js';
import { grid, centre, cellAt } from '../core/board.js';
import { wind, onPath, drawTower } from '../core/path.js';

export const meta = { id: 'defence', scroll: 'none', controls: 'board' };

export const COLS = 8;
const ROWS = 8;
export const board = grid(COLS, ROWS, 146, 122);
// Towers: cost, seconds between shots, reach, damage, and how far it spreads.
export const KINDS = [
  { cost: 50, rate: 0.6, reach: 112, hurts: 1, spread: 0, color: '#ffcf4d' },
  { cost: 80, rate: 1.7, reach: 104, hurts: 1.6, spread: 52, color: '#e8504a' },
  { cost: 60, rate: 1.2, reach: 92, hurts: 0.35, spread: 92, color: '#7fd4ff' },
];
export const TOP = 3; // best level of a tower
const BAR = [16, 128, 240, 352].map((x) => ({ x, y: 606, w: 106, h: 98 }));
const REST = 3; // seconds between waves

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.waves = cfg.params.waves || 10;
  open(s);
  return s;
}

// open makes a new map: a path that winds from side to side, and spots along it.
function open(s) {
  Object.assign(s, {
    gold: 130, wave: 0, wait: 1, queue: [], towers: [], foes: [], shots: [], sel: -1, cursor: -1, button: -1,
    fast: false, made: 0, fell: 0,
  });
  wind(s, COLS, ROWS);
}

export function along(s, p) { return onPath(s, p, board); }
export function reach(t) { return KINDS[t.kind].reach + (t.level - 1) * 14; }
export function price(t) { return Math.round(KINDS[t.kind].cost * (0.6 + 0.5 * t.level)); }
export function towerAt(s, cell) { return s.towers.find((t) => t.cell === cell); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  command(s, input);
  for (let k = s.fast ? 2 : 1; k > 0 && !s.over; k--) run(s);
}

// command reads taps and keys: a cell is chosen first, then what to do there.
function command(s, input) {
  let press = '123f'.indexOf(input.key || '-');
  const aside = input.move === 'left' ? -1 : input.move === 'right' ? 1 : 0;
  if (aside && s.sel >= 0) s.button = clamp(s.button + aside, 0, 3);
  else if (input.move) {
    const [x, y] = s.cursor < 0 ? [3, 4] : [s.cursor % COLS, Math.floor(s.cursor / COLS)];
    const dx = { left: -1, right: 1 }[input.move] || 0;
    s.cursor = clamp(y + ({ up: -1, down: 1 }[input.move] || 0), 0, ROWS - 1) * COLS + clamp(x + dx, 0, COLS - 1);
    s.sel = s.button = -1;
  } else if (input.fire) {
    if (s.sel >= 0) press = s.button;
    s.sel = s.sel >= 0 && press < 0 ? -1 : s.sel < 0 && s.spots.includes(s.cursor) ? s.cursor : s.sel;
  } else if (input.tapped && input.x !== null && input.y !== null) {
    s.cursor = -1;
    press = BAR.findIndex((b) => input.x > b.x && input.x < b.x + b.w && input.y > b.y && input.y < b.y + b.h);
    if (press < 0) {
      const cell = cellAt(board, input.x, input.y);
      s.sel = s.spots.includes(cell) && cell !== s.sel ? cell : -1;
    }
  }
  if (press === 3) s.fast = !s.fast;
  else if (press >= 0 && s.sel >= 0) act(s, press);
}

function act(s, press) {
  const t = towerAt(s, s.sel);
  const at = centre(board, s.sel);
  const cost = t ? (press === 0 && t.level < TOP ? price(t) : -1) : KINDS[press].cost;
  if (t && press === 2) {
    s.gold += Math.round(KINDS[t.kind].cost * t.level * 0.5);
    s.towers = s.towers.filter((o) => o !== t);
  } else if (cost < 0 || cost > s.gold) return note(s, 'miss', at.x, at.y);
  else {
    s.gold -= cost;
    if (t) t.level++;
    else s.towers.push({ cell: s.sel, kind: press, level: 1, wait: 0, a: -1.57, pulse: 0 });
    note(s, 'build', at.x, at.y);
  }
  s.sel = s.button = -1;
}

function run(s) {
  s.wait -= STEP;
  if (s.wait <= 0) {
    if (s.queue.length) {
      s.foes.push(s.queue.shift());
      s.wait = Math.max(0.35, 0.95 - s.wave * 0.04);
      if (s.queue.length === 0) s.wait = 2.6;
    } else if (s.foes.length === 0 || s.cfg.duration) call(s); // a clock does not wait
  }
  const pace = 1.05 * s.cfg.speed * Math.sqrt(heat(s));
  for (const f of s.foes) {
    f.slow = Math.max(0, f.slow - STEP);
    f.p += f.v * pace * (f.slow > 0 ? 0.5 : 1) * STEP;
    Object.assign(f, along(s, f.p));
    if (f.p < s.walk.length - 1) continue;
    hurt(s, f.x, f.y);
    f.hp = 0;
  }
  for (const t of s.towers) shoot(s, t);
  for (const o of s.shots) {
    const f = s.foes.find((e) => e.n === o.n && e.hp > 0);
    if (f) Object.assign(o, { tx: f.x, ty: f.y });
    const k = Math.min(1, (460 * STEP) / (hypot(o.tx - o.x, o.ty - o.y) || 1));
    [o.x, o.y] = [o.x + (o.tx - o.x) * k, o.y + (o.ty - o.y) * k];
    if (k < 1) continue;
    if (o.spread) note(s, 'blast', o.x, o.y);
    o.gone = true;
    for (const e of s.foes) if (o.spread ? near(e.x, e.y, o.x, o.y, o.spread) : e === f) wound(s, e, o.hurts);
  }
  [s.shots, s.foes] = [s.shots.filter((o) => !o.gone), s.foes.filter((f) => f.hp > 0)];
}

// call begins the next wave; with the last one gone the map is held.
function call(s) {
  if (s.wave > 0) {
    s.gold += 20 + 4 * s.wave;
    if (s.fell > 0) gain(s, 3, W / 2, 240, 'perfect');
  }
  s.fell = 0;
  if (s.wave >= s.waves && !s.cfg.duration) {
    clear(s);
    return s.over || open(s);
  }
  s.wave++;
  s.wait = s.wave === 1 || s.cfg.duration ? 0.4 : REST;
  const sort = ['big', 'plain', 'fast'][s.wave % 3];
  const n = Math.round((sort === 'big' ? 2 + s.wave * 0.5 : 4 + s.wave * 0.9) * Math.sqrt(s.cfg.density));
  for (let i = 0; i < n; i++) {
    const own = sort === 'big' || chance(s, 0.7) ? sort : 'plain';
    const [hp, v, size] = { fast: [0.75, 1.5, 32], big: [3.2, 0.72, 58], plain: [1, 1, 42] }[own];
    const most = 2.6 * hp * pow(s.cfg.duration ? 1.2 : 1.3, s.wave - 1);
    s.queue.push({ n: s.made++, p: 0, hp: most, most, v, size, slow: 0, worth: own === 'big' ? 2 : 1, x: -99, y: -99 });
  }
}

function shoot(s, t) {
  const k = KINDS[t.kind];
  t.wait -= STEP;
  t.pulse = Math.max(0, t.pulse - 2.5 * STEP);
  const at = centre(board, t.cell);
  const seen = t.wait > 0 ? [] : s.foes.filter((f) => f.hp > 0 && near(f.x, f.y, at.x, at.y, reach(t)));
  if (seen.length === 0) return;
  const f = seen.reduce((a, b) => (b.p > a.p ? b : a));
  const hurts = k.hurts * pow(1.75, t.level - 1);
  Object.assign(t, { wait: k.rate, a: atan2(f.y - at.y, f.x - at.x), pulse: 1 });
  if (t.kind < 2) s.shots.push({ x: at.x, y: at.y - 8, tx: f.x, ty: f.y, n: f.n, hurts, spread: k.spread });
  else for (const e of seen) { e.slow = 1 + 0.4 * t.level; wound(s, e, hurts); }
}

function wound(s, f, by) {
  if (f.hp <= 0 || (f.hp -= by) > 0) return;
  s.gold += 6 * f.worth + Math.floor(s.wave / 2);
  s.fell++;
  gain(s, f.worth, f.x, f.y);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const z = board.size;
  d.box(board.x - 8, board.y - 4, z * COLS + 16, z * ROWS + 8, 'groundTop', { radius: 12, stroke: 'ink', width: 3 });
  for (let i = 0; i < 40; i++) {
    d.disc(board.x + 12 + hash(i) * (z * COLS - 24), board.y + 12 + hash(i + 50) * (z * ROWS - 24), 3 + 4 * hash(i + 9),
      'ground', { alpha: 0.25 });
  }
  const bends = s.path.map(([c, r]) => [board.x + (c + 0.5) * z, Math.max(board.y, board.y + (r + 0.5) * z)]);
  for (const wide of [z - 10, z - 16]) bends.slice(1).forEach(([x, y], i) => {
    const color = wide === z - 10 ? 'ink' : 'ground';
    d.line(bends[i][0], bends[i][1], x, y, wide, color);
    if (i < bends.length - 2) d.disc(x, y, wide / 2, color);
  });
  for (const i of s.spots.filter((cell) => !towerAt(s, cell))) {
    const at = centre(board, i);
    d.box(at.x - 17, at.y - 17, 34, 34, 'shade', { radius: 9, alpha: 0.22, stroke: 'text', width: 1.5 });
  }
  const home = along(s, s.walk.length - 1);
  d.disc(home.x, home.y + 6, 32, 'panel', { stroke: 'ink', width: 3 });
  d.sprite('hero', home.x, home.y, 58 * Math.sqrt(s.cfg.size));
  for (const cell of [s.sel, s.cursor].filter((c) => c >= 0)) {
    const at = centre(board, cell);
    const t = towerAt(s, cell);
    if (t) d.ring(at.x, at.y, reach(t), 3, 'text', { alpha: 0.5 });
    d.box(at.x - 26, at.y - 26, 52, 52, 'accent',
      { radius: 10, alpha: cell === s.sel ? 0.55 : 0.25, stroke: 'accent', width: 3 });
  }
  for (const t of s.towers) {
    const at = centre(board, t.cell);
    if (t.kind === 2 && t.pulse > 0) {
      d.ring(at.x, at.y, reach(t) * (1 - t.pulse * 0.7), 4, '#bfeaff', { alpha: t.pulse * 0.8 });
    }
    drawTower(d, at.x, at.y, t.kind, t.level, t.a, t.pulse, KINDS[t.kind].color);
  }
  for (const f of s.foes) {
    d.sprite('hazard', f.x, f.y - 4 + Math.sin(s.t * 9 + f.n) * 3, f.size);
    if (f.slow > 0) d.disc(f.x, f.y, f.size * 0.5, '#bfeaff', { alpha: 0.4 });
    d.line(f.x - 17, f.y - f.size / 2 - 8, f.x + 17, f.y - f.size / 2 - 8, 7, 'ink');
    d.line(f.x - 16, f.y - f.size / 2 - 8, f.x - 15 + (31 * f.hp) / f.most, f.y - f.size / 2 - 8, 4, '#3ddc65');
  }
  for (const o of s.shots) d.disc(o.x, o.y, o.spread ? 8 : 5, o.spread ? 'ink' : 'accent', { stroke: 'ink', width: 2 });
  bar(s, d);
}

// bar draws gold and wave, and the buttons: towers, or what is done with one.
function bar(s, d) {
  const l = s.cfg.labels;
  d.box(72, 100, W - 86, 36, 'panel', { radius: 12, alpha: 0.92, stroke: 'ink', width: 2 });
  d.sprite('pickup', 104, 118, 28);
  d.text(s.gold, 152, 119, 23, { color: 'panelText', role: 'gold' });
  d.text(l.wave + ' ' + Math.max(1, s.wave) + (s.cfg.duration ? '' : '/' + s.waves), 330, 119, 21,
    { color: 'panelText', role: 'wave' });
  const t = towerAt(s, s.sel);
  BAR.forEach((b, k) => {
    const cost = k === 3 || (t && k > 0) ? -1 : t ? price(t) : KINDS[k].cost; // -1: none
    const idle = (k < 3 && (s.sel < 0 || cost > s.gold)) || (t && (k === 1 || (k === 0 && t.level >= TOP)));
    d.box(b.x, b.y, b.w, b.h, 'panel', {
      radius: 14, alpha: idle ? 0.6 : 0.97, stroke: s.button === k || (k === 3 && s.fast) ? 'accent' : 'ink',
      width: s.button === k ? 5 : 3,
    });
    const x = b.x + b.w / 2;
    for (const dx of k === 3 ? [-14, 10] : []) {
      d.poly([[x + dx - 8, 634], [x + dx + 14, 650], [x + dx - 8, 666]], s.fast ? 'panelAccent' : 'panelText');
    }
    if (k === 3) d.text(s.fast ? 'x2' : 'x1', x, 686, 21, { color: 'panelText', role: 'fast' });
    if (t && k === 0) d.text(t.level < TOP ? l.upgrade : l.best, x, 640, 19, { color: 'panelText', role: 'b0' });
    if (t && k === 2) d.text(l.sell, x, 640, 19, { color: 'panelText', role: 'b2' });
    if (!t && k < 3) drawTower(d, x, 642, k, 0, -0.8, 0, KINDS[k].color);
    if (cost >= 0 && !(t && t.level >= TOP)) {
      d.text(cost, x, 686, 22, { color: cost > s.gold ? 'hazard' : 'panelText', role: 'cost' + k });
    }
    if (t && k === 2) {
      d.text('+' + Math.round(KINDS[t.kind].cost * t.level * 0.5), x, 686, 22, { color: 'panelText', role: 'back' });
    }
  });
}
