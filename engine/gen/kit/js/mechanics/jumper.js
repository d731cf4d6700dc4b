// Jumper: the hero bounces from platform to platform, ever higher. Some move,
// some break, some have a spring; the sides are joined. Who falls out of sight
// loses a life.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, progress, random, between, chance, clamp, near, blink, sin,
} from '../core/world.js';

export const meta = { id: 'jumper', scroll: 'none', controls: 'sides' };

export const LEAP = 800; // pixels a second
export const WIDE = 76; // of a platform
const SPRING = 1.55; // times as fast
const METRE = 90; // pixels of height that are worth a point
const BACK = 300; // a fallen hero starts this far over the edge

export function gravity(s) { return 1650 * clamp(s.cfg.gravity, 0.6, 1.6); }
export function height(s) { return (LEAP * LEAP) / (2 * gravity(s)); }
export function sideways(s) { return 340 * Math.max(0.8, Math.sqrt(s.cfg.speed)); }

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.cam = 0; // the height of the field's lower edge; heights count upwards
  s.x = W / 2;
  s.h = 60;
  s.vx = 0;
  s.vy = LEAP;
  s.face = 1;
  s.squash = 0;
  s.top = 60; // of the platforms that there are
  s.points = 0;
  s.pads = [{ x: W / 2, h: 46, kind: 'firm', v: 0 }];
  s.treats = [];
  s.foes = [];
  grow(s);
  return s;
}

// grow adds platforms above. Each firm or moving one can be reached from the one
// before; breaking ones only come between.
function grow(s) {
  const reach = height(s);
  const { moving = 1, breaking = 1, springs = 1, monsters = 1 } = s.cfg.params;
  while (s.top < s.cam + H + 80) {
    const hard = clamp((progress(s) + s.top / 9000) * s.cfg.ramp, 0, 1);
    const gap = reach * between(s, 0.32, 0.52 + 0.28 * hard);
    s.top += gap;
    const kind = s.top < 300 ? 'firm' : chance(s, (0.12 + 0.3 * hard) * moving) ? 'move'
      : chance(s, 0.1 * springs) ? 'spring' : 'firm';
    const x = between(s, WIDE / 2 + 8, W - WIDE / 2 - 8);
    s.pads.push({
      x, h: s.top, kind, v: kind === 'move' ? (chance(s, 0.5) ? 1 : -1) * between(s, 60, 110) * Math.sqrt(heat(s)) : 0,
    });
    if (kind === 'firm' && chance(s, 0.22)) s.treats.push({ x, h: s.top + 36 });
    if (chance(s, (0.1 + 0.16 * hard) * s.cfg.density * breaking) && gap > 70) {
      s.pads.push({
        x: (x + between(s, 140, W - 140)) % (W - 90) + 45, h: s.top - gap / 2, kind: 'break', v: 0, fall: 0,
      });
    }
    const clear = s.foes.every((f) => s.top - f.h > 520);
    if (s.top > 1100 && clear && kind !== 'move' && chance(s, 0.2 * s.cfg.density * monsters)) {
      s.foes.push({ x: (x + W / 2) % W, x0: (x + W / 2) % W, h: s.top + reach * 0.2, t: random(s) * 6 });
    }
  }
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  const dir = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  s.vx += (dir * sideways(s) - s.vx) * 0.22;
  if (dir) s.face = dir;
  s.x = (s.x + s.vx * STEP + W) % W;
  s.vy -= gravity(s) * STEP;
  const from = s.h;
  s.h += s.vy * STEP;
  s.squash = Math.max(0, s.squash - 4 * STEP);
  pads(s, from);
  meet(s);
  // The field follows the hero up, and creeps up by itself.
  const creep = s.t < 3 ? 0 : 16 * s.cfg.speed * heat(s) * Math.min(3, 1 + s.t / 60);
  s.cam = Math.max(s.cam + creep * STEP, s.h - H * 0.52);
  s.pads = s.pads.filter((p) => p.h > s.cam - 30 && !(p.fall > 200));
  s.treats = s.treats.filter((t) => t.h > s.cam - 30 && !t.gone);
  s.foes = s.foes.filter((f) => f.h > s.cam - 40 && !f.gone);
  if (s.h < s.cam - 20) fallen(s);
  grow(s);
}

function fallen(s) {
  s.safe = 0;
  hurt(s, clamp(s.x, 40, W - 40), H - 40);
  if (s.over) return;
  s.x = W / 2;
  s.vx = 0;
  s.h = s.cam + BACK;
  s.vy = LEAP * 0.8;
  s.pads = s.pads.filter((p) => Math.abs(p.h - s.cam - BACK + 40) > 26);
  s.pads.push({ x: W / 2, h: s.cam + BACK - 40, kind: 'firm', v: 0 });
}

// apart is how far x lies from the hero, around the sides, with its sign.
export function apart(s, x) {
  const dx = x - s.x;
  return dx > W / 2 ? dx - W : dx < -W / 2 ? dx + W : dx;
}

function pads(s, from) {
  for (const p of s.pads) {
    p.x += p.v * STEP;
    if ((p.x < WIDE / 2 && p.v < 0) || (p.x > W - WIDE / 2 && p.v > 0)) p.v = -p.v;
    if (p.fall > 0) p.fall += 300 * STEP;
    if (s.vy > 0 || from < p.h || s.h > p.h || Math.abs(apart(s, p.x)) > WIDE / 2 + 12 || p.fall > 0) continue;
    if (p.kind === 'break') {
      p.fall = 1;
      note(s, 'crack', p.x, sy(s, p.h));
      continue;
    }
    s.h = p.h;
    s.vy = LEAP * (p.kind === 'spring' ? SPRING : 1);
    s.squash = 1;
    note(s, p.kind === 'spring' ? 'spring' : 'bounce', s.x, sy(s, p.h));
    const metres = Math.floor(p.h / METRE);
    if (metres <= s.points) continue;
    gain(s, metres - s.points, s.x, sy(s, p.h) - 30, p.kind === 'spring' ? 'perfect' : 'gain');
    s.points = metres;
  }
}

function meet(s) {
  const y = s.h + 24;
  for (const t of s.treats) {
    if (!near(t.x, t.h, s.x, y, 42)) continue;
    t.gone = true;
    gain(s, 2, t.x, sy(s, t.h));
  }
  for (const f of s.foes) {
    f.t += STEP;
    if (s.cfg.params.foes === 1) f.x0 += (f.x0 < s.x ? 55 : -55) * s.cfg.speed * STEP;
    f.x = clamp(f.x0 + (s.cfg.params.foes === 2 ? 0 : sin(f.t * 1.4) * 46), 34, W - 34);
    if (!near(f.x, f.h, s.x, y, 22 + 20 * s.cfg.size)) continue;
    if (s.vy < 0 && y > f.h + 12) {
      f.gone = true;
      s.vy = LEAP;
      gain(s, 5, f.x, sy(s, f.h), 'perfect');
    } else if (hurt(s, s.x, sy(s, y))) s.vy = Math.min(s.vy, 0);
  }
}

// sy is where a height is seen.
function sy(s, h) { return H - (h - s.cam); }

const TOPS = { firm: '#6fd35a', move: '#4db8ff', break: '#c08552', spring: '#6fd35a' };

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  for (const p of s.pads) {
    const y = sy(s, p.h) + (p.fall || 0);
    if (y < 60) continue;
    const fade = p.fall ? Math.max(0.1, 1 - p.fall / 200) : 1;
    if (p.kind === 'break') {
      for (const k of [-1, 1]) {
        d.box(p.x + (k < 0 ? -WIDE / 2 : 3), y + (p.fall ? k * 4 : 0), WIDE / 2 - 3, 14, TOPS.break,
          { radius: 6, stroke: 'ink', width: 3, alpha: fade });
      }
      continue;
    }
    if (p.kind === 'spring') {
      for (let i = 0; i < 3; i++) d.line(p.x - 10, y - 4 - i * 6, p.x + 10, y - 7 - i * 6, 4, '#d8dee9');
      d.box(p.x - 13, y - 25, 26, 7, 'hazard', { radius: 3, stroke: 'ink', width: 2 });
    }
    d.box(p.x - WIDE / 2, y, WIDE, 16, TOPS[p.kind], { radius: 8, stroke: 'ink', width: 3 });
    d.box(p.x - WIDE / 2 + 8, y + 3, WIDE - 16, 4, '#ffffff', { radius: 2, alpha: 0.5 });
  }
  for (const t of s.treats) d.sprite('pickup', t.x, sy(s, t.h) + sin(s.t * 4 + t.x) * 3, 38);
  for (const f of s.foes) {
    d.sprite('hazard', f.x, sy(s, f.h) + sin(f.t * 5) * 4, 58, { rot: sin(f.t * 3) * 0.1 });
  }
  if (!blink(s)) return;
  const k = s.squash;
  const size = 62 * (0.4 + 0.6 * s.cfg.size);
  for (const x of s.x < 40 ? [s.x, s.x + W] : s.x > W - 40 ? [s.x, s.x - W] : [s.x]) {
    d.sprite('hero', x, sy(s, s.h) - size * 0.42 + 4 * k, size, {
      sx: s.face * (1 + 0.18 * k), sy: 1 - 0.18 * k + clamp(s.vy / 9000, -0.05, 0.08),
      rot: clamp(s.vx / 2400, -0.14, 0.14),
    });
  }
}
