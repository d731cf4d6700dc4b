// Drive 3D: a road winds into the distance; held keys or sides of the screen
// steer. Weave through what comes, keep on the road.
import {
  W, STEP, base, tick, gain, hurt, note, heat, between, chance, clamp, lerp, blink, sin, plenty,
} from '../core/world.js';
import { project } from '../core/scene.js';

export const meta = { id: 'drive3d', scroll: 'none', behind: true };

const HALF = [0, 3.6, 4.6, 6]; // metres from the middle of the road to its edge, by params.road
const SIGHT = 70;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.x = 0; // from the middle of the road
  s.vx = 0;
  s.far = 0;
  s.things = []; // {x, z (metres ahead), kind}
  s.next = 16;
  s.meters = 0;
  s.lean = 0;
  return s;
}

export function edge(s) { return HALF[s.cfg.params.road || 2]; }

// bend is where the middle of the road is, so many metres down it.
function bend(at) { return sin(at / 47) * 7 + sin(at / 19) * 1.6; }

function addRow(s) {
  const aim = chance(s, 0.55) ? clamp(s.x + between(s, -0.8, 0.8), -edge(s) + 1, edge(s) - 1)
    : between(s, -edge(s) + 1, edge(s) - 1);
  s.things.push({ x: aim, z: SIGHT, kind: 'bad', vx: chance(s, 0.25) ? between(s, -1.2, 1.2) : 0, done: false });
  if (chance(s, 0.3 * (heat(s) - 0.4))) {
    s.things.push({
      x: aim > 0 ? between(s, -edge(s) + 1, aim - 3) : between(s, aim + 3, edge(s) - 1), z: SIGHT, kind: 'bad', vx: 0,
      done: false,
    });
  }
  if (chance(s, 0.7 * plenty(s))) {
    const x = aim > 0 ? between(s, -edge(s) + 1, aim - 2.2) : between(s, aim + 2.2, edge(s) - 1);
    for (let i = 0; i < 3; i++) s.things.push({ x, z: SIGHT + i * 2.6, kind: 'treat', vx: 0, done: false });
  }
  s.next = 12.5 * Math.sqrt(heat(s)) / s.cfg.density;
}

function screen(s, x, y, z) { return project(camera(s), x, y, z); }

// spot is where a thing is in the scene: the hero is at x, 0, 0.
function spot(s, t) { return [t.x + bend(s.far + t.z) - bend(s.far), -t.z]; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 17 * s.cfg.speed * heat(s);
  s.far += v * STEP;
  const touch = input.down && input.x !== null;
  const left = input.left || (touch && input.x < W / 2);
  const right = input.right || (touch && input.x >= W / 2);
  // The road's bend pulls outwards: going straight is no way to stay on it.
  const pull = (bend(s.far + 1) - bend(s.far)) * v * 0.72;
  s.vx = lerp(s.vx, (right ? 7.6 : 0) - (left ? 7.6 : 0), 0.16);
  s.x += (s.vx - pull) * STEP;
  s.lean = lerp(s.lean, s.vx * 0.035, 0.2);
  if (Math.abs(s.x) > edge(s) - 0.5) {
    s.x = clamp(s.x, -edge(s) + 0.5, edge(s) - 0.5);
    hurt(s, ...screen(s, s.x, 0.6, 0));
  }
  s.next -= v * STEP;
  if (s.next <= 0) addRow(s);
  for (const t of s.things) {
    t.z -= (t.kind === 'bad' ? v * 0.86 : v) * STEP;
    t.x = clamp(t.x + t.vx * STEP, -edge(s) + 1, edge(s) - 1);
    if (t.done
        || Math.abs(t.z) > 1.1 || Math.abs(t.x - s.x) > (t.kind === 'bad' ? 1.25 : 1.35) * Math.sqrt(s.cfg.size)) {
      continue;
    }
    t.done = true;
    if (t.kind === 'treat') gain(s, 1, ...screen(s, s.x, 1.4, 0));
    else hurt(s, ...screen(s, s.x, 0.8, 0));
  }
  for (const t of s.things) {
    if (t.kind !== 'bad' || t.done || t.passed || t.z > -1.2) continue;
    t.passed = true;
    gain(s, 1, ...screen(s, t.x, 1, 0));
    note(s, 'whoosh', ...screen(s, t.x, 0.5, 0));
  }
  s.things = s.things.filter((t) => t.z > -7 && !(t.done && t.kind === 'treat'));
}

function camera(s) {
  return {
    x: s.x * 0.55, y: 4.2, z: 6.6, tx: s.x * 0.75 + (bend(s.far + 16) - bend(s.far)) * 0.4, ty: 0.9, tz: -9, fov: 60,
  };
}

/** @param {GameState} s @param {SceneList} g */
export function scene(s, g) {
  g.view(camera(s));
  g.box(0, -1.1, -40, 150, 1, 130, 'near');
  const step = 3;
  for (let i = -3; i < 30; i++) {
    const z = i * step - (s.far % step);
    const x = bend(s.far + z) - bend(s.far);
    const turn = -Math.atan2(bend(s.far + z + step) - bend(s.far + z), step);
    const odd = Math.floor((s.far + z) / step + 0.5) % 2 === 0;
    g.box(x, -0.5, -z, edge(s) * 2, 1, step + 0.5, 'ground', { ry: turn });
    for (const k of [-1, 1]) {
      g.box(x + k * (edge(s) + 0.15), -0.42, -z, 0.6, 1, step + 0.3, odd ? 'hazard' : 'text', { ry: turn });
    }
    if (odd) g.box(x, 0.02, -z, 0.2, 0.03, step * 0.8, 'groundTop', { ry: turn });
    if (i % 3 === 0) {
      const k = Math.floor((s.far + z) / 9) % 2 ? 1 : -1;
      g.post(x + k * 8.4, -0.8, -z, 0.3, 1.6, 'block');
      g.cone(x + k * 8.4, 0.4, -z, 1.5, 3.4, 'far');
    }
  }
  for (const t of s.things) {
    const [x, z] = spot(s, t);
    g.shadow(x, 0, z, t.kind === 'bad' ? 0.9 : 0.35);
    if (t.kind === 'bad') g.figure('hazard', x, 0, z, 1.9, { alpha: t.done ? 0.5 : 1 });
    else g.figure('pickup', x, 0.4 + sin(s.t * 5 + t.z) * 0.1, z, 0.9);
  }
  g.shadow(s.x, 0, 0, 0.9);
  if (blink(s)) {
    g.figure('hero', s.x, 0.05 + Math.abs(sin(s.far * 0.9)) * 0.06, 0, 1.9 * Math.sqrt(s.cfg.size),
      { rot: s.lean });
  }
}
