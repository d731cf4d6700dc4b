// Runner 3D: lanes run into the distance; a tap on a side changes lanes,
// up or the middle jumps over what is low.
import {
  W, STEP, base, tick, gain, hurt, note, heat, chance, choose, clamp, lerp, blink, plenty,
} from '../core/world.js';
import { project } from '../core/scene.js';

export const meta = { id: 'runner3d', scroll: 'none', controls: 'tap' };

const LANE = 2.2; // metres between lanes
const SIGHT = 62; // metres ahead
const CAMERA = { x: 0, y: 4.6, z: 7.4, tx: 0, ty: 1.2, tz: -6, fov: 62 };

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.lane = Math.floor((lanes(s) - 1) / 2);
  s.dir = 1;
  s.x = laneX(s, s.lane);
  s.y = 0;
  s.vy = 0;
  s.far = 0;
  s.things = []; // {lane, z, kind: block, low or treat}
  s.next = 14;
  return s;
}

export function lanes(s) { return s.cfg.params.lanes || 3; }

function laneX(s, lane) { return (lane - (lanes(s) - 1) / 2) * LANE; }

function addRow(s) {
  const all = [...Array(lanes(s)).keys()];
  const first = chance(s, 0.6) ? s.lane : choose(s, all);
  const bad = [first];
  for (let i = 2; i < all.length; i++) { // one stays free
    if (chance(s, 0.35 + 0.2 * (heat(s) - 1))) bad.push(choose(s, all.filter((l) => bad.indexOf(l) < 0)));
  }
  for (const lane of bad) s.things.push({ lane, z: -SIGHT, kind: chance(s, 0.3) ? 'low' : 'block', done: false });
  const free = all.filter((l) => bad.indexOf(l) < 0);
  if (chance(s, 0.8 * plenty(s))) {
    const lane = choose(s, free);
    for (let i = 0; i < 3; i++) s.things.push({ lane, z: -SIGHT - i * 2.2, kind: 'treat', done: false });
  }
  s.next = 13.5 * Math.sqrt(heat(s)) / s.cfg.density;
}

function screen(s, x, y, z) { return project(camera(s), x, y, z); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 13 * s.cfg.speed * heat(s);
  s.far += v * STEP;
  if (input.pressed) {
    const middle = input.x !== null && Math.abs(input.x - W / 2) < W * 0.12;
    if ((input.up || middle) && s.y === 0) {
      s.vy = 7.6;
      note(s, 'jump', ...screen(s, s.x, 0.4, 0));
    } else if (!input.up && !middle) {
      if (input.x !== null) s.dir = input.x < W / 2 ? -1 : 1;
      else if (s.lane + s.dir < 0 || s.lane + s.dir >= lanes(s)) s.dir = -s.dir;
      const to = clamp(s.lane + s.dir, 0, lanes(s) - 1);
      if (to !== s.lane) note(s, 'switch', ...screen(s, s.x, 0.3, 0));
      s.lane = to;
    }
  }
  s.x = lerp(s.x, laneX(s, s.lane), 0.2);
  if (s.vy !== 0 || s.y > 0) {
    s.vy -= 19 * s.cfg.gravity * STEP;
    s.y = Math.max(0, s.y + s.vy * STEP);
    if (s.y === 0) s.vy = 0;
  }
  s.next -= v * STEP;
  if (s.next <= 0) addRow(s);
  for (const t of s.things) {
    t.z += v * STEP;
    if (t.done || Math.abs(t.z) > 0.75 || Math.abs(laneX(s, t.lane) - s.x) > 1.15 * Math.sqrt(s.cfg.size)) continue;
    if (t.kind === 'low' && s.y > 0.75) continue;
    t.done = true;
    const at = screen(s, laneX(s, t.lane), 1.2, t.z);
    if (t.kind === 'treat') gain(s, 1, ...at);
    else hurt(s, ...at);
  }
  s.things = s.things.filter((t) => t.z < 6 && !(t.done && t.kind === 'treat'));
}

function camera(s) { return Object.assign({}, CAMERA, { x: s.x * 0.35, tx: s.x * 0.5 }); }

/** @param {GameState} s @param {SceneList} g */
export function scene(s, g) {
  g.view(camera(s));
  g.box(0, -0.5, -28, LANE * lanes(s) + 0.6, 1, 84, 'ground');
  for (let k = 1; k < lanes(s); k++) {
    const x = laneX(s, k - 0.5);
    for (let i = 0; i < 16; i++) g.box(x, 0.02, 6 - i * 5 + (s.far % 5), 0.12, 0.02, 2.2, 'groundTop');
  }
  const side = LANE * lanes(s) / 2;
  for (const k of [-1, 1]) {
    g.box(k * (side + 0.45), 0.12, -28, 0.35, 0.35, 84, 'block');
    g.box(k * (side + 11.5), -0.7, -28, 22, 1, 84, 'near');
    for (let i = 0; i < 9; i++) {
      const z = 4 - i * 8 + (s.far % 8) + (k > 0 ? 4 : 0);
      const tall = 2.4 + ((i * 7 + (k > 0 ? 3 : 0)) % 5) * 0.7;
      g.post(k * 6.6, -0.2, z, 0.28, tall * 0.5, 'block');
      g.cone(k * 6.6, tall * 0.35, z, 1.25, tall, 'far');
    }
  }
  for (const t of s.things) {
    const x = laneX(s, t.lane);
    if (t.kind === 'treat') {
      g.shadow(x, 0, t.z, 0.35);
      g.figure('pickup', x, 0.45 + Math.sin(s.t * 5 + t.z) * 0.12, t.z, 0.9);
    } else if (t.kind === 'low') {
      g.box(x, 0.3, t.z, 1.9, 0.6, 0.5, 'accent');
      g.box(x, 0.62, t.z, 1.9, 0.08, 0.55, 'text');
    } else {
      g.shadow(x, 0, t.z, 0.8);
      g.figure('hazard', x, 0, t.z, 1.9, { alpha: t.done ? 0.5 : 1 });
    }
  }
  g.shadow(s.x, 0, 0, 0.75);
  const run = s.y > 0 ? 0 : Math.abs(Math.sin(s.far * 1.4)) * 0.16;
  if (blink(s)) {
    g.figure('hero', s.x, s.y + run, 0, 1.8 * Math.sqrt(s.cfg.size),
      { rot: clamp((laneX(s, s.lane) - s.x) * 0.25, -0.4, 0.4) });
  }
}
