// Climb: the hero runs up a wall; a tap leaps to the one across. Spikes are on
// the walls, treats in between.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, between, chance, choose, clamp, hash, near, blink, sin, plenty,
} from '../core/world.js';

export const meta = { id: 'climb', scroll: 'y' };

const WALL = 70; // thickness
export const Y = 520; // the hero's height on the screen
const LEAP = 0.26; // seconds from wall to wall
const MARK = 260; // pixels from one mark to the next, each of which scores
const BRICK = 60; // height of one in the wall behind
const SLOW = 0.45; // of the speed, at which that wall goes by

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.r = 27 * cfg.size;
  s.side = -1;
  s.leap = 1; // how far the leap has come; 1 on a wall
  s.far = 0;
  s.marks = 0;
  s.things = []; // {side, y (below the top of the field), kind}
  s.next = 260;
  return s;
}

function addRow(s) {
  const side = chance(s, 0.62) ? s.side : choose(s, [-1, 1]);
  const size = between(s, 0, 1) < 0.3 + 0.2 * (heat(s) - 1) ? 2 : 1;
  s.things.push({ side, y: -60, bad: true, size, done: false });
  if (chance(s, 0.55 * plenty(s))) {
    s.things.push({ side: chance(s, 0.5) ? 0 : -side, y: -60 - between(s, 20, 60), bad: false, size: 1, done: false });
  }
  s.next = 215 * Math.sqrt(heat(s)) / s.cfg.density;
}

function place(s) {
  const x = WALL + s.r * 0.9;
  const k = s.leap * s.leap * (3 - 2 * s.leap);
  const from = s.side < 0 ? W - x : x;
  const to = s.side < 0 ? x : W - x;
  return [from + (to - from) * k, Y - sin(k * Math.PI) * 46];
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 255 * s.cfg.speed * heat(s);
  s.far += v * STEP;
  if (input.pressed && s.leap > 0.75) {
    s.side = -s.side;
    s.leap = 0;
    const [x, y] = place(s);
    note(s, 'jump', x, y);
  }
  s.leap = Math.min(1, s.leap + (STEP / LEAP) * Math.sqrt(s.cfg.speed) / Math.sqrt(s.cfg.gravity));
  const [x, y] = place(s);
  s.next -= v * STEP;
  if (s.next <= 0) addRow(s);
  for (const t of s.things) {
    t.y += v * STEP;
    if (t.done) continue;
    const tx = t.side === 0 ? W / 2 : t.side < 0 ? WALL + 20 : W - WALL - 20;
    const reach = t.bad ? s.r * 0.62 + 20 : s.r + 26;
    const hit = near(tx, t.y, x, y, reach) || (t.bad && t.size > 1 && near(tx, t.y - 44, x, y, reach));
    if (!hit) continue;
    t.done = true;
    if (t.bad) hurt(s, x, y);
    else gain(s, 2, tx, t.y);
  }
  const marks = Math.floor(s.far / MARK);
  if (marks > s.marks) { s.marks = marks; gain(s, 1, x, y - 40); }
  s.things = s.things.filter((t) => t.y < H + 80 && !(t.done && !t.bad));
}

// behind draws the wall at the back, with its windows.
function behind(s, d) {
  const gone = Math.floor((s.far * SLOW) / BRICK);
  const off = s.far * SLOW - gone * BRICK;
  d.box(WALL, -20, W - 2 * WALL, H + 40, 'shade', { alpha: 0.22 });
  for (let i = -2; i < 13; i++) {
    const row = i - gone;
    const y = i * BRICK + off;
    for (let k = 0; k < 4; k++) {
      const r = hash(row * 5 + k);
      const x = WALL + 8 + k * 86 + (row % 2 ? 0 : -40);
      if (r < 0.45) {
        d.box(Math.max(WALL, x), y, Math.min(78, x + 78 - WALL, W - WALL - x), BRICK - 8, 'blockLight',
          { alpha: 0.1 + r * 0.16 });
      }
    }
    if (row % 4) continue;
    const x = WALL + 50 + hash(row) * 190; // a window
    d.box(x - 5, y - 45, 56, 74, 'shade', { alpha: 0.45 });
    d.box(x, y - 40, 46, 64, 'accent', { alpha: 0.16 + 0.05 * sin(s.t * 3 + row) });
    d.box(x + 21, y - 40, 4, 64, 'shade', { alpha: 0.45 });
    d.box(x, y - 12, 46, 4, 'shade', { alpha: 0.45 });
  }
}

// marks draws the lines that score: those ahead shine.
function marks(s, d) {
  for (let n = s.marks - 1; n < s.marks + 3; n++) {
    const y = Y - (n * MARK - s.far);
    if (n < 1 || y < -20 || y > H + 20) continue;
    const ahead = n > s.marks;
    for (let x = WALL + 6; x < W - WALL - 10; x += 34) {
      d.box(x, y - 3, 20, 6, ahead ? 'accent' : 'text', { alpha: ahead ? 0.8 : 0.25 });
    }
    for (const k of [-1, 1]) {
      const x = k < 0 ? WALL : W - WALL;
      d.poly([[x, y - 16], [x - k * 26, y], [x, y + 16]], ahead ? 'accent' : 'blockLight', { stroke: 'ink', width: 3 });
    }
  }
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  behind(s, d);
  marks(s, d);
  for (const k of [-1, 1]) {
    const x = k < 0 ? -20 : W - WALL;
    d.box(x, -20, WALL + 20, H + 40, 'block', { stroke: 'ink', width: 5 });
    for (let i = -1; i < 9; i++) {
      const y = i * 96 + (s.far % 96) + (k > 0 ? 48 : 0);
      d.box(k < 0 ? 8 : W - WALL + 12, y, 46, 40, 'blockLight', { radius: 8, alpha: 0.4 });
    }
    d.box(k < 0 ? WALL - 9 : W - WALL, -20, 9, H + 40, 'groundTop');
  }
  for (const t of s.things) {
    const x = t.side === 0 ? W / 2 : t.side < 0 ? WALL + 22 : W - WALL - 22;
    if (!t.bad) { d.sprite('pickup', x, t.y, 46, { rot: sin(s.t * 4) * 0.2 }); continue; }
    for (let i = 0; i < t.size; i++) {
      d.sprite('hazard', x, t.y - i * 44, 60,
        { rot: t.side < 0 ? Math.PI / 2 : -Math.PI / 2, alpha: t.done ? 0.5 : 1 });
    }
  }
  const [x, y] = place(s);
  for (let i = 1; i < 4; i++) {
    if (s.leap < 1) {
      d.sprite('dot', x + s.side * -i * 22, y + i * 7, 22 - i * 4, { tint: 'text', alpha: 0.5 - i * 0.1 });
    }
  }
  const on = s.leap >= 1;
  if (blink(s)) {
    d.sprite('hero', x, y + (on ? sin(s.far / 24) * 4 : 0), s.r * 2.7,
      { rot: on ? s.side * -0.35 : clamp(s.leap * 6.28 * s.side, -7, 7) });
  }
}
