// Crossing: step by step over roads full of cars and rivers with logs, as far as
// it goes. The field creeps up behind; who is left behind loses a life.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, random, between, chance, choose, clamp, hash, blink,
} from '../core/world.js';

export const meta = {
  id: 'crossing', scroll: 'none', controls: 'swipe', above: true,
  extra: {
    car1: { body: 'car', features: [], color: '#ef476f', color2: '#ffffff' },
    car2: { body: 'car', features: [], color: '#ffd166', color2: '#ffffff' },
    car3: { body: 'car', features: [], color: '#4dabf7', color2: '#ffffff' },
    car4: { body: 'car', features: [], color: '#9b5de5', color2: '#ffffff' },
  },
};

export const CELL = 48;
export const COLS = W / CELL;
const HOP = 0.13; // seconds of a step
const VIEW = Math.ceil(H / CELL) + 3;
const STEPS = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] };

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.lanes = []; // from the lowest that is still there
  s.first = -4; // the number of that lane; the hero starts on 0
  s.cam = -3; // lanes, of the field's lower edge
  s.best = 0;
  s.plan = { kind: 'grass', n: 0 };
  s.queue = '';
  s.hero = { x: W / 2 - CELL / 2, lane: 0, fromX: 0, from: 0, k: 1, face: 'up' };
  while (s.first + s.lanes.length < VIEW) pave(s);
  return s;
}

export function lane(s, n) { return s.lanes[n - s.first]; }

// pave adds the next lane. Roads and rivers come in strips, with grass between.
function pave(s) {
  const n = s.first + s.lanes.length;
  const hard = clamp((n / 90) * s.cfg.ramp + (heat(s) - 1) * 0.4, 0, 1);
  if (n < 3) s.plan = { kind: 'grass', n: 1 };
  else if (s.plan.n <= 0) {
    const was = s.plan.kind;
    const wet = was === 'grass' && n > 8 && s.cfg.params.rivers !== 0 && chance(s, 0.42);
    const kind = was !== 'grass' ? 'grass' : wet ? 'river' : 'road';
    s.plan = {
      kind, n: kind === 'grass' ? (chance(s, 0.6) ? 1 : 2)
      : 1 + Math.floor(random(s) * (kind === 'road' ? 2 + 3 * hard : 2 + 2 * hard)),
    };
  }
  s.plan.n--;
  s.lanes.push(s.plan.kind === 'grass' ? meadow(s, n) : traffic(s, n, s.plan.kind, hard));
}

// meadow has trees, but not on its way through, and here and there a treat.
function meadow(s, n) {
  const below = lane(s, n - 1);
  const gap = Math.floor(random(s) * COLS);
  let trees = '';
  for (let c = 0; c < COLS; c++) {
    const free = n < 3 ? c > 1 && c < COLS - 2
      : Math.abs(c - gap) < 2 || (below && below.kind === 'grass' && below.trees[c] === '.' && hash(c + n) < 0.5);
    trees += !free && chance(s, n < 3 ? 0.8 : 0.34) ? 'T' : '.';
  }
  const spots = Array.from(trees, (t, c) => (t === '.' ? c : -1)).filter((c) => c > 0 && c < COLS - 1);
  return {
    kind: 'grass', trees, treat: n > 2 && spots.length && chance(s, 0.35) ? choose(s, spots) : -1, v: 0, items: [],
  };
}

// traffic is a row of cars or logs, that goes around.
function traffic(s, n, kind, hard) {
  const below = lane(s, n - 1);
  const dir = below && below.kind === kind && below.v > 0 ? -1 : below && below.kind === kind ? 1 : chance(s, 0.5) ? 1
    : -1;
  const river = kind === 'river';
  const v = dir * between(s, river ? 38 : 60, river ? 62 + 20 * hard : 105 + 75 * hard) * s.cfg.speed;
  const items = [];
  const ring = W + 240;
  for (let x = between(s, 0, 90); x < ring - 150;) {
    const w = river ? CELL * choose(s, [2, 3, 3]) : chance(s, 0.18 * s.cfg.density) ? 92 : 64;
    items.push({ x, w, look: 1 + Math.floor(random(s) * 4) });
    x += w
      + (river ? between(s, 55, 80 + 35 * hard) : between(s, 120, 240 - 60 * hard) / clamp(s.cfg.density, 0.6, 1.5));
  }
  return { kind, trees: '', treat: -1, v, items };
}

// spot is where an item of a lane is at a time from now, -1 to 1 round of the ring.
export function spot(l, item, after) {
  const ring = W + 240;
  return ((((item.x + l.v * (after || 0)) % ring) + ring) % ring) - 120;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  for (const l of s.lanes) for (const i of l.items) i.x = (i.x + l.v * STEP + W + 240) % (W + 240);
  const h = s.hero;
  const move = input.move || (input.tapped ? 'up' : '');
  if (move) s.queue = move;
  if (h.k >= 1 && s.queue) leap(s, h);
  if (h.k < 1) {
    h.k = Math.min(1, h.k + STEP / HOP);
    if (h.k >= 1) land(s, h);
  } else ride(s, h);
  run(s, h);
  const ahead = h.lane - 5.2 - s.cam;
  const creeps = s.t >= 2 && s.cfg.params.hurry !== 0;
  s.cam += (creeps ? 0.42 * s.cfg.speed * heat(s) : 0) * STEP + Math.max(0, ahead) * 3 * STEP;
  while (s.first < Math.floor(s.cam) - 1) {
    s.lanes.shift();
    s.first++;
  }
  while (s.first + s.lanes.length < s.cam + VIEW) pave(s);
  if (h.lane < s.cam - 0.4) fail(s, h);
}

function leap(s, h) {
  const [dx, dl] = STEPS[s.queue];
  h.face = s.queue;
  s.queue = '';
  const to = lane(s, h.lane + dl);
  let x = h.x + dx * CELL;
  if (to && to.kind === 'grass' && dl !== 0) x = (Math.floor(clamp(x, 1, W - 1) / CELL) + 0.5) * CELL;
  if (!to || h.lane + dl < s.cam - 0.2 || x < 12 || x > W - 12 || to.trees[Math.floor(x / CELL)] === 'T') {
    note(s, 'bump', sx(h.x), sy(s, h.lane));
    return;
  }
  Object.assign(h, { fromX: h.x, from: h.lane, x, lane: h.lane + dl, k: 0 });
  note(s, 'hop', h.fromX, sy(s, h.from));
}

function sx(x) { return clamp(x, 24, W - 24); }

function land(s, h) {
  const l = lane(s, h.lane);
  if (l.kind === 'river' && !log(l, h.x)) {
    note(s, 'splash', sx(h.x), sy(s, h.lane));
    fail(s, h);
    return;
  }
  if (l.treat >= 0 && l.treat === Math.floor(h.x / CELL)) {
    l.treat = -1;
    gain(s, 3, h.x, sy(s, h.lane), 'perfect');
  }
  if (h.lane <= s.best) return;
  gain(s, h.lane - s.best, sx(h.x), H + 300); // no word for each step
  s.best = h.lane;
}

export function log(l, x, after) {
  return l.items.find((i) => x > spot(l, i, after) - 6 && x < spot(l, i, after) + i.w + 6);
}

// ride carries who sits on a log along.
function ride(s, h) {
  const l = lane(s, h.lane);
  if (l.kind !== 'river') return;
  h.x += l.v * STEP;
  if (h.x < -6 || h.x > W + 6) fail(s, h);
}

export function girth(s) { return 15 * (0.5 + 0.5 * s.cfg.size); }

function run(s, h) {
  const l = lane(s, h.k < 0.5 ? h.from : h.lane);
  if (!l || l.kind !== 'road' || s.safe > 0) return;
  const x = h.fromX + (h.x - h.fromX) * h.k;
  const at = h.k < 1 ? x : h.x;
  if (l.items.some((i) => at + girth(s) > spot(l, i) && at - girth(s) < spot(l, i) + i.w)) fail(s, h);
}

// fail costs a life, and puts the hero on the nearest grass ahead.
function fail(s, h) {
  s.safe = 0;
  s.queue = '';
  hurt(s, sx(h.x), clamp(sy(s, h.lane), 120, H - 30));
  if (s.over) return;
  let n = Math.max(Math.ceil(s.cam + 2), h.lane - 3);
  while (lane(s, n).kind !== 'grass') n++;
  const c = [4, 5, 3, 6, 2, 7, 1, 8, 0, 9].find((col) => lane(s, n).trees[col] === '.');
  const x = (c + 0.5) * CELL;
  Object.assign(h, { x, lane: n, fromX: x, from: n, k: 1, face: 'up' });
  s.best = Math.max(s.best, n);
}

function sy(s, n) { return H - (n - s.cam + 0.5) * CELL; }

const SOIL = { grass: ['#8bcf5a', '#7fc44f'], road: ['#50535f', '#4a4d59'], river: ['#3f9fe8', '#3996dd'] };

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  s.lanes.forEach((l, i) => {
    const n = s.first + i;
    const y = sy(s, n);
    d.box(-20, y - CELL / 2, W + 40, CELL + 1, SOIL[l.kind][Math.abs(n) % 2]);
    const above = s.lanes[i + 1];
    if (l.kind === 'road' && above && above.kind === 'road') {
      for (let x = 10; x < W; x += 60) d.box(x, y - CELL / 2 - 2, 30, 4, '#f4f4e8', { alpha: 0.7 });
    }
    if (l.kind === 'river') {
      for (let x = 0; x < 4; x++) {
        d.line(x * 130 + 20 + Math.sin(s.t + n + x) * 14, y + 12, x * 130 + 50 + Math.sin(s.t + n + x) * 14, y + 12, 3,
          '#ffffff', { alpha: 0.3 });
      }
    }
  });
  s.lanes.forEach((l, i) => things(s, d, l, sy(s, s.first + i)));
  const h = s.hero;
  if (!blink(s)) return;
  const k = h.k;
  const size = 46 * (0.5 + 0.5 * s.cfg.size);
  const x = k < 1 ? h.fromX + (h.x - h.fromX) * k : h.x;
  const y = k < 1 ? sy(s, h.from + (h.lane - h.from) * k) : sy(s, h.lane);
  d.disc(x, y + 14, size * 0.3, 'shade', { alpha: 0.25 });
  d.sprite('hero', x, y - 16 * Math.sin(Math.PI * Math.min(1, k)), size,
    { sx: h.face === 'left' ? -1 : 1, sy: k < 1 ? 1.1 : 1 });
}

function things(s, d, l, y) {
  for (const i of l.items) {
    const x = spot(l, i);
    if (l.kind === 'river') {
      d.box(x, y - 18, i.w, 36, '#9a6237', { radius: 18, stroke: '#5d3a1f', width: 3 });
      for (let k = 1; k < i.w / 40; k++) {
        d.line(x + k * 40 - 12, y - 6 + (k % 2) * 10, x + k * 40 + 8, y - 6 + (k % 2) * 10, 3, '#7a4a27');
      }
    } else if (i.w > 70) {
      d.box(x, y - 20, i.w, 40, '#e9edf2', { radius: 7, stroke: 'ink', width: 3 });
      d.box(l.v > 0 ? x + i.w - 26 : x, y - 20, 26, 40, '#ef476f', { radius: 7, stroke: 'ink', width: 3 });
    } else car(d, x + i.w / 2, y, l.v > 0 ? 1 : -1, i.look);
  }
  for (let c = 0; c < COLS; c++) {
    if (l.trees[c] !== 'T') continue;
    d.disc((c + 0.5) * CELL, y + 4, 21, '#3f8f4b', { stroke: '#2c6b38', width: 3 });
    d.disc((c + 0.5) * CELL - 5, y - 3, 9, '#5fb56c');
  }
  if (l.treat >= 0) d.sprite('pickup', (l.treat + 0.5) * CELL, y + Math.sin(s.t * 4 + l.treat) * 2, 34);
}

function car(d, x, y, dir, look) {
  d.sprite('car' + look, x, y, 62, { rot: (dir * Math.PI) / 2 });
}
