// Whack: things look out of nine holes. Tap the good ones before they hide,
// leave the bad ones alone. A key without a place takes the one that has been
// out longest.
import { W, STEP, base, tick, gain, hurt, note, heat, chance, choose, between } from '../core/world.js';

export const meta = { id: 'whack', scroll: 'none', full: true };

export const HOLES = [];
for (let row = 0; row < 3; row++) for (let col = 0; col < 3; col++) HOLES.push([96 + col * 144, 300 + row * 148]);

const ORDER = [0, 2, 6, 8, 4, 1, 7, 3, 5]; // in which holes are there, where there are fewer

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.size = 92 * Math.sqrt(cfg.size);
  s.holes = ORDER.slice(0, s.cfg.params.holes || 9).sort();
  s.out = [];
  s.wait = 0.7;
  s.hammer = { x: W / 2, y: 470, age: 9 };
  return s;
}

function showOne(s) {
  const free = s.holes.filter((i) => !s.out.some((o) => o.hole === i));
  if (free.length > Math.round(s.holes.length / 3)) {
    const bad = chance(s, 0.27);
    s.out.push({
      hole: choose(s, free), bad, age: 0, life: (bad ? 1.5 : between(s, 1.3, 1.7)) / (heat(s) * s.cfg.speed),
      hit: false,
    });
  }
  s.wait = between(s, 0.55, 0.85) / (heat(s) * s.cfg.density);
}

// up is how far one has come out of its hole, 0 to 1.
function up(o) { return Math.max(0, Math.min(1, o.age / 0.16, (o.life - o.age) / 0.16)); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.hammer.age += STEP;
  s.wait -= STEP;
  if (s.wait <= 0) showOne(s);
  for (const o of s.out) o.age += STEP;
  if (input.pressed) strike(s, input);
  for (const o of s.out) {
    if (o.age < o.life || o.hit) continue;
    if (!o.bad) {
      note(s, 'miss', HOLES[o.hole][0], HOLES[o.hole][1]);
      hurt(s, HOLES[o.hole][0], HOLES[o.hole][1]);
    }
  }
  s.out = s.out.filter((o) => o.age < o.life && !(o.hit && o.age > o.hitAt + 0.18));
}

function strike(s, input) {
  const open = s.out.filter((o) => !o.hit && up(o) > 0.3);
  const under = (o) => Math.abs(HOLES[o.hole][0] - input.x) < 66 && Math.abs(HOLES[o.hole][1] - 36 - input.y) < 74;
  const hit = (input.y === null ? open[0] : open.find(under)) || null;
  const x = hit ? HOLES[hit.hole][0] : input.x === null ? W / 2 : input.x;
  const y = hit ? HOLES[hit.hole][1] - 36 : input.y === null ? 470 : input.y;
  s.hammer = { x, y, age: 0 };
  if (!hit) {
    s.streak = 0;
    note(s, 'miss', x, y);
    return;
  }
  hit.hit = true;
  hit.hitAt = hit.age;
  if (hit.bad) hurt(s, x, y);
  else gain(s, 1, x, y - 30);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(14, 196, W - 28, 470, 'ground', { radius: 34, stroke: 'ink', width: 5 });
  d.box(30, 212, W - 60, 438, 'groundTop', { radius: 26, alpha: 0.35 });
  s.holes.forEach((i) => {
    const [x, y] = HOLES[i];
    d.box(x - 58, y - 10, 116, 46, 'shade', { radius: 23, alpha: 0.85 });
    const o = s.out.find((other) => other.hole === i);
    if (o) {
      const k = up(o);
      const squash = o.hit ? 0.45 : 0;
      d.sprite(o.bad ? 'hazard' : 'pickup', x, y + 12 - k * 48 + squash * 24, s.size * (0.55 + 0.45 * k),
        { sy: 1 - squash, sx: 1 + squash * 0.5, alpha: k, rot: o.hit ? 0 : Math.sin(o.age * 9) * 0.06 });
    }
    d.box(x - 60, y + 16, 120, 26, 'ground', { radius: 13 });
    d.box(x - 52, y + 16, 104, 6, 'groundTop', { radius: 3, alpha: 0.8 });
  });
  d.sprite('hero', W / 2 + Math.sin(s.t * 2) * 120, 150, 84, { rot: Math.sin(s.t * 4) * 0.08 });
  if (s.hammer.age < 0.4) mallet(d, s.hammer.x, s.hammer.y, Math.max(0, 1 - s.hammer.age * 7));
  if (s.hammer.age < 0.18) {
    d.ring(s.hammer.x, s.hammer.y, 20 + s.hammer.age * 260, 6, 'text', { alpha: 1 - s.hammer.age * 5 });
  }
}

// mallet comes down on x, y; raised is 1 at the top of its swing.
function mallet(d, x, y, raised) {
  const a = Math.PI + 0.55 + 0.8 * raised;
  const [cx, cy] = [Math.cos(a), Math.sin(a)];
  const [px, py] = [x + 78, y + 52];
  const [hx, hy] = [px + cx * 92, py + cy * 92];
  const corner = (u, v) => [hx + cx * u - cy * v, hy + cy * u + cx * v];
  d.line(px, py, hx, hy, 15, 'ink');
  d.line(px, py, hx, hy, 8, 'blockLight');
  d.poly([corner(-18, -32), corner(18, -32), corner(18, 32), corner(-18, 32)], 'accent', { stroke: 'ink', width: 5 });
}
