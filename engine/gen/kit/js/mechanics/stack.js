// Stack: a block slides to and fro above the tower; a tap drops it. What
// hangs over is cut off.
import { W, H, STEP, base, tick, gain, hurt, note, heat, lerp, chance, finish } from '../core/world.js';

export const meta = { id: 'stack', scroll: 'none' };

const TALL = 44; // a block's height
const BASE = 600; // the lowest block's top
const FULL = 210; // its width
const CRANE = 128; // below what is written at the top
const SHADES = ['block', 'accent', 'blockLight', 'pickup', 'near', 'hero2'];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.rows = [{ x: W / 2, w: FULL }];
  s.scraps = [];
  s.view = 0; // how far the camera has climbed
  s.perfect = 0; // in a row
  s.bounce = 0;
  fresh(s);
  return s;
}

function fresh(s) {
  const side = chance(s, 0.5) ? 1 : -1;
  const w = s.rows[s.rows.length - 1].w;
  s.block = { x: W / 2 - side * 180, w, dir: side, turns: 0 };
}

function drop(s) {
  const top = s.rows[s.rows.length - 1];
  const b = s.block;
  const y = BASE - s.rows.length * TALL;
  const off = b.x - top.x;
  const close = 7 + 2 * s.cfg.size;
  if (Math.abs(off) >= top.w * 0.97) {
    s.scraps.push({ x: b.x, y, w: b.w, vy: 0, spin: off > 0 ? 1 : -1, shade: s.rows.length });
    // The next block is a fair one again: a miss costs a life, not the run.
    s.rows[s.rows.length - 1] = { x: top.x, w: Math.max(top.w, 110) };
    s.perfect = 0;
    hurt(s, b.x, y - s.view);
  } else if (Math.abs(off) < close) {
    s.perfect++;
    const w = Math.min(FULL, top.w + (s.perfect > 1 ? 10 : 0));
    s.rows.push({ x: top.x, w });
    s.bounce = 1;
    gain(s, s.perfect > 2 ? 3 : 2, top.x, screenY(s, y), 'perfect');
  } else {
    const left = Math.max(b.x - b.w / 2, top.x - top.w / 2);
    const right = Math.min(b.x + b.w / 2, top.x + top.w / 2);
    s.rows.push({ x: (left + right) / 2, w: right - left });
    const cut = b.w - (right - left);
    s.scraps.push({
      x: off > 0 ? right + cut / 2 : left - cut / 2, y, w: cut, vy: 0, spin: off > 0 ? 1 : -1, shade: s.rows.length - 1,
    });
    s.perfect = 0;
    s.bounce = 0.6;
    gain(s, 1, b.x, screenY(s, y));
  }
  if (s.cfg.params.goal > 0 && s.rows.length > s.cfg.params.goal) finish(s, 'win');
  if (!s.over) fresh(s);
}

function screenY(s, y) { return y + s.view; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const b = s.block;
  b.x += b.dir * 185 * s.cfg.speed * heat(s) * Math.sqrt(s.cfg.density) * STEP;
  if ((b.x > W / 2 + 180 && b.dir > 0) || (b.x < W / 2 - 180 && b.dir < 0)) {
    b.dir = -b.dir;
    b.turns++;
    if (b.turns >= 3) { note(s, 'miss', b.x, 200); drop(s); }
  }
  if (input.pressed && !s.over) drop(s);
  s.view = lerp(s.view, Math.max(0, (s.rows.length - 5) * TALL), 0.08);
  s.bounce *= 0.88;
  for (const c of s.scraps) { c.vy += 1500 * STEP; c.y += c.vy * STEP; c.x += c.spin * 70 * STEP; }
  s.scraps = s.scraps.filter((c) => c.y + s.view < H + 60);
}

function plank(d, x, y, w, color) {
  d.box(x - w / 2, y, w, TALL, color, { radius: 9, stroke: 'ink', width: 4 });
  d.box(x - w / 2 + 9, y + 7, Math.max(0, w - 18), 7, 'text', { radius: 4, alpha: 0.45 });
  for (let i = 0; i < Math.floor((w - 20) / 42); i++) {
    d.box(x - w / 2 + 16 + i * 42, y + 20, 22, 14, 'shade', { radius: 4, alpha: 0.2 });
  }
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(-20, BASE + TALL + s.view, W + 40, H, 'ground');
  d.box(-20, BASE + TALL + s.view, W + 40, 9, 'groundTop');
  const first = Math.max(0, Math.floor(s.view / TALL) - 3);
  for (let i = first; i < s.rows.length; i++) {
    const top = i === s.rows.length - 1;
    plank(d, s.rows[i].x, BASE - i * TALL + s.view + (top ? s.bounce * 7 : 0), s.rows[i].w, SHADES[i % SHADES.length]);
  }
  for (const c of s.scraps) plank(d, c.x, c.y + s.view, c.w, SHADES[c.shade % SHADES.length]);
  const y = BASE - s.rows.length * TALL + s.view;
  const last = s.rows[s.rows.length - 1];
  d.sprite('hero', last.x + Math.min(40, last.w / 4), y + TALL - 24 - s.bounce * 26, 54 * s.cfg.size,
    { sy: 1 - s.bounce * 0.2, sx: 1 + s.bounce * 0.15 });
  if (!s.over) {
    d.line(s.block.x, CRANE, s.block.x, y - 60, 5, 'shade', { alpha: 0.7 });
    d.box(s.block.x - 22, CRANE - 8, 44, 16, 'block', { radius: 7, stroke: 'ink', width: 4 });
    d.poly([[s.block.x - 26, y - 34], [s.block.x, y - 62], [s.block.x + 26, y - 34]], 'accent',
      { stroke: 'ink', width: 4 });
    plank(d, s.block.x, y - 36, s.block.w, SHADES[s.rows.length % SHADES.length]);
  }
}
