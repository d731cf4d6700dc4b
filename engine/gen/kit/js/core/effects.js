// Particles, floating words, beams, shake and flash: what makes an event felt.
// They follow the mechanic's events and never influence it.
import { W, STEP, random, between, clamp } from './world.js';

const STREAKS = [5, 10, 15, 20, 30];
const LETTER = 0.58; // width of a letter of average text, in its size
const BANNER = 34; // smallest size of a text that stands alone
const TOP = 118; // words stay below what is written at the top
const UNDER = 318; // and a boss
const STILL = 196; // where a text stands that says something to all

export function effects() {
  return { rng: 7, parts: [], words: [], beams: [], shake: 0, flash: 0, bump: 0, boss: null };
}

function burst(fx, x, y, n, color, speed) {
  for (let i = 0; i < n && fx.parts.length < 120; i++) {
    const a = between(fx, 0, Math.PI * 2);
    const v = between(fx, 0.3, 1) * speed;
    fx.parts.push({
      x, y, vx: Math.cos(a) * v, vy: Math.sin(a) * v - 60, life: 1, fade: between(fx, 1.4, 2.6),
      size: between(fx, 6, 15), color,
    });
  }
}

// word lets a text rise. What is there already makes room above it; a banner
// stays, and the word begins below.
function word(fx, text, x, y, size, color) {
  const margin = 24 + text.length * size * LETTER / 2;
  const w = {
    text, x: clamp(x, Math.min(margin, W / 2), Math.max(W - margin, W / 2)), y: Math.max(fx.boss ? UNDER : TOP, y),
    size, color, life: 1,
  };
  const near = (a, b) =>
    Math.abs(a.x - b.x) < ((a.text.length * a.size + b.text.length * b.size) * LETTER) / 2
      && Math.abs(a.y - b.y) < (a.size + b.size) * 0.55;
  const still = fx.words.find((o) => o.size >= BANNER && near(o, w));
  if (still) w.y = still.y + (still.size + w.size) * 0.55;
  let below = w;
  for (const o of fx.words.filter((other) => other.size < BANNER).sort((a, b) => b.y - a.y)) {
    if (!near(o, below)) continue;
    o.y = below.y - (o.size + below.size) * 0.55;
    below = o;
  }
  fx.words = fx.words.filter((o) => o.y > TOP - 30);
  fx.words.push(w);
  if (fx.words.length > 12) fx.words.shift();
}

function banner(fx, text, y) {
  fx.words = fx.words.filter((w) => w.size < BANNER && Math.abs(w.y - y) > 50); // nothing beside it
  word(fx, text, W / 2, y, Math.min(46, Math.floor((W - 60) / (0.62 * text.length))), 'accent');
}

// react shows an event; text holds the game's own words.
export function react(fx, e, text) {
  if (e.type === 'gain') {
    const perfect = e.kind === 'perfect';
    burst(fx, e.x, e.y, perfect ? 22 : 12, perfect ? 'accent' : 'pickup', 260);
    word(fx, (perfect ? text.perfect + ' +' : '+') + e.n, e.x, e.y - 44, perfect ? 30 : 26, 'text');
    fx.bump = 1;
    if (STREAKS.indexOf(e.streak) >= 0) banner(fx, text.streak + ' x' + e.streak, STILL);
  } else if (e.type === 'hurt') {
    burst(fx, e.x, e.y, 26, 'hazard', 380);
    fx.shake = 1;
    fx.flash = 1;
  } else if (e.type === 'miss') {
    burst(fx, e.x, e.y, 8, 'far', 140);
  } else if (e.type === 'level') {
    banner(fx, text.level + ' ' + e.level, STILL);
    for (let i = 0; i < 3; i++) burst(fx, W * (0.25 + i * 0.25), 240, 12, 'accent', 300);
  } else if (e.type === 'boss') {
    banner(fx, text.boss, UNDER);
    fx.shake = 1.1;
  } else if (e.type === 'strike') {
    if (fx.boss) {
      fx.beams.push({ x1: e.x, y1: e.y, x2: fx.boss.x, y2: fx.boss.y, life: 1 });
      burst(fx, fx.boss.x, fx.boss.y, 10, 'hazard', 240);
    }
  } else if (e.type === 'beaten') {
    if (fx.boss) {
      for (let i = 0; i < 3; i++) burst(fx, fx.boss.x, fx.boss.y, 20, i % 2 ? 'accent' : 'hazard', 300 + i * 120);
    }
    fx.shake = 1.2;
  } else if (e.type === 'power') {
    burst(fx, e.x, e.y, 18, 'accent', 300);
    banner(fx, text[e.power], STILL);
  } else if (e.type === 'shield') {
    burst(fx, e.x, e.y, 20, 'accent', 320);
    fx.shake = 0.5;
  } else if (e.type === 'record') {
    for (let i = 0; i < 6; i++) {
      burst(fx, W * (0.1 + i * 0.16), 120 + random(fx) * 80, 14, i % 2 ? 'accent' : 'pickup', 300);
    }
  } else if (e.type === 'over') {
    fx.shake = Math.max(fx.shake, e.outcome === 'win' ? 0 : 1.3);
    if (e.outcome === 'win') {
      for (let i = 0; i < 5; i++) {
        burst(fx, W * (0.12 + i * 0.19), 160 + random(fx) * 120, 16, i % 2 ? 'accent' : 'pickup', 320);
      }
    }
  } else if (e.x !== undefined) {
    burst(fx, e.x, e.y, 5, 'text', 110);
  }
}

export function advance(fx) {
  for (const p of fx.parts) {
    p.vy += 620 * STEP;
    p.x += p.vx * STEP;
    p.y += p.vy * STEP;
    p.life -= p.fade * STEP;
  }
  for (const w of fx.words) { if (w.size < BANNER) w.y -= 55 * STEP; w.life -= 1.1 * STEP; }
  for (const b of fx.beams) b.life -= 4 * STEP;
  fx.parts = fx.parts.filter((p) => p.life > 0);
  fx.words = fx.words.filter((w) => w.life > 0);
  fx.beams = fx.beams.filter((b) => b.life > 0);
  fx.shake = Math.max(0, fx.shake - 2.6 * STEP);
  fx.flash = Math.max(0, fx.flash - 4 * STEP);
  fx.bump = Math.max(0, fx.bump - 5 * STEP);
}

// sway is the camera's offset in this frame.
export function sway(fx) {
  const r = fx.shake * fx.shake * 16;
  return [between(fx, -r, r), between(fx, -r, r)];
}

/** @param {DrawList} d */
export function drawEffects(fx, d) {
  for (const b of fx.beams) d.line(b.x1, b.y1, b.x2, b.y2, 3 + 7 * b.life, 'accent', { alpha: b.life });
  for (const p of fx.parts) {
    d.sprite('dot', p.x, p.y, p.size * (0.4 + 0.6 * p.life), { tint: p.color, alpha: Math.min(1, p.life * 1.6) });
  }
  for (const w of fx.words) {
    d.text(w.text, w.x, w.y, w.size, {
      color: w.color, outline: 'textInk', alpha: Math.min(1, w.life * 2),
      scale: 1 + 0.5 * Math.max(0, w.life - 0.85) / 0.15,
    });
  }
}
