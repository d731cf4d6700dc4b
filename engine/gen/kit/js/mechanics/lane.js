// Lane: lanes, seen from above. A tap on a side moves the hero there; a
// key without a side moves it to and fro.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, chance, choose, clamp, lerp, blink, plenty,
} from '../core/world.js';

export const meta = { id: 'lane', scroll: 'y', above: true };

export const Y = 590; // the hero's place

export function lanes(s) { return s.cfg.params.lanes || 3; }
function wide(s) { return Math.min(130, 390 / lanes(s)); }
export function middle(s, lane) { return W / 2 + (lane - (lanes(s) - 1) / 2) * wide(s); }

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.lane = Math.floor((lanes(s) - 1) / 2);
  s.dir = 1; // where a tap without a side goes
  s.x = middle(s, s.lane);
  s.lean = 0;
  s.r = 34 * cfg.size * Math.sqrt(wide(s) / 130);
  s.far = 0;
  s.items = [];
  s.next = 220;
  return s;
}

function addRow(s) {
  const all = [...Array(lanes(s)).keys()];
  // Half of the rows threaten the lane that the hero is in.
  const first = chance(s, 0.6) ? s.lane : choose(s, all);
  const bad = [first];
  for (let i = 2; i < all.length; i++) { // one stays free
    if (chance(s, 0.3 + 0.25 * (heat(s) - 1))) bad.push(choose(s, all.filter((l) => bad.indexOf(l) < 0)));
  }
  for (const lane of bad) s.items.push({ lane, y: -70, bad: true, done: false });
  const free = all.filter((l) => bad.indexOf(l) < 0);
  if (chance(s, 0.75 * plenty(s))) s.items.push({ lane: choose(s, free), y: -70, bad: false, done: false });
  s.next = 250 * Math.sqrt(heat(s)) / s.cfg.density;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const last = lanes(s) - 1;
  const v = 285 * s.cfg.speed * heat(s);
  s.far += v * STEP;
  if (input.pressed) {
    if (input.x === null) {
      if (s.lane + s.dir < 0 || s.lane + s.dir > last) s.dir = -s.dir;
    } else s.dir = input.x < W / 2 ? -1 : 1;
    const to = clamp(s.lane + s.dir, 0, last);
    if (to !== s.lane) note(s, 'switch', s.x, Y + 30);
    s.lane = to;
  }
  const was = s.x;
  s.x = lerp(s.x, middle(s, s.lane), 0.24);
  s.lean = lerp(s.lean, clamp((s.x - was) / 14, -0.5, 0.5), 0.3);
  s.next -= v * STEP;
  if (s.next <= 0) addRow(s);
  for (const i of s.items) {
    i.y += v * STEP;
    if (i.done || Math.abs(i.y - Y) > s.r * 0.8 + 24 || Math.abs(middle(s, i.lane) - s.x) > s.r * 0.7 + 26) continue;
    i.done = true;
    if (i.bad) hurt(s, s.x, Y);
    else gain(s, 1, s.x, Y - 30);
  }
  s.items = s.items.filter((i) => i.y < H + 60 && !(i.done && !i.bad));
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(34, -20, W - 68, H + 40, 'ground');
  d.box(34, -20, 9, H + 40, 'groundTop');
  d.box(W - 43, -20, 9, H + 40, 'groundTop');
  for (let k = 1; k < lanes(s); k++) {
    const x = middle(s, k - 0.5);
    for (let i = -1; i < 9; i++) d.box(x - 4, i * 100 + (s.far % 100), 8, 48, 'groundTop', { radius: 4, alpha: 0.75 });
  }
  for (let i = -1; i < 5; i++) {
    const y = i * 190 + (s.far % 190);
    d.disc(14, y, 20, 'near', { stroke: 'ink', width: 3 });
    d.disc(W - 14, y + 90, 20, 'near', { stroke: 'ink', width: 3 });
  }
  const k = Math.sqrt(wide(s) / 130);
  for (const i of s.items) {
    if (i.bad) d.sprite('hazard', middle(s, i.lane), i.y, 82 * k, { alpha: i.done ? 0.45 : 1 });
    else d.sprite('pickup', middle(s, i.lane), i.y, 52 * k, { rot: Math.sin(s.t * 4 + i.y / 80) * 0.2 });
  }
  d.disc(s.x, Y + s.r * 0.9, s.r * 0.9, 'shade', { alpha: 0.2 });
  if (blink(s)) d.sprite('hero', s.x, Y + Math.sin(s.t * 16) * 1.5, s.r * 2.7, { rot: s.lean });
}
