// Color: gates in some colours come down; a tap gives the hero the next
// colour. Only the gate's own colour passes.
import {
  W, H, STEP, base, tick, gain, hurt, note, heat, between, chance, clamp, lerp, blink, sin, cos, plenty,
} from '../core/world.js';

export const meta = { id: 'color', scroll: 'y' };

const Y = 560; // the hero's place
// Colours that differ for colour-blind players too, by their light.
const COLORS = ['#ffd23f', '#e0369f', '#2f6bff', '#14532d'];
const SHAPES = ['disc', 'box', 'poly', 'star'];

function many(s) { return s.cfg.params.colors || 3; }

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.color = 0;
  s.pop = 0;
  s.gates = [];
  s.coins = [];
  s.next = 180;
  s.last = 0;
  s.sway = 0;
  return s;
}

function addGate(s) {
  // Most gates differ from the one before, or nothing would be to do.
  const color = chance(s, 0.82) ? (s.last + 1 + Math.floor(between(s, 0, many(s) - 1))) % many(s) : s.last;
  s.last = color;
  s.gates.push({ y: -60, color, done: false });
  if (chance(s, 0.5 * plenty(s))) s.coins.push({ y: -60 - between(s, 90, 130), taken: false });
  s.next = 250 * Math.sqrt(heat(s)) / s.cfg.density;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const v = 205 * s.cfg.speed * heat(s);
  if (input.pressed) {
    s.color = (s.color + 1) % many(s);
    s.pop = 1;
    note(s, 'turn', W / 2, Y);
  }
  s.pop *= 0.88;
  s.sway = lerp(s.sway, sin(s.t * 1.7) * 12, 0.1);
  s.next -= v * STEP;
  if (s.next <= 0) addGate(s);
  for (const g of s.gates) {
    g.y += v * STEP;
    if (g.done || g.y < Y - 12) continue;
    g.done = true;
    if (g.color === s.color) gain(s, 1, W / 2, Y - 40);
    else hurt(s, W / 2, Y);
  }
  for (const c of s.coins) {
    c.y += v * STEP;
    if (!c.taken && c.y > Y - 30) { c.taken = true; if (s.streak > 1) gain(s, 1, W / 2, Y - 60); }
  }
  s.gates = s.gates.filter((g) => g.y < H + 50);
  s.coins = s.coins.filter((c) => !c.taken);
}

// mark draws the colour's shape, so that the colour alone is not needed.
function mark(d, k, x, y, r, color) {
  if (SHAPES[k] === 'disc') d.disc(x, y, r, color, { stroke: 'ink', width: 3 });
  else if (SHAPES[k] === 'box') d.box(x - r, y - r, r * 2, r * 2, color, { stroke: 'ink', width: 3, radius: 3 });
  else if (SHAPES[k] === 'star') {
    const far = (i) => r * (i % 2 ? 0.5 : 1.3);
    const point = (i) => [x + sin(i * Math.PI / 4) * far(i), y - cos(i * Math.PI / 4) * far(i)];
    d.poly([0, 1, 2, 3, 4, 5, 6, 7].map(point), color, { stroke: 'ink', width: 3 });
  } else d.poly([[x, y - r * 1.2], [x + r * 1.2, y + r], [x - r * 1.2, y + r]], color, { stroke: 'ink', width: 3 });
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(70, -20, W - 140, H + 40, 'shade', { alpha: 0.32, radius: 20 });
  for (const g of s.gates) {
    const open = g.done ? clamp((g.y - Y) / 60, 0, 1) * 120 : 0;
    const c = COLORS[g.color];
    for (const k of [-1, 1]) {
      const x = k < 0 ? 78 - open : W / 2 + open;
      d.box(x, g.y - 17, W / 2 - 78, 34, c, { radius: 12, stroke: 'ink', width: 4, alpha: g.done ? 0.5 : 1 });
    }
    if (!g.done) mark(d, g.color, W / 2, g.y, 13, '#ffffff');
    for (const x of [64, W - 64]) d.sprite('hazard', x, g.y, 50);
  }
  for (const c of s.coins) d.sprite('pickup', W / 2 + sin(s.t * 3) * 4, c.y, 42);
  const c = COLORS[s.color];
  d.disc(W / 2 + s.sway, Y, 52 + s.pop * 12, c, { stroke: 'ink', width: 5 });
  d.disc(W / 2 + s.sway - 18, Y - 20, 9, '#ffffff', { alpha: 0.6 });
  if (blink(s)) d.sprite('hero', W / 2 + s.sway, Y, 72 + s.pop * 14);
  for (let i = 0; i < many(s); i++) {
    const k = (s.color + i) % many(s);
    mark(d, k, W / 2 - 20 * (many(s) - 1) + i * 40, 658, i === 0 ? 14 : 9, COLORS[k]);
  }
}
