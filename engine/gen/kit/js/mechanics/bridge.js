// Bridge: holding lets a bridge grow, letting go lays it down, and the hero
// walks over. Too short or too long is a fall.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, between, chance, clamp, blink, plenty,
} from '../core/world.js';

export const meta = { id: 'bridge', scroll: 'none' };

const TOP = 500; // of the pillars
export const EDGE = 128; // where the hero's pillar ends
const LONGEST = 330;
const WIDE = [0, 0.8, 1, 1.3]; // of the usual pillars, by params.pillars

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.r = 27 * cfg.size;
  s.phase = 'wait'; // wait, grow, lay, walk, fall, shift
  s.len = 0;
  s.turn = 0; // of the bridge, 0 upright to 1 flat
  s.x = EDGE - 26; // the hero
  s.drop = 0;
  s.shift = 0;
  s.from = { x: -40, w: EDGE + 40 };
  s.to = pillar(s);
  s.idle = 0;
  return s;
}

function pillar(s) {
  const w = clamp(between(s, 74, 128) / (Math.sqrt(s.cfg.density) * Math.sqrt(heat(s))), 46, 140)
    * WIDE[s.cfg.params.pillars || 2];
  const gem = chance(s, 0.4 * plenty(s));
  return { x: EDGE + between(s, 56, Math.min(250, LONGEST - w - 20)), w, gem };
}

export function speed(s) { return s.cfg.speed * heat(s); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.phase === 'wait') {
    s.idle += STEP;
    if (input.pressed || input.down) {
      s.phase = 'grow';
      note(s, 'grow', EDGE, TOP);
    } else if (s.idle > 4) { // those who wait too long lose a life
      s.idle = 0;
      hurt(s, s.x, TOP - s.r);
    }
  } else if (s.phase === 'grow') {
    s.len += 265 * speed(s) * STEP;
    if (!input.down || s.len > LONGEST) {
      s.phase = 'lay';
      s.idle = 0;
    }
  } else if (s.phase === 'lay') {
    s.turn = Math.min(1, s.turn + 4.5 * STEP);
    if (s.turn === 1) land(s);
  } else if (s.phase === 'walk') {
    s.x += 330 * Math.max(1, s.cfg.speed) * STEP;
    const end = s.good ? s.to.x + s.to.w - 26 : EDGE + s.len + 8;
    if (s.x < end) return;
    if (s.good) s.phase = 'shift';
    else {
      s.phase = 'fall';
      s.safe = 0; // a fall always costs a life
      hurt(s, Math.min(s.x, W - 30), TOP);
    }
  } else if (s.phase === 'fall') {
    s.drop += (60 + s.drop * 5) * STEP * 4;
    if (s.drop > 300) again(s);
  } else {
    s.shift += 620 * STEP;
    if (s.shift >= s.to.x + s.to.w - EDGE) next(s);
  }
}

function land(s) {
  const tip = EDGE + s.len;
  s.good = tip > s.to.x && tip < s.to.x + s.to.w;
  s.phase = 'walk';
  note(s, 'land', tip, TOP);
  if (!s.good) return;
  const perfect = Math.abs(tip - (s.to.x + s.to.w / 2)) < 11;
  gain(s, 1 + (perfect ? 1 : 0) + (s.to.gem && perfect ? 2 : 0), s.to.x + s.to.w / 2, TOP - 30,
    perfect ? 'perfect' : 'gain');
}

function reset(s) {
  s.phase = 'wait';
  s.len = s.turn = s.drop = s.shift = s.idle = 0;
  s.x = EDGE - 26;
}

function again(s) { reset(s); }

function next(s) {
  s.from = { x: s.to.x + s.to.w - EDGE > 0 ? EDGE - s.to.w : -40, w: s.to.w };
  reset(s);
  s.to = pillar(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const dx = -s.shift;
  column(d, s.from.x + dx, s.from.w, false, s);
  column(d, s.to.x + dx, s.to.w, true, s);
  d.box(-20, 668, W + 40, H, 'shade', { alpha: 0.35 });
  for (let i = 0; i < 6; i++) {
    d.sprite('hazard', 44 + i * 80 + Math.sin(s.t + i) * 8, 684 + Math.sin(s.t * 2 + i * 1.7) * 6, 64);
  }
  if (s.len > 0) {
    const a = (s.turn * Math.PI) / 2;
    const x2 = EDGE + Math.sin(a) * s.len + dx;
    const y2 = TOP - Math.cos(a) * s.len;
    d.line(EDGE + dx, TOP, x2, y2, 13, 'ink');
    d.line(EDGE + dx, TOP, x2, y2, 7, 'accent');
  }
  const bob = s.phase === 'walk' ? Math.abs(Math.sin(s.t * 18)) * 7 : 0;
  if (blink(s)) d.sprite('hero', s.x + dx, TOP - s.r - bob + s.drop, s.r * 2.7, { rot: s.drop * 0.01 });
}

function column(d, x, w, goal, s) {
  d.box(x, TOP, w, H - TOP + 20, 'block', { radius: 10, stroke: 'ink', width: 5 });
  d.box(x + 8, TOP + 16, 10, H, 'blockLight', { radius: 5, alpha: 0.6 });
  d.box(x - 5, TOP - 3, w + 10, 22, 'groundTop', { radius: 10, stroke: 'ink', width: 4 });
  if (!goal) return;
  d.box(x + w / 2 - 11, TOP - 3, 22, 8, 'accent', { radius: 4 });
  if (s.to.gem && s.phase !== 'shift') d.sprite('pickup', x + w / 2, TOP - 44 + Math.sin(s.t * 4) * 5, 40);
}
