// Chop: taps to the left and right of a trunk; each blow brings it down by one
// piece, and branches with it. Time runs out for those who rest.
import { W, H, STEP, base, tick, gain, hurt, note, heat, chance, choose, lerp, blink, finish } from '../core/world.js';

export const meta = { id: 'chop', scroll: 'none' };

const PIECE = 84; // height of a piece of the trunk
const FOOT = 640;
const FULL = 4.2; // seconds of strength

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.side = -1;
  s.pieces = []; // from the bottom: -1 a branch on the left, 1 on the right, 0 none
  s.strength = FULL;
  s.fall = 0; // how far the trunk has still to come down
  s.swing = 0;
  s.chips = [];
  s.count = 0;
  for (let i = 0; i < 7; i++) addPiece(s, i < 3);
  return s;
}

function addPiece(s, bare) {
  const above = s.pieces[s.pieces.length - 1];
  // Two pieces in a row never block both sides.
  const side = bare || !chance(s, Math.min(0.85, 0.55 * s.cfg.density * Math.sqrt(heat(s)))) ? 0
    : above || choose(s, [-1, 1]);
  s.pieces.push(side !== 0 && chance(s, 0.45) && !above ? -side : side);
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.strength -= STEP * s.cfg.speed * heat(s);
  s.fall = lerp(s.fall, 0, 0.35);
  s.swing = Math.max(0, s.swing - 7 * STEP);
  for (const c of s.chips) { c.x += c.vx * STEP; c.y += c.vy * STEP; c.vy += 1300 * STEP; c.rot += c.vx * 0.02 * STEP; }
  s.chips = s.chips.filter((c) => c.y < H + 60);
  if (input.pressed) blow(s, input);
  if (s.strength <= 0) {
    s.safe = 0; // who rests too long loses a life, always
    hurt(s, W / 2 + s.side * 110, FOOT - 60);
    s.strength = FULL;
  }
}

function blow(s, input) {
  s.side = input.x === null ? -s.side : input.x < W / 2 ? -1 : 1;
  const x = W / 2 + s.side * 110;
  // The branch beside the hero, and the one that comes down on it.
  const hit = s.pieces[0] === s.side || s.pieces[1] === s.side;
  s.swing = 1;
  s.chips.push({ x: W / 2, y: FOOT - PIECE / 2, vx: -s.side * 420, vy: -320, rot: 0, side: s.pieces[0] });
  s.pieces.shift();
  addPiece(s, false);
  s.fall = PIECE;
  if (hit) {
    hurt(s, x, FOOT - 90);
    s.pieces[0] = s.pieces[1] = 0; // not twice in a row for one mistake
    return;
  }
  s.strength = Math.min(FULL, s.strength + 0.55);
  s.count++;
  note(s, 'chop', W / 2, FOOT - 40);
  if (s.count % 2 === 0) gain(s, 1, x, FOOT - 130);
  if (s.cfg.params.goal > 0 && s.count >= s.cfg.params.goal) finish(s, 'win');
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(-20, FOOT, W + 40, H - FOOT + 20, 'ground');
  d.box(-20, FOOT, W + 40, 10, 'groundTop');
  for (let i = s.pieces.length - 1; i >= 0; i--) {
    const y = FOOT - (i + 1) * PIECE - s.fall;
    branch(d, s, y, s.pieces[i]);
    d.box(W / 2 - 47, y, 94, PIECE + 2, 'block', { stroke: 'ink', width: 5 });
    d.box(W / 2 - 34, y + 10, 10, PIECE - 20, 'blockLight', { radius: 5, alpha: 0.6 });
    d.box(W / 2 + 12, y + 24, 22, 7, 'shade', { radius: 3, alpha: 0.25 });
  }
  for (const c of s.chips) {
    d.poly([[-40, -30], [40, -30], [40, 30], [-40, 30]].map((p) =>
      [c.x + p[0] * Math.cos(c.rot) - p[1] * Math.sin(c.rot), c.y + p[0] * Math.sin(c.rot) + p[1] * Math.cos(c.rot)]),
      'blockLight', { stroke: 'ink', width: 4 });
  }
  const x = W / 2 + s.side * (112 - s.swing * 16);
  d.disc(x, FOOT + 6, 38, 'shade', { alpha: 0.25 });
  const tip = [W / 2 + s.side * (56 + (1 - s.swing) * 66), FOOT - 58 - (1 - s.swing) * 54];
  d.line(x - s.side * 14, FOOT - 46, tip[0], tip[1], 9, 'ink');
  d.line(x - s.side * 14, FOOT - 46, tip[0], tip[1], 5, 'groundTop');
  d.poly([
    [tip[0] - 6, tip[1] - 22], [tip[0] - s.side * 22, tip[1] - 10], [tip[0] - s.side * 18, tip[1] + 14],
    [tip[0] + 6, tip[1] + 8],
  ], 'text', { stroke: 'ink', width: 4 });
  if (blink(s)) {
    d.sprite('hero', x, FOOT - 44 * Math.sqrt(s.cfg.size), 98 * Math.sqrt(s.cfg.size),
      { sx: -s.side, rot: -s.side * s.swing * 0.2 });
  }
  d.box(90, 118, W - 180, 18, 'shade', { radius: 9, alpha: 0.6, stroke: 'text', width: 3 });
  d.box(94, 122, Math.max(0, (W - 188) * (s.strength / FULL)), 10, s.strength < 1.5 ? 'hazard' : 'accent',
    { radius: 5 });
}

function branch(d, s, y, side) {
  if (side === 0) {
    return;
  }
  const x = W / 2 + side * 47;
  d.poly([[x, y + 30], [x + side * 96, y + 20], [x + side * 96, y + 36], [x, y + 58]], 'block',
    { stroke: 'ink', width: 5 });
  d.sprite('hazard', x + side * 98, y + 30, 68, { sx: side });
}
