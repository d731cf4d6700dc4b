// Fishing: the hero sits in a boat and lets a line down. Fish hang on the hook
// until it is back; big ones live deep. Junk is worth nothing, and who lives on
// fish bites the line through.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, clamp, near, sin, blink,
} from '../core/world.js';

export const meta = {
  id: 'fishing', scroll: 'none', controls: 'pointer',
  extra: {
    minnow: { art: 'fish', color: '#ffb347' }, perch: { art: 'fish', color: '#6fd08c' },
    tuna: { art: 'fish', color: '#5b8def' }, gold: { art: 'fish', color: '#ffd700' },
    cone: { art: 'cone', color: '#ff8c2e' }, crate: { art: 'crate', color: '#9a7b4f' },
  },
};

export const SEA = 226; // where the water begins
const BED = 690;
export const ROD = 46; // from the middle of the boat to the tip of the rod
const TIP = 168;
export function most(s) { return s.cfg.params.hooks || 3; } // on one line
const DAY = 40; // seconds in which the goal of a level is to be met
// What swims: size, worth, depth and speed.
export const FISH = {
  minnow: { size: 34, worth: 1, top: 270, low: 400, v: 55 }, perch: { size: 46, worth: 2, top: 380, low: 530, v: 75 },
  tuna: { size: 66, worth: 4, top: 500, low: 645, v: 95 }, gold: { size: 44, worth: 8, top: 560, low: 650, v: 150 },
  cone: { size: 40, worth: 0, top: 300, low: 640, v: 22 }, crate: { size: 38, worth: 0, top: 360, low: 650, v: 16 },
};
const SHOALS = ['minnow', 'minnow', 'minnow', 'perch', 'perch', 'perch', 'tuna', 'tuna'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.x = W / 2 - ROD;
  s.dir = 1;
  s.hook = { y: TIP + 40, torn: 0, bite: 0 };
  s.load = [];
  s.sea = [];
  s.foe = { x: -80, y: 480, dir: 1, wait: 5 };
  for (const kind of SHOALS) spawn(s, kind, true);
  spawn(s, 'cone', true);
  s.gift = 0;
  dawn(s);
  return s;
}

function dawn(s) {
  s.haul = 0;
  s.goal = 12 + 8 * s.level;
  s.day = DAY;
}

// spawn lets one more swim in, at the start from anywhere.
function spawn(s, kind, anywhere) {
  const k = FISH[kind];
  const dir = chance(s, 0.5) ? 1 : -1;
  s.sea.push({
    kind, x: anywhere ? between(s, 40, W - 40) : dir > 0 ? -50 : W + 50, y: between(s, k.top, k.low), dir,
    v: k.v * between(s, 0.75, 1.25), phase: between(s, 0, 6),
  });
}

export function hookX(s) { return s.x + ROD; }
export function pace(s) { return 250 * s.cfg.speed * Math.sqrt(s.cfg.gravity); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  steer(s, input);
  const h = s.hook;
  h.torn = Math.max(0, h.torn - STEP);
  h.bite = Math.max(0, h.bite - STEP);
  const sinks = h.torn <= 0
    && s.load.length < most(s) && (input.duck || (input.down && !input.left && !input.right && !input.up));
  const weight = s.load.reduce((n, f) => n + FISH[f.kind].size, 0);
  h.y = clamp(h.y + (sinks ? pace(s) : -(360 - weight) * Math.sqrt(s.cfg.speed)) * STEP, TIP + 40, BED - 20);
  if (h.y <= TIP + 40 && s.load.length > 0) land(s);
  for (const f of s.sea) swim(s, f);
  s.sea = s.sea.filter((f) => !f.gone);
  prowl(s);
  if (s.cfg.duration) return;
  s.day -= STEP;
  if (s.haul >= s.goal) {
    gain(s, 5, s.x, 150, 'perfect');
    clear(s);
    dawn(s);
  } else if (s.day <= 0) {
    s.safe = 0;
    hurt(s, s.x, 170);
    dawn(s);
  }
}

// steer lets the boat follow a finger or arrow keys; the tip of the rod is what
// comes to the place that is pointed at.
function steer(s, input) {
  const keys = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  const to = keys ? s.x + keys * 99 : input.x === null ? s.x : input.x - ROD;
  const by = clamp(to - s.x, -240 * s.cfg.speed * STEP, 240 * s.cfg.speed * STEP);
  s.x = clamp(s.x + by, 62 - ROD, W - 26 - ROD);
}

function swim(s, f) {
  const k = FISH[f.kind];
  f.x += f.dir * f.v * s.cfg.speed * Math.sqrt(heat(s)) * STEP;
  if ((f.x < -60 && f.dir < 0) || (f.x > W + 60 && f.dir > 0)) {
    f.dir = -f.dir;
    f.y = between(s, k.top, k.low);
  }
  const y = f.y + sin(s.t * 2 + f.phase) * 6;
  if (s.hook.torn > 0 || s.load.length >= most(s) || !near(f.x, y, hookX(s), s.hook.y, 12 + k.size * 0.36)) return;
  f.gone = true;
  s.load.push({ kind: f.kind });
  note(s, 'bite', f.x, y);
}

// prowl moves the one who bites lines through.
function prowl(s) {
  const f = s.foe;
  if (s.cfg.params.shark === 0) return;
  f.wait -= STEP;
  if (f.wait > 0) return;
  f.x += f.dir * 92 * s.cfg.speed * heat(s) * Math.sqrt(s.cfg.density) * STEP;
  if (f.x < -90 || f.x > W + 90) {
    f.dir = f.x < 0 ? 1 : -1;
    f.y = between(s, 330, 600);
    f.wait = between(s, 2, 5) / s.cfg.density;
    return;
  }
  if (s.hook.torn > 0 || !near(f.x, f.y, hookX(s), clamp(f.y, TIP, s.hook.y), 34) || s.hook.y < f.y - 30) return;
  s.hook.torn = 1.2;
  hurt(s, hookX(s), f.y);
  for (const l of s.load) spawn(s, l.kind, false);
  s.load = [];
  s.hook.y = Math.min(s.hook.y, f.y);
}

// land takes what hangs on the hook into the boat.
function land(s) {
  const worth = s.load.reduce((n, f) => n + FISH[f.kind].worth, 0);
  const full = s.load.filter((f) => FISH[f.kind].worth > 0).length === most(s);
  for (const f of s.load) {
    if (f.kind !== 'gold') spawn(s, FISH[f.kind].worth ? f.kind : chance(s, 0.5) ? 'cone' : 'crate', false);
  }
  s.load = [];
  s.haul += worth;
  if (worth > 0) gain(s, worth + (full ? 2 : 0), hookX(s), 204, full || worth > 7 ? 'perfect' : 'gain');
  else {
    s.streak = 0;
    note(s, 'miss', hookX(s), 180);
  }
  s.gift++;
  if (s.gift % 4 === 0) spawn(s, 'gold', false);
  if (s.gift % Math.max(2, Math.round(5 / s.cfg.density)) === 0
      && s.sea.filter((f) => !FISH[f.kind].worth).length < 5) {
    spawn(s, 'crate', false);
  }
}

function fish(d, kind, x, y, opt) { d.sprite(kind, x, y, FISH[kind].size, opt); }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(-20, 0, W + 40, SEA + 10, 'bg');
  d.disc(W - 90, 150, 34, '#fff3b0', { alpha: 0.9 });
  for (let k = 0; k < 3; k++) {
    const x = ((k * 190 + s.t * 8) % (W + 160)) - 80;
    for (const [dx, r] of [[-24, 15], [0, 21], [26, 16]]) d.disc(x + dx, 140 + k * 18, r, '#ffffff', { alpha: 0.55 });
  }
  ['#3f9fd8', '#2f86c0', '#226da6', '#185689', '#10406b'].forEach((color, k) =>
    d.box(-20, SEA + k * 94, W + 40, H - SEA - k * 94 + 20, color));
  for (let k = 0; k < 13; k++) d.disc(k * 42 - 14 + Math.sin(s.t * 1.4) * 10, SEA + 2, 24, '#3f9fd8');
  for (let k = 0; k < 7; k++) {
    d.line(40 + k * 66, SEA + 40 + (k % 3) * 26, 76 + k * 66, SEA + 40 + (k % 3) * 26, 3, '#bfe6ff', { alpha: 0.35 });
  }
  d.box(-20, BED, W + 40, 60, '#c9a66b');
  for (let k = 0; k < 9; k++) {
    const sway = Math.sin(s.t * 1.5 + k) * 7;
    d.line(24 + k * 55, BED + 6, 24 + k * 55 + sway, BED - 24 - (k % 3) * 16, 7, '#2f9e6b');
    d.disc(50 + k * 55, BED + 4, 9 + (k % 4) * 4, '#a88650');
  }
  for (const f of s.sea) {
    fish(d, f.kind, f.x, f.y + Math.sin(s.t * 2 + f.phase) * 6,
      { sx: f.dir > 0 ? -1 : 1, rot: FISH[f.kind].worth ? 0 : Math.sin(s.t + f.phase) * 0.3 });
  }
  if (s.foe.wait <= 0) d.sprite('hazard', s.foe.x, s.foe.y, 84, { sx: s.foe.dir > 0 ? -1 : 1 });
  const [x, h] = [hookX(s), s.hook];
  d.line(x, TIP, x, h.y, 2.5, h.torn > 0 ? 'hazard' : '#ffffff');
  if (h.torn <= 0) {
    d.ring(x - 5, h.y + 5, 8, 4, '#e8eef5');
    d.disc(x, h.y - 8, 6, 'hazard', { stroke: 'ink', width: 2 });
  }
  s.load.forEach((f, k) => fish(d, f.kind, x + (k - 1) * 8, h.y + 22 + k * 16, { rot: 1.4 }));
  const rock = Math.sin(s.t * 1.8) * 0.04;
  if (blink(s)) d.sprite('hero', s.x - 12, SEA - 54, 70 * Math.sqrt(s.cfg.size), { rot: rock });
  d.line(s.x + 6, SEA - 36, x, TIP, 5, '#6b4423');
  const y = SEA - 24 + Math.sin(s.t * 1.8) * 2;
  d.poly([[s.x - 62, y], [s.x + 62, y], [s.x + 42, y + 36], [s.x - 44, y + 36]], '#b5532a',
    { stroke: 'ink', width: 3 });
  d.box(s.x - 66, y - 4, 132, 11, '#e8b36b', { radius: 5, stroke: 'ink', width: 2 });
  for (let k = 0; k < most(s); k++) {
    d.sprite('pickup', s.x - 34 + (k * 72) / most(s), SEA + 36, 20, { alpha: k < s.load.length ? 1 : 0.25 });
  }
  if (s.cfg.duration) return;
  d.box(70, 102, W - 90, 32, 'panel', { radius: 12, alpha: 0.92, stroke: 'ink', width: 2 });
  d.text(s.cfg.labels.goal + ' ' + s.haul + '/' + s.goal, 160, 119, 20, { color: 'panelText', role: 'goal' });
  d.box(262, 112, 178, 12, 'shade', { radius: 6, alpha: 0.35 });
  if (s.day > 1) d.box(262, 112, (178 * s.day) / DAY, 12, s.day < 10 ? 'hazard' : 'panelAccent', { radius: 6 });
}
