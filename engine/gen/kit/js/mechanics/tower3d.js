// Tower 3D: a slab slides in from one side, then from the other; a tap drops
// it. What hangs over is cut off, and the tower grows.
import { W, H, STEP, base, tick, gain, hurt, note, heat, lerp, finish } from '../core/world.js';
import { project } from '../core/scene.js';

export const meta = { id: 'tower3d', scroll: 'none' };

const TALL = 0.62; // metres
const FULL = 3.4;
const REACH = 4.4;
const SHADES = ['block', 'accent', 'blockLight', 'pickup', 'hero2', 'far'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.rows = [{ x: 0, z: 0, w: FULL, d: FULL }];
  s.scraps = [];
  s.lift = 0; // of the camera
  s.perfect = 0;
  s.bounce = 0;
  fresh(s);
  return s;
}

function top(s) { return s.rows[s.rows.length - 1]; }

// fresh sends a slab along x, the next along z.
function fresh(s) {
  const t = top(s);
  const along = s.rows.length % 2 ? 'x' : 'z';
  s.slab = { along, at: -REACH, dir: 1, turns: 0, x: t.x, z: t.z, w: t.w, d: t.d };
}

function screen(s) { return project(camera(s), top(s).x, s.rows.length * TALL, top(s).z); }

function drop(s) {
  const t = top(s);
  const b = s.slab;
  const size = b.along === 'x' ? t.w : t.d;
  const off = b.at;
  const y = s.rows.length * TALL;
  const shade = s.rows.length % SHADES.length;
  const moved = (by) => ({ x: b.along === 'x' ? t.x + by : t.x, z: b.along === 'z' ? t.z + by : t.z });
  if (Math.abs(off) >= size * 0.96) {
    s.scraps.push(Object.assign(moved(off), { y, w: t.w, d: t.d, vy: 0, shade }));
    // The next one is a fair one again: a miss costs a life, not the run.
    s.rows[s.rows.length - 1] = Object.assign({}, t, { w: Math.max(t.w, 1.9), d: Math.max(t.d, 1.9) });
    s.perfect = 0;
    hurt(s, ...screen(s));
  } else if (Math.abs(off) < 0.1 + 0.03 * s.cfg.size) {
    s.perfect++;
    const more = s.perfect > 1 ? 0.16 : 0;
    s.rows.push({ x: t.x, z: t.z, w: Math.min(FULL, t.w + more), d: Math.min(FULL, t.d + more) });
    s.bounce = 1;
    gain(s, s.perfect > 2 ? 3 : 2, ...screen(s), 'perfect');
  } else {
    const left = size - Math.abs(off);
    const at = moved(off / 2);
    s.rows.push({ x: at.x, z: at.z, w: b.along === 'x' ? left : t.w, d: b.along === 'z' ? left : t.d });
    const cut = moved(off / 2 + (Math.sign(off) * size) / 2);
    s.scraps.push({
      x: cut.x, z: cut.z, y, w: b.along === 'x' ? Math.abs(off) : t.w, d: b.along === 'z' ? Math.abs(off) : t.d, vy: 0,
      shade,
    });
    s.perfect = 0;
    s.bounce = 0.5;
    gain(s, 1, ...screen(s));
  }
  if (s.cfg.params.goal > 0 && s.rows.length > s.cfg.params.goal) finish(s, 'win');
  if (!s.over) fresh(s);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const b = s.slab;
  b.at += b.dir * 4.1 * s.cfg.speed * heat(s) * Math.sqrt(s.cfg.density) * STEP;
  if ((b.at > REACH && b.dir > 0) || (b.at < -REACH && b.dir < 0)) {
    b.dir = -b.dir;
    b.turns++;
    if (b.turns >= 3) { note(s, 'miss', W / 2, H * 0.4); drop(s); }
  }
  if (input.pressed && !s.over) drop(s);
  s.lift = lerp(s.lift, s.rows.length * TALL, 0.07);
  s.bounce *= 0.88;
  for (const c of s.scraps) { c.vy -= 16 * STEP; c.y += c.vy * STEP; }
  s.scraps = s.scraps.filter((c) => c.y > s.lift - 14);
}

function camera(s) { return { x: 7.2, y: s.lift + 6.6, z: 8.6, tx: 0, ty: s.lift - 1.2, tz: 0, fov: W > H ? 46 : 56 }; }

/** @param {GameState} s @param {SceneList} g */
export function scene(s, g) {
  g.view(camera(s));
  const first = Math.max(0, s.rows.length - 16);
  if (first === 0) {
    g.box(0, -4.3, 0, FULL, 8, FULL, 'ground');
    for (let i = 0; i < 8; i++) g.cone(Math.cos(i * 0.785 + 0.3) * 7, -5, Math.sin(i * 0.785 + 0.3) * 7, 1.5, 4, 'far');
  }
  for (let i = first; i < s.rows.length; i++) {
    const r = s.rows[i];
    const squash = i === s.rows.length - 1 ? s.bounce * 0.12 : 0;
    g.box(r.x, i * TALL - squash, r.z, r.w, TALL, r.d, SHADES[i % SHADES.length],
      { glow: i === s.rows.length - 1 && s.bounce > 0.5 });
  }
  for (const c of s.scraps) g.box(c.x, c.y, c.z, c.w, TALL, c.d, SHADES[c.shade], { rx: c.vy * 0.05, rz: c.vy * 0.03 });
  const t = top(s);
  g.figure('hero', t.x, (s.rows.length - 0.5) * TALL + s.bounce * 0.5, t.z, 1.15 * s.cfg.size);
  if (s.over) return;
  const b = s.slab;
  const x = b.along === 'x' ? b.x + b.at : b.x;
  const z = b.along === 'z' ? b.z + b.at : b.z;
  g.box(x, s.rows.length * TALL + 0.02, z, b.w, TALL, b.d, SHADES[s.rows.length % SHADES.length]);
}
