// Roll 3D: a ball rolls along a narrow path in the sky; a tap turns it left or
// right. Off the path is a fall. The path and its rules are zigzag's.
import { base, tick, gain, hurt, note, heat, chance, lerp, blink, plenty, STEP } from '../core/world.js';
import { project } from '../core/scene.js';

export const meta = { id: 'roll3d', scroll: 'none' };

const TILE = 2; // metres
const AHEAD = 22; // tiles

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.tiles = []; // {u, v, gem, age}: u to the right, v to the left
  s.u = 0;
  s.v = 0;
  s.dir = 0;
  s.run = 5;
  s.grow = 0;
  s.fall = 0;
  s.cx = 0;
  s.cz = 0;
  s.passed = 0;
  s.spin = 0;
  for (let u = -3; u <= 3; u++) s.tiles.push({ u, v: 0, gem: false });
  while (s.tiles.length < AHEAD) addTile(s);
  return s;
}

function addTile(s) {
  const last = s.tiles[s.tiles.length - 1];
  const lean = last.u - last.v;
  if (s.run <= 0 || (s.grow === 0 && lean > 4) || (s.grow === 1 && lean < -4)) {
    s.grow = 1 - s.grow;
    s.run = 1 + Math.floor((1.6 + 3 * (s.rng % 1000) / 1000) / s.cfg.density);
  }
  const gem = chance(s, 0.24 * plenty(s));
  s.run--;
  s.tiles.push(s.grow === 0 ? { u: last.u + 1, v: last.v, gem } : { u: last.u, v: last.v + 1, gem });
}

// ground is where a place of the path is in the scene.
function ground(u, v) { return [(u - v) * TILE * 0.7071, -(u + v) * TILE * 0.7071]; }

export function under(s, u, v) { return s.tiles.find((t) => Math.abs(t.u - u) <= 0.6 && Math.abs(t.v - v) <= 0.6); }

function screen(s) {
  const [x, z] = ground(s.u, s.v);
  return project(camera(s), x, 1, z);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.fall > 0) {
    s.fall -= STEP;
    if (s.fall <= 0) recover(s);
  } else {
    if (input.pressed) {
      s.dir = 1 - s.dir;
      note(s, 'turn', ...screen(s));
    }
    const v = 3.1 * s.cfg.speed * heat(s) * STEP;
    if (s.dir === 0) s.u += v;
    else s.v += v;
    s.spin += v;
    const tile = under(s, s.u, s.v);
    if (!tile) {
      s.safe = 0; // a fall always costs a life
      hurt(s, ...screen(s));
      s.fall = 0.7;
    } else if (tile.gem) {
      tile.gem = false;
      gain(s, 3, ...screen(s));
    }
    const done = Math.floor((s.u + s.v) / 3);
    if (done > s.passed) { s.passed = done; gain(s, 1, ...screen(s)); }
  }
  while (end(s) < s.u + s.v + AHEAD) addTile(s);
  s.tiles = s.tiles.filter((t) => t.u + t.v > s.u + s.v - 5);
  const [x, z] = ground(s.u, s.v);
  s.cx = lerp(s.cx, x, 0.06);
  s.cz = lerp(s.cz, z, 0.12);
}

function end(s) {
  const t = s.tiles[s.tiles.length - 1];
  return t.u + t.v;
}

// recover puts the ball back on the nearest tile, facing along the path.
function recover(s) {
  let at = 0;
  const far = (t) => Math.abs(t.u - s.u) + Math.abs(t.v - s.v);
  s.tiles.forEach((t, i) => { if (far(t) < far(s.tiles[at])) at = i; });
  const t = s.tiles[at];
  const next = s.tiles[at + 1] || t;
  s.u = t.u;
  s.v = t.v;
  s.dir = next.u > t.u ? 0 : 1;
}

function camera(s) { return { x: s.cx * 0.6, y: 8.4, z: s.cz + 9.5, tx: s.cx * 0.8, ty: 0, tz: s.cz - 5, fov: 55 }; }

/** @param {GameState} s @param {SceneList} g */
export function scene(s, g) {
  g.view(camera(s));
  const front = s.u + s.v;
  for (const t of s.tiles) {
    const [x, z] = ground(t.u, t.v);
    const late = t.u + t.v - front;
    // they rise ahead and sink behind
    const drop = late > AHEAD - 6 ? (late - AHEAD + 6) * 0.5 : late < -2 ? (-2 - late) * 1.2 : 0;
    g.box(x, -0.75 - drop, z, TILE, 1.5, TILE, (t.u + t.v) % 2 ? 'block' : 'blockLight', { ry: Math.PI / 4 });
    if (t.gem) g.figure('pickup', x, 0.35 - drop + Math.sin(s.t * 4 + t.u) * 0.1, z, 1);
  }
  const [x, z] = ground(s.u, s.v);
  const down = s.fall > 0 ? (0.7 - s.fall) * (0.7 - s.fall) * 22 : 0;
  if (s.fall <= 0) g.shadow(x, 0, z, 0.55);
  if (!blink(s)) return;
  const r = 0.55 * Math.sqrt(s.cfg.size);
  g.figure('hero', x, -0.06 - down, z, r * 2.9, { rot: Math.sin(s.spin * 2.2) * 0.35 });
}
