// Rhythm: notes fall down four lanes and are hit on the line, to a beat. The
// seed makes up the music: phrases of four bars, the second like the first.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, random, between, chance, choose, clamp,
} from '../core/world.js';

export const meta = { id: 'rhythm', scroll: 'none', controls: 'type' };

const LEFT = 66;
const WIDE = 88; // of a lane
const LINE = 556;
const TOP = 140;
export const PERFECT = 0.055; // seconds
export const GOOD = 0.13;
export const KEYS = ['d', 'f', 'j', 'k'];
const ARROWS = { left: 0, down: 1, up: 2, right: 3 };
const COLORS = ['#ff5d73', '#ffc93c', '#3ddc97', '#4da3ff'];
const BARS = 14; // of a level, where no clock ends it
// What a bar sounds like: eight quavers, from easy to hard.
const BEATS = [
  'x...x...', 'x.x.x...', 'x.x.x.x.', 'x..x..x.', 'x.xxx.x.', 'x.x.xxx.', 'xxx.x.xx', 'x.xxx.xx', 'xx.xx.xx',
  'xxxx.xxx',
];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.song = -1.2; // seconds of the music
  s.beat = 0;
  s.bar = 0;
  s.from = 0.8; // when the next bar begins
  s.long = 0.5; // seconds of a beat
  s.until = 1e6; // the end of a level
  s.motifs = [];
  s.notes = [];
  s.energy = 0.7;
  s.glow = [0, 0, 0, 0];
  s.said = { text: '', life: 0, color: 'text' };
  return s;
}

export function laneX(lane) { return LEFT + (lane + 0.5) * WIDE; }

// motif makes up a bar: a rhythm, and a tune that goes up and down in steps.
function motif(s) {
  const hard = clamp((heat(s) - 1) * 5 + s.level, 1, 6) * Math.sqrt(s.cfg.density);
  const rhythm = BEATS[clamp(Math.floor(between(s, hard, hard + 4)), 0, BEATS.length - 1)];
  let tone = Math.floor(between(s, 0, 4));
  return Array.from(rhythm, (c) => {
    if (c === '.') return -1;
    tone = clamp(tone + choose(s, [-1, 1, 1, -1, 2, -2, 0]), -1, 4);
    if (tone < 0 || tone > 3) tone = tone < 0 ? 1 : 2;
    return tone;
  });
}

// compose adds a bar: the phrase is A A B A, its last bar with a turn.
function compose(s) {
  const k = s.bar % 4;
  if (s.bar === BARS * s.level) s.until = s.from;
  if (k === 0) {
    s.motifs = [motif(s), motif(s)];
    s.long = 60 / ((s.cfg.params.bpm || 112) * Math.sqrt(s.cfg.speed) * Math.sqrt(heat(s)));
  }
  const bar = s.motifs[k === 2 ? 1 : 0];
  bar.forEach((lane, i) => {
    const t = s.from + (i * s.long) / 2;
    if (lane >= 0) s.notes.push({ t, lane: k === 3 && i > 3 ? 3 - lane : lane, bad: false });
    else if (i % 2 === 0 && chance(s, 0.12 * s.cfg.density * (heat(s) - 0.8))) {
      s.notes.push({ t, lane: Math.floor(random(s) * 4), bad: true });
    }
  });
  s.from += 4 * s.long;
  s.bar++;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.song += STEP;
  s.said.life = Math.max(0, s.said.life - 2.2 * STEP);
  s.glow = s.glow.map((g) => Math.max(0, g - 5 * STEP));
  if (s.song > s.from - 3) compose(s);
  const beat = Math.floor((s.song - s.from) / s.long);
  if (beat !== s.beat && s.song > -0.7) {
    s.beat = beat;
    note(s, 'beat');
  }
  const lane = pressed(input);
  if (lane >= 0) hit(s, lane);
  for (const n of s.notes) {
    if (s.song < n.t + GOOD) break;
    n.gone = true;
    if (!n.bad) slip(s, n.lane, 0.11);
  }
  s.notes = s.notes.filter((n) => !n.gone);
  if (s.cfg.duration || s.over || s.song < s.until) return;
  s.until = 1e6;
  gain(s, 5, W / 2, 300, 'perfect');
  clear(s);
}

// pressed is the lane of a key or a finger, -1 for none.
function pressed(input) {
  if (input.key && KEYS.includes(input.key.toLowerCase())) return KEYS.indexOf(input.key.toLowerCase());
  if (input.move) return ARROWS[input.move];
  if (input.key || !input.pressed || input.x === null || input.y === null) return -1;
  return clamp(Math.floor((input.x - LEFT) / WIDE), 0, 3);
}

function hit(s, lane) {
  s.glow[lane] = 1;
  const n = s.notes.find((o) => o.lane === lane && Math.abs(o.t - s.song) < GOOD);
  if (!n || n.bad) {
    if (n) n.gone = true;
    slip(s, lane, n ? 0.25 : 0.08);
    return;
  }
  n.gone = true;
  const exact = Math.abs(n.t - s.song) < PERFECT;
  s.energy = Math.min(1, s.energy + (exact ? 0.04 : 0.025));
  gain(s, exact ? 2 : 1, laneX(lane), LINE);
  say(s, exact ? 'perfect' : 'good', exact ? 'accent' : 'text');
}

// slip is a note missed, or a key pressed where there is none.
function slip(s, lane, costs) {
  s.streak = 0;
  s.energy -= costs;
  note(s, 'miss', laneX(lane), LINE);
  say(s, 'miss', 'hazard');
  if (s.energy > 0) return;
  s.safe = 0;
  hurt(s, laneX(lane), LINE);
  s.energy = 0.6;
}

function say(s, text, color) { s.said = { text, life: 1, color }; }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(LEFT - 8, TOP, WIDE * 4 + 16, H - TOP, 'shade', { alpha: 0.72, radius: 10 });
  for (let k = 0; k < 4; k++) {
    if (s.glow[k] > 0.05) d.box(LEFT + k * WIDE, TOP, WIDE, LINE - TOP, COLORS[k], { alpha: 0.3 * s.glow[k] });
    d.line(LEFT + k * WIDE, TOP, LEFT + k * WIDE, H, 2, 'text', { alpha: k ? 0.2 : 0.5 });
  }
  d.line(LEFT + 4 * WIDE, TOP, LEFT + 4 * WIDE, H, 2, 'text', { alpha: 0.5 });
  const fall = 250 * Math.sqrt(s.cfg.speed * s.cfg.gravity);
  for (let b = 0; b < 12; b++) {
    const y = LINE - (s.from - b * s.long - s.song) * fall;
    if (y > TOP && y < LINE) d.line(LEFT, y, LEFT + 4 * WIDE, y, b % 4 ? 1.5 : 4, 'text', { alpha: 0.18 });
  }
  d.box(LEFT - 8, LINE - 4, WIDE * 4 + 16, 8, 'text', { alpha: 0.55, radius: 4 });
  for (let k = 0; k < 4; k++) {
    const x = laneX(k);
    d.disc(x, LINE, 36 + 4 * s.glow[k], 'shade', { stroke: COLORS[k], width: 5, alpha: 0.85 });
    d.disc(x, LINE, 30 + 4 * s.glow[k], COLORS[k], { alpha: 0.25 + 0.6 * s.glow[k] });
    d.text(KEYS[k].toUpperCase(), x, LINE + 1, 28, { color: 'text', outline: 'textInk', role: 'key' + k });
    const turn = [[-1, 0], [0, 1], [0, -1], [1, 0]][k];
    d.poly([
      [x + turn[0] * 11, LINE + 62 + turn[1] * 11],
      [x - turn[0] * 6 - turn[1] * 10, LINE + 62 - turn[1] * 6 + turn[0] * 10],
      [x - turn[0] * 6 + turn[1] * 10, LINE + 62 - turn[1] * 6 - turn[0] * 10],
    ], COLORS[k], { alpha: 0.7 });
  }
  for (const n of s.notes) {
    const y = LINE - (n.t - s.song) * fall;
    if (y < TOP - 10) continue;
    const x = laneX(n.lane);
    if (n.bad) { d.sprite('hazard', x, y, 60); continue; }
    d.box(x - 37, y - 19, 74, 38, COLORS[n.lane], { radius: 17, stroke: 'ink', width: 3 });
    d.box(x - 29, y - 14, 58, 9, '#ffffff', { radius: 5, alpha: 0.45 });
    d.sprite('pickup', x, y, 31);
  }
  const bounce = Math.abs(Math.sin(((s.song - s.from) / s.long) * Math.PI));
  d.sprite('hero', W / 2 + 2, 672 - bounce * 12, 78 * Math.sqrt(s.cfg.size),
    { sx: (s.beat % 2 ? -1 : 1) * (1.08 - bounce * 0.1), sy: 0.92 + bounce * 0.1, rot: (s.beat % 2 ? 1 : -1) * 0.08 });
  d.box(18, 170, 24, 380, 'shade', { radius: 12, alpha: 0.6, stroke: 'ink', width: 2 });
  const high = 372 * clamp(s.energy, 0.04, 1);
  d.box(22, 546 - high, 16, high, s.energy < 0.3 ? 'hazard' : 'pickup', { radius: 8 });
  if (s.streak > 2) d.text('x' + s.streak, W - 32, 330, 26, { color: 'accent', outline: 'textInk', role: 'combo' });
  if (s.said.life > 0 && !s.over) {
    d.text(s.cfg.labels[s.said.text], LEFT + 2 * WIDE, 452, 34, {
      color: s.said.color, outline: 'textInk', alpha: Math.min(1, s.said.life * 2), scale: 0.9 + 0.3 * s.said.life,
      role: 'said',
    });
  }
}
