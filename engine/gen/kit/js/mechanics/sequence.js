// Sequence: pads light up one after another, and the player repeats it. Each
// round it is longer by one.
import { W, STEP, PI, base, tick, gain, hurt, note, clear, heat, random, near, sin, cos } from '../core/world.js';

export const meta = { id: 'sequence', scroll: 'none', controls: 'board' };

const COLORS = ['#d8434e', '#2f7fd1', '#e0a800', '#2c9a58', '#9b59d0', '#e8792b'];
const MIDDLE = { x: W / 2, y: 434 };
const PATIENCE = 5; // seconds until the next press must come
const GOAL = 10; // length that ends a level, in a run without a clock
const CROSS = ['left', 'up', 'right', 'down']; // the arrow of each of four pads

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration);
  s.pads = Math.max(4, Math.min(6, s.cfg.params.pads || 4));
  s.row = [];
  s.cursor = -1;
  longer(s);
  return s;
}

// pad returns the place of a pad.
export function pad(s, i) {
  const turn = -PI + (i / s.pads) * PI * 2;
  const far = s.pads > 4 ? 150 : 138;
  return {
    x: MIDDLE.x + Math.round(cos(turn) * far), y: MIDDLE.y + Math.round(sin(turn) * far * 1.05),
    r: s.pads > 4 ? 68 : 84,
  };
}

function longer(s) {
  let next = Math.floor(random(s) * s.pads);
  const n = s.row.length;
  if (n > 1 && s.row[n - 1] === next && s.row[n - 2] === next) next = (next + 1) % s.pads;
  s.row.push(next);
  show(s);
}

function show(s) {
  s.phase = 'show'; // show, play, done, wrong
  s.clock = -0.5;
  s.at = 0; // of the row
  s.lit = -1;
  s.glow = 0;
}

function beat(s) { return 0.62 / (s.cfg.speed * Math.sqrt(heat(s)) * (1 + s.row.length * 0.04)); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.clock += STEP;
  s.glow = Math.max(0, s.glow - STEP);
  if (s.glow === 0) s.lit = -1;
  if (s.phase === 'show') present(s);
  else if (s.phase === 'play') listen(s, input);
  else if (s.phase === 'wrong' && s.clock > 1.2) show(s);
  else if (s.phase === 'done' && s.clock > 0.6) advance(s);
}

function present(s) {
  if (s.clock < 0) return;
  if (s.at === s.row.length) {
    s.phase = 'play';
    s.at = 0;
    s.clock = 0;
    return;
  }
  light(s, s.row[s.at++], beat(s) * 0.68);
  s.clock = -beat(s);
}

function light(s, i, time) {
  s.lit = i;
  s.glow = time;
  note(s, 'tone' + i);
}

// pressed returns the pad that the player chose in this step, -1 for none.
function pressed(s, input) {
  const digit = Number(input.key || 0);
  if (digit >= 1 && digit <= s.pads) return digit - 1;
  if (input.move && s.pads === 4) return CROSS.indexOf(input.move);
  if (input.move) {
    s.cursor = s.cursor < 0 ? 0 : (s.cursor + (input.move === 'left' || input.move === 'up' ? s.pads - 1 : 1)) % s.pads;
    return -1;
  }
  if (input.fire) return s.cursor;
  if (!input.pressed || input.x === null || input.y === null) return -1;
  s.cursor = -1;
  for (let i = 0; i < s.pads; i++) {
    const p = pad(s, i);
    if (near(input.x, input.y, p.x, p.y, p.r + 6)) return i;
  }
  return -1;
}

function listen(s, input) {
  const i = pressed(s, input);
  if (i < 0) {
    if (s.clock > PATIENCE) fail(s, s.row[s.at]);
    return;
  }
  const p = pad(s, i);
  if (i !== s.row[s.at]) {
    fail(s, i);
    return;
  }
  light(s, i, 0.22);
  s.clock = 0;
  s.at++;
  const whole = s.at === s.row.length;
  gain(s, whole ? 1 + Math.floor(s.row.length / 3) : 1, p.x, p.y, whole && s.row.length > 2 ? 'perfect' : 'gain');
  if (whole) s.phase = 'done';
}

function fail(s, i) {
  const p = pad(s, i);
  s.phase = 'wrong';
  s.clock = 0;
  light(s, s.row[s.at], 1.1);
  s.safe = 0;
  hurt(s, p.x, p.y);
}

function advance(s) {
  if (s.staged && s.row.length >= GOAL) {
    s.row = [];
    clear(s);
    if (s.over) return;
  }
  longer(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.disc(MIDDLE.x, MIDDLE.y + 8, 234, 'shade', { alpha: 0.35 });
  d.disc(MIDDLE.x, MIDDLE.y, 232, '#2a2d3a', { stroke: '#11131a', width: 4 });
  for (let i = 0; i < s.pads; i++) {
    const p = pad(s, i);
    const lit = i === s.lit;
    if (lit) d.sprite('glow', p.x, p.y, p.r * 3.4, { tint: COLORS[i], alpha: 0.95 });
    d.disc(p.x, p.y + 6, p.r, 'shade', { alpha: lit ? 0 : 0.4 });
    d.disc(p.x, p.y, p.r * (lit ? 1.07 : 1), COLORS[i], {
      stroke: lit ? '#ffffff' : i === s.cursor ? 'accent' : 'ink', width: lit || i === s.cursor ? 7 : 4,
      alpha: lit || s.phase !== 'show' ? 1 : 0.75,
    });
    if (lit) d.disc(p.x, p.y, p.r * 0.8, '#ffffff', { alpha: 0.5 });
    d.text(i + 1, p.x, p.y, 30, { color: '#ffffff', outline: '#20242e', alpha: lit ? 1 : 0.75 });
  }
  const glad = s.phase === 'done' ? Math.abs(Math.sin(s.t * 12)) * 10 : 0;
  d.sprite('hero', MIDDLE.x, MIDDLE.y - glad, 78, { rot: s.phase === 'wrong' ? Math.sin(s.t * 40) * 0.15 : 0 });
  const text = s.cfg.labels[s.phase === 'play' ? 'go' : 'look'] || '';
  if (s.phase === 'show' || s.phase === 'play') d.text(text, W / 2, 168, 30, { color: 'accent', outline: 'textInk' });
  for (let i = 0; i < Math.min(20, s.row.length); i++) {
    const n = Math.min(20, s.row.length);
    d.disc(W / 2 + (i - (n - 1) / 2) * 21, 698, 7,
      s.phase !== 'show' && (i < s.at || s.phase === 'done') ? 'pickup' : 'panel', { stroke: 'ink', width: 2 });
  }
}
