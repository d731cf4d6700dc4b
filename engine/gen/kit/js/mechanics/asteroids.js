// Asteroids: a ship turns, thrusts and drifts among rocks. A large rock that is
// shot splits in two, and those again. All edges are joined.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, clamp, near, sin, cos, hypot, PI, blink,
} from '../core/world.js';

export const meta = {
  id: 'asteroids', scroll: 'none', controls: 'pad', above: true,
  extra: { saucer: { body: 'ufo', features: [], color: '#9aa8ff', color2: '#ff4d6d' } },
};

export const SHOT = 520; // pixels a second
export const TURN = 4.1; // radians a second
const LIFE = 0.85; // seconds of a shot
const THRUST = 330;
const FASTEST = 300;
export const RADIUS = [0, 17, 29, 48]; // of small, middle and large rocks
const WORTH = [0, 3, 2, 1];
const EDGE = 30; // how far out of sight things go before they come in again

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.wave = 0;
  s.shots = [];
  s.bolts = []; // of the saucer
  s.rocks = [];
  s.treats = []; // what is left of some rocks
  s.saucer = null;
  s.call = 14; // seconds until it comes
  s.reload = 0;
  s.flame = 0;
  launch(s);
  s.a = -PI / 2;
  rain(s);
  return s;
}

function launch(s) {
  s.x = W / 2;
  s.y = H / 2 - 20;
  s.vx = 0;
  s.vy = 0;
}

// rain brings the rocks of a wave, from the edges.
function rain(s) {
  s.wave++;
  const told = s.cfg.params.rocks; // of the first wave
  const n = told ? Math.min(10, told + s.wave - 1) : clamp(Math.round((2.6 + s.wave * 0.8) * s.cfg.density), 2, 9);
  for (let i = 0; i < n; i++) {
    const side = chance(s, 0.5);
    rock(s, side ? (chance(s, 0.5) ? 10 : W - 10) : between(s, 0, W),
      side ? between(s, 100, H) : chance(s, 0.5) ? 110 : H - 10, 3);
  }
}

function rock(s, x, y, size) {
  const a = between(s, 0, 2 * PI);
  const v = between(s, 34, 62) * Math.sqrt(4 - size) * s.cfg.speed * heat(s);
  s.rocks.push({ x, y, vx: cos(a) * v, vy: sin(a) * v, size, rot: a, spin: between(s, -1.2, 1.2) });
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  steer(s, input);
  shoot(s, input);
  for (const list of [s.shots, s.bolts, s.rocks, s.treats]) for (const o of list) drift(o);
  for (const o of s.rocks) o.rot += o.spin * STEP;
  for (const list of [s.shots, s.bolts, s.treats]) for (const o of list) o.left -= STEP;
  saucer(s);
  hits(s);
  s.shots = s.shots.filter((o) => o.left > 0);
  s.bolts = s.bolts.filter((o) => o.left > 0);
  s.treats = s.treats.filter((o) => o.left > 0);
  s.rocks = s.rocks.filter((o) => o.size > 0);
  if (s.rocks.length > 0 || s.over) return;
  gain(s, 5, W / 2, 260, 'perfect');
  if (s.cfg.levels > 1 && !s.cfg.duration) clear(s);
  if (!s.over) rain(s);
}

// drift moves a thing on, and in again at the other side.
function drift(o) {
  o.x += o.vx * STEP;
  o.y += o.vy * STEP;
  if (o.x < -EDGE) o.x += W + 2 * EDGE;
  if (o.x > W + EDGE) o.x -= W + 2 * EDGE;
  if (o.y < 80 - EDGE) o.y += H - 80 + 2 * EDGE;
  if (o.y > H + EDGE) o.y -= H - 80 + 2 * EDGE;
}

function steer(s, input) {
  if (input.left !== input.right) s.a += (input.right ? 1 : -1) * TURN * STEP;
  s.flame = input.up ? Math.min(1, s.flame + 6 * STEP) : Math.max(0, s.flame - 6 * STEP);
  if (input.up) {
    s.vx += cos(s.a) * THRUST * s.cfg.speed * STEP;
    s.vy += sin(s.a) * THRUST * s.cfg.speed * STEP;
  }
  const v = hypot(s.vx, s.vy);
  const k = v > FASTEST * s.cfg.speed ? (FASTEST * s.cfg.speed) / v : 0.9965; // it slows down, but slowly
  s.vx *= k;
  s.vy *= k;
  drift(s);
}

// shoot fires with the key, and by itself while a finger rests on a button or the
// key is held and no other.
function shoot(s, input) {
  s.reload -= STEP;
  const held = input.down && (input.y !== null || !(input.left || input.right || input.up || input.duck));
  if (!(input.fire || (held && s.reload <= -0.12)) || s.reload > 0 || s.shots.length > 3) return;
  s.reload = 0.16;
  const x = s.x + cos(s.a) * 22;
  const y = s.y + sin(s.a) * 22;
  s.shots.push({ x, y, vx: cos(s.a) * SHOT + s.vx * 0.4, vy: sin(s.a) * SHOT + s.vy * 0.4, left: LIFE });
  note(s, 'shot', x, y);
}

function saucer(s) {
  if (s.cfg.params.saucer === 0) return;
  const u = s.saucer;
  if (!u) {
    s.call -= STEP;
    if (s.call > 0) return;
    const dir = chance(s, 0.5) ? 1 : -1;
    s.saucer = { x: dir > 0 ? -30 : W + 30, y: between(s, 150, H - 160), dir, reload: 1.2 };
    note(s, 'saucer');
    return;
  }
  u.x += u.dir * 85 * s.cfg.speed * STEP;
  u.y += sin(s.t * 1.5) * 40 * STEP;
  u.reload -= STEP;
  if (u.reload <= 0) {
    u.reload = 1.5 / Math.sqrt(heat(s));
    const n = hypot(s.x - u.x, s.y - u.y) || 1;
    const miss = between(s, -0.35, 0.35);
    s.bolts.push({
      x: u.x, y: u.y, vx: ((s.x - u.x) / n) * 190 + miss * 190, vy: ((s.y - u.y) / n) * 190 - miss * 190, left: 2.2,
    });
  }
  if (u.x > -40 && u.x < W + 40) return;
  s.saucer = null;
  s.call = between(s, 12, 20);
}

export function size(s) { return 15 * (0.5 + 0.5 * s.cfg.size); }

function hits(s) {
  const u = s.saucer;
  for (const b of s.shots) {
    const r = s.rocks.find((o) => o.size > 0 && near(o.x, o.y, b.x, b.y, RADIUS[o.size] + 4));
    if (r) {
      b.left = 0;
      split(s, r);
    } else if (s.saucer && near(u.x, u.y, b.x, b.y, 26)) {
      b.left = 0;
      gain(s, 10, u.x, u.y, 'perfect');
      s.saucer = null;
      s.call = between(s, 12, 20);
    }
  }
  for (const o of s.treats) {
    if (!near(o.x, o.y, s.x, s.y, 22 + size(s))) continue;
    o.left = 0;
    gain(s, 5, o.x, o.y, 'perfect');
  }
  const struck = s.rocks.find((o) => o.size > 0 && near(o.x, o.y, s.x, s.y, RADIUS[o.size] * 0.9 + size(s)));
  const bolt = s.bolts.find((o) => near(o.x, o.y, s.x, s.y, 6 + size(s)));
  if (!struck && !bolt) return;
  if (bolt) bolt.left = 0;
  if (!hurt(s, s.x, s.y) || s.over) return;
  if (struck) split(s, struck, true);
  launch(s);
  s.safe = 130;
}

function split(s, r, bare) {
  const { x, y, size: was } = r;
  r.size = 0;
  if (!bare) gain(s, WORTH[was], x, y);
  for (let i = 0; was > 1 && i < 2; i++) rock(s, x, y, was - 1);
  if (was === 1 && chance(s, 0.3)) s.treats.push({ x, y, vx: r.vx * 0.4, vy: r.vy * 0.4, left: 9 });
  note(s, 'split', x, y);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  for (const o of s.rocks) d.sprite('hazard', o.x, o.y, RADIUS[o.size] * 2.15, { rot: o.rot });
  for (const o of s.treats) {
    if (o.left > 2 || Math.floor(o.left * 6) % 2) {
      d.sprite('pickup', o.x, o.y, 34, { rot: Math.sin(s.t * 3 + o.x) * 0.2 });
    }
  }
  if (s.saucer) d.sprite('saucer', s.saucer.x, s.saucer.y, 46);
  for (const b of s.shots) d.disc(b.x, b.y, 5, 'accent', { stroke: '#ffffff', width: 2 });
  for (const b of s.bolts) d.disc(b.x, b.y, 6, '#ff4d6d', { stroke: '#ffffff', width: 2 });
  if (!blink(s)) return;
  const at = (f, r) => [s.x + cos(s.a) * f - sin(s.a) * r, s.y + sin(s.a) * f + cos(s.a) * r];
  const k = size(s) / 15;
  if (s.flame > 0.05) {
    d.poly([at(-16 * k, -7 * k), at(-16 * k, 7 * k), at((-20 - 20 * s.flame - 5 * Math.sin(s.t * 50)) * k, 0)],
      '#ff9f1c', { stroke: '#ffe066', width: 2 });
  }
  if (s.safe > 0) d.ring(s.x, s.y, 34 * k, 3, 'accent', { alpha: 0.6 });
  d.sprite('hero', s.x, s.y, 56 * k, { rot: s.a + PI / 2 });
  d.poly([at(35 * k, 0), at(28 * k, -5), at(28 * k, 5)], 'accent', { alpha: 0.9 }); // where it points
}
