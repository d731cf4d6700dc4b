// Racing: a car seen from above, three opponents, a closed track that the seed
// lays out, and laps. Who comes in among the first two wins the race.
import {
  W, H, STEP, PI, base, tick, gain, hurt, note, clear, heat, chance, choose, clamp, near, sin, cos,
  hypot, hash, blink,
} from '../core/world.js';
import { N, lay, point, turn } from '../core/track.js';

export { N, point, turn };

export const meta = {
  id: 'racing', scroll: 'none', controls: 'sides',
  extra: {
    car1: { body: 'cartop', color: '#e63946' }, car2: { body: 'cartop', color: '#2f83f7' },
    car3: { body: 'cartop', color: '#9d4edd' }, kart: { body: 'cartop', color: '#ffd23f' },
    bike1: { body: 'biketop', color: '#e63946' }, bike2: { body: 'biketop', color: '#2f83f7' },
    bike3: { body: 'biketop', color: '#9d4edd' }, bike: { body: 'biketop', color: '#ffd23f' },
  },
};

export const HALF = 88; // of its width
const TOP = 430; // units a second
const QUARTER = N / 4;
const GRID = [6, 4, 2]; // points ahead of the line at which the others start
const EYE = { x: W / 2, y: 510 }; // where the car is on the screen

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  s.laps = cfg.params.laps || 3;
  line(s);
  return s;
}

// line puts all on a new track's starting line.
function line(s) {
  const size = s.cfg.duration ? clamp((s.cfg.duration * 0.62 * s.cfg.speed) / (s.laps * 10.5), 0.8, 1.25) : 1.3;
  lay(s, size);
  s.count = 1.4; // seconds until the start
  s.done = 0; // quarters of laps
  const at = point(s, 0, 30);
  s.me = { x: at.x, y: at.y, a: at.a, slip: at.a, v: 0, i: 0, lap: 0, off: 30, out: 0, spin: 0, boost: 0 };
  s.cam = at.a;
  s.cars = GRID.map((p, k) => ({ p, off: [-36, 36, -36][k], v: 0, pace: 0.86 + 0.04 * k, place: 0 }));
  s.place = 4;
  s.rocks = [];
  s.coins = [];
  for (let i = 12; i < N - 4; i += 6) {
    const off = choose(s, [-48, 0, 48]);
    const bend = Math.abs(turn(point(s, i + 4, 0).a - point(s, i - 4, 0).a));
    if (i % 12 === 0 && bend < 0.8 && chance(s, 0.4 * s.cfg.density * heat(s))) s.rocks.push({ i, off });
    else s.coins.push({ i, off, lap: 0 });
  }
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.count -= STEP;
  if (s.count > 0) return;
  drive(s, input);
  for (const c of s.cars) {
    const ahead = point(s, c.p, 0).a;
    const bend = Math.abs(turn(point(s, c.p + 4, 0).a - ahead));
    const lead = c.p - (s.me.lap * N + s.me.i);
    const want = top(s) * Math.min(1.02, c.pace + 0.03 * heat(s)) * (1 - 0.22 * Math.min(1, bend))
      * clamp(1 - lead / 260, 0.88, 1.1);
    c.v += clamp(want - c.v, -600 * STEP, 260 * STEP);
    c.p += (c.v * STEP) / s.gap;
    const at = point(s, c.p, c.off);
    if (!near(at.x, at.y, s.me.x, s.me.y, 42)) continue;
    const right = -sin(s.me.a) * (at.x - s.me.x) + cos(s.me.a) * (at.y - s.me.y) > 0 ? 1 : -1;
    s.me.x += sin(s.me.a) * right * 3;
    s.me.y -= cos(s.me.a) * right * 3;
    c.off = clamp(c.off + right * 2, -HALF + 20, HALF - 20);
    s.me.v *= 0.985;
    note(s, 'bump', s.me.x, -99);
  }
  rank(s);
}

export function top(s) { return TOP * s.cfg.speed; }

function drive(s, input) {
  const m = s.me;
  const grass = Math.abs(m.off) > HALF;
  const brake = input.duck || (input.left && input.right);
  m.boost = Math.max(0, m.boost - STEP);
  m.spin = Math.max(0, m.spin - STEP);
  const want = brake ? 0 : top(s) * (m.boost > 0 ? 1.22 : 1) * (grass ? 0.4 : 1);
  m.v += clamp(want - m.v, (brake ? -520 : grass ? -800 : -200) * STEP, 290 * s.cfg.speed * STEP);
  const way = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  m.a += way * 2.7 * clamp(m.v / 150, 0, 1) * Math.sqrt(s.cfg.speed) * STEP;
  m.slip += turn(m.a - m.slip) * Math.min(1, 9 * STEP);
  m.x += cos(m.slip) * m.v * STEP;
  m.y += sin(m.slip) * m.v * STEP;
  s.cam += turn(m.a - s.cam) * Math.min(1, 6 * STEP);
  locate(s, m);
  m.out = grass ? m.out + STEP : 0;
  if (Math.abs(m.off) > HALF + 130 || m.out > 3) rescue(s, m);
  for (const r of s.rocks) {
    const at = point(s, r.i, r.off);
    if (s.safe > 0 || !near(at.x, at.y, m.x, m.y, 32 + 6 * s.cfg.size)) continue;
    m.v *= 0.35;
    m.spin = 0.6;
    hurt(s, EYE.x, EYE.y);
  }
  for (const c of s.coins) {
    const at = point(s, c.i, c.off);
    if (c.lap > m.lap || !near(at.x, at.y, m.x, m.y, 46)) continue;
    c.lap = m.lap + 1;
    m.boost = 0.9;
    gain(s, 1, EYE.x, EYE.y - 40);
  }
}

// locate follows a car's nearest point of the track, and counts its laps.
function locate(s, m) {
  const far = (i) => hypot(s.track[i][0] - m.x, s.track[i][1] - m.y);
  for (let k = 0; k < 8 && far((m.i + 1) % N) < far(m.i); k++) if (++m.i === N) { m.i = 0; m.lap++; }
  for (let k = 0; k < 8 && far((m.i + N - 1) % N) < far(m.i); k++) if (--m.i < 0) { m.i = N - 1; m.lap--; }
  const at = point(s, m.i, 0);
  m.off = -sin(at.a) * (m.x - at.x) + cos(at.a) * (m.y - at.y);
  const quarters = Math.floor((m.lap * N + m.i) / QUARTER);
  if (quarters <= s.done) return;
  s.done = quarters;
  if (m.out < 1.5) gain(s, quarters % 4 === 0 ? 3 : 1, EYE.x, EYE.y - 60, quarters % 4 === 0 ? 'perfect' : 'gain');
  if (quarters >= 4 * s.laps) arrive(s);
}

function rescue(s, m) {
  const at = point(s, m.i, 0);
  hurt(s, EYE.x, EYE.y);
  Object.assign(m, { x: at.x, y: at.y, a: at.a, slip: at.a, v: 0, off: 0, out: 0 });
}

function rank(s) {
  const place = 1 + s.cars.filter((c) => c.p > s.me.lap * N + s.me.i).length;
  if (place < s.place && s.done > 0) gain(s, 1, EYE.x, EYE.y - 80);
  s.place = place;
}

// arrive ends a race; who is third or last pays with a life and races again.
function arrive(s) {
  const place = 1 + s.cars.filter((c) => c.p >= s.laps * N).length;
  gain(s, [20, 12, 6, 3][place - 1], EYE.x, EYE.y - 100, 'perfect');
  if (place <= 2) clear(s);
  else {
    s.safe = 0;
    hurt(s, EYE.x, EYE.y);
  }
  if (!s.over) line(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const turned = -s.cam - PI / 2;
  const [c, n] = [cos(turned), sin(turned)];
  /** @type {(x: number, y: number) => [number, number]} */
  const see = (x, y) => [EYE.x + (x - s.me.x) * c - (y - s.me.y) * n, EYE.y + (x - s.me.x) * n + (y - s.me.y) * c];
  const seen = ([x, y], by) => x > -by && x < W + by && y > -by && y < H + by;
  d.box(-30, -30, W + 60, H + 60, 'groundTop');
  for (let i = -4; i < 5; i++) for (let j = -5; j < 6; j++) {
    const [gx, gy] = [Math.floor(s.me.x / 150) + i, Math.floor(s.me.y / 150) + j];
    const at = see((gx + hash(gx * 31 + gy)) * 150, (gy + hash(gx + gy * 57)) * 150);
    if (seen(at, 40)) d.disc(at[0], at[1], 10 + 18 * hash(gx * 7 + gy * 13), 'ground', { alpha: 0.22 });
  }
  const road = s.track.map(([x, y]) => see(x, y));
  const each = (width, color, over) => road.forEach((a, i) => {
    const b = road[(i + 1) % N];
    if (!seen(a, 170)) return;
    const [ex, ey] = [((b[0] - a[0]) / s.gap) * over, ((b[1] - a[1]) / s.gap) * over];
    d.line(a[0] - ex, a[1] - ey, b[0] + ex, b[1] + ey, width, color(i));
  });
  each(HALF * 2 + 22, (i) => (i % 2 ? '#e63946' : '#f5f5f5'), 3);
  each(HALF * 2, () => '#50545f', 7);
  road.forEach((a, i) => {
    if (i % 2 && seen(a, 60)) {
      d.line(a[0], a[1], road[(i + 1) % N][0], road[(i + 1) % N][1], 5, '#f5f5f5', { alpha: 0.45 });
    }
  });
  for (let k = 0; k < 24; k++) {
    const at = point(s, -0.3 + 0.3 * (k % 2), (Math.floor(k / 2) - 5.5) * 14.7);
    const [x, y] = see(at.x, at.y);
    if (seen([x, y], 20)) {
      d.line(x - 8 * cos(at.a + turned + PI / 2), y - 8 * sin(at.a + turned + PI / 2),
        x + 8 * cos(at.a + turned + PI / 2), y + 8 * sin(at.a + turned + PI / 2), 10,
        (k + Math.floor(k / 2)) % 2 ? '#111111' : '#ffffff');
    }
  }
  const thing = (name, p, off, size, opt) => {
    const at = point(s, p, off);
    const [x, y] = see(at.x, at.y);
    if (seen([x, y], 50)) d.sprite(name, x, y, size, opt && { rot: at.a - s.cam });
  };
  for (const r of s.rocks) thing('hazard', r.i, r.off, 54);
  for (const p of s.coins) if (p.lap <= s.me.lap) thing('pickup', p.i, p.off, 42);
  const bikes = s.cfg.params.bikes > 0; // with those who ride them
  s.cars.forEach((o, k) => thing((bikes ? 'bike' : 'car') + (k + 1), o.p, o.off, 76, true));
  const rot = s.me.a - s.cam + s.me.spin * 10;
  if (s.me.boost > 0) d.disc(EYE.x, EYE.y + 40, 9 + 4 * Math.sin(s.t * 40), 'accent', { alpha: 0.8 });
  if (blink(s)) d.sprite(bikes ? 'bike' : 'kart', EYE.x, EYE.y, 78 * Math.sqrt(s.cfg.size), { rot });
  if (blink(s) && !bikes) d.sprite('hero', EYE.x, EYE.y, 42 * Math.sqrt(s.cfg.size), { rot: rot * 0.5 });
  plan(s, d);
}

// plan draws the map, the place and the lap.
function plan(s, d) {
  const to = (p, off) => { const at = point(s, p, off); return [W - 70 + at.x * 0.05, 172 + at.y * 0.05]; };
  d.box(W - 132, 104, 124, 136, 'shade', { radius: 14, alpha: 0.5 });
  for (let i = 0; i < N; i += 3) d.line(...to(i, 0), ...to(i + 3, 0), 5, 'text', { alpha: 0.9 });
  s.cars.forEach((o, k) => d.disc(...to(o.p, 0), 5, ['#e63946', '#2f83f7', '#9d4edd'][k], { stroke: 'ink', width: 2 }));
  d.disc(...to(s.me.i, 0), 6.5, '#ffd23f', { stroke: 'ink', width: 2 });
  d.box(14, H - 62, 200, 46, 'panel', { radius: 14, alpha: 0.9, stroke: 'ink', width: 3 });
  d.text(s.cfg.labels.place + ' ' + s.place + '/4', 114, H - 39, 26, { color: 'panelText', role: 'place' });
  d.box(W - 214, H - 62, 200, 46, 'panel', { radius: 14, alpha: 0.9, stroke: 'ink', width: 3 });
  d.text(s.cfg.labels.lap + ' ' + clamp(s.me.lap + 1, 1, s.laps) + '/' + s.laps, W - 114, H - 39, 26,
    { color: 'panelText', role: 'lap' });
  if (s.count <= -0.6) return;
  for (let k = 0; k < 3; k++) {
    d.disc(W / 2 + (k - 1) * 60, 280, 24, s.count <= 0 ? '#2fb563' : s.count < 1.2 - k * 0.4 ? '#e63946' : 'shade',
      { stroke: 'ink', width: 4 });
  }
}
