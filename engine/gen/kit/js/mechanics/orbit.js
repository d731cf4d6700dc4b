// Orbit: the hero circles; a tap turns it around. Collect what lies on the
// ring, keep clear of what appears there to hurt.
import { W, STEP, base, tick, gain, hurt, note, heat, random, between, blink, sin, cos } from '../core/world.js';

export const meta = { id: 'orbit', scroll: 'none' };

const CX = W / 2;
const CY = 385;
const R = 165;
const TAU = Math.PI * 2;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.a = -Math.PI / 2;
  s.dir = 1;
  s.size = 21 * cfg.size;
  s.items = [];
  s.spikes = [];
  s.wait = 1.6; // seconds until the next spike
  s.trail = [];
  for (let i = 0; i < (s.cfg.params.pickups || 1); i++) addItem(s);
  return s;
}

export function wrap(a) { return ((a % TAU) + TAU) % TAU; }
// apart is the signed angle from a to b, in (-pi, pi].
function apart(a, b) {
  const v = wrap(b - a);
  return v > Math.PI ? v - TAU : v;
}

function addItem(s) {
  for (let i = 0; i < 12; i++) {
    const a = random(s) * TAU;
    if (Math.abs(apart(s.a, a)) > 0.8 && s.spikes.every((k) => Math.abs(apart(k.a, a)) > 0.5)) {
      s.items.push({ a });
      return;
    }
  }
  s.items.push({ a: wrap(s.a + Math.PI) });
}

function addSpike(s) {
  // Most come up in the hero's way, some where it is now and should not stay;
  // all leave time.
  const where = random(s);
  const a = wrap(where < 0.6 ? s.a + s.dir * between(s, 1.5, 2.3) : where < 0.8 ? s.a
    : s.a + Math.PI + between(s, -0.5, 0.5));
  if (s.spikes.every((k) => Math.abs(apart(k.a, a)) > 0.35)) s.spikes.push({ a, age: 0, life: between(s, 3.2, 4.6) });
  s.wait = 1.55 / (heat(s) * s.cfg.density);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (input.pressed) {
    s.dir = -s.dir;
    note(s, 'turn', CX + cos(s.a) * R, CY + sin(s.a) * R);
  }
  s.a = wrap(s.a + s.dir * 1.75 * s.cfg.speed * Math.sqrt(heat(s)) * STEP);
  s.trail.push(s.a);
  if (s.trail.length > 14) s.trail.shift();
  const x = CX + cos(s.a) * R;
  const y = CY + sin(s.a) * R;
  s.wait -= STEP;
  if (s.wait <= 0) addSpike(s);
  for (const k of s.spikes) {
    k.age += STEP;
    if (k.age > 0.75 && k.age < k.life && Math.abs(apart(s.a, k.a)) * R < s.size * 0.8 + 19) {
      if (hurt(s, x, y)) k.age = k.life;
    }
  }
  s.spikes = s.spikes.filter((k) => k.age < k.life + 0.3);
  const taken = s.items.filter((i) => Math.abs(apart(s.a, i.a)) * R < s.size + 22);
  if (taken.length) {
    s.items = s.items.filter((i) => taken.indexOf(i) < 0);
    for (const i of taken) {
      gain(s, 1, CX + cos(i.a) * R, CY + sin(i.a) * R);
      addItem(s);
    }
  }
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.disc(CX, CY, R + 46, 'shade', { alpha: 0.22 });
  d.ring(CX, CY, R, 34, 'shade', { alpha: 0.35 });
  d.ring(CX, CY, R, 24, 'blockLight', { alpha: 0.5 });
  d.disc(CX, CY, 78, 'block', { stroke: 'ink', width: 5 });
  d.disc(CX - 20, CY - 22, 20, 'blockLight', { alpha: 0.6 });
  d.disc(CX + 26, CY + 18, 13, 'shade', { alpha: 0.18 });
  d.disc(CX - 18, CY + 32, 9, 'shade', { alpha: 0.18 });
  const at = (a, r) => [CX + cos(a) * r, CY + sin(a) * r];
  s.trail.forEach((a, i) => {
    const [x, y] = at(a, R);
    d.sprite('dot', x, y, 6 + i * 1.4, { tint: 'hero', alpha: 0.04 * i });
  });
  for (const i of s.items) {
    const [x, y] = at(i.a, R);
    d.sprite('glow', x, y, 90, { tint: 'pickup', alpha: 0.5 + 0.2 * sin(s.t * 6) });
    d.sprite('pickup', x, y, 46, { rot: sin(s.t * 3) * 0.2 });
  }
  for (const k of s.spikes) {
    const [x, y] = at(k.a, R);
    if (k.age < 0.75) d.ring(x, y, 30 - k.age * 14, 5, 'hazard', { alpha: Math.floor(k.age * 12) % 2 ? 0.9 : 0.3 });
    else {
      d.sprite('hazard', x, y,
        56 * Math.min(1, (k.age - 0.75) * 6) * Math.max(0, Math.min(1, (k.life + 0.3 - k.age) * 4)),
        { rot: s.t * 1.5 });
    }
  }
  const [x, y] = at(s.a, R);
  if (blink(s)) d.sprite('hero', x, y, s.size * 2.9, { rot: s.a + (s.dir > 0 ? Math.PI / 2 : -Math.PI / 2) });
}
