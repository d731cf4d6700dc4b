// Pong: a ball between two paddles, the player's below and the opponent's above.
// Who lets it pass gives the other a point; some points win. The score counts the
// returns as well.
import { W, STEP, base, tick, gain, note, finish, heat, between, chance, clamp, lerp, hypot } from '../core/world.js';

export const meta = { id: 'pong', scroll: 'none', controls: 'pointer', hearts: false };

export const TOP = 146;
export const BOTTOM = 690;
export const MINE = 654; // the paddles
const THEIRS = 182;
const MID = (TOP + BOTTOM) / 2;
const R = 10;
const THICK = 9; // half of a paddle
const STEEP = 1.15;
const QUICKER = 1.05; // with each return
const REST = 0.75; // seconds before a serve

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.x = W / 2;
  s.foe = { x: W / 2, goal: W / 2, v: 0 };
  s.mine = 0;
  s.theirs = 0;
  s.rally = 0;
  s.trail = [];
  s.bump = [0, 0]; // of the two paddles
  serve(s, -1);
  return s;
}

function serve(s, dir) {
  s.rally = 0;
  s.trail = [];
  s.wait = REST;
  s.ball = { x: W / 2, y: MID, vx: between(s, -0.7, 0.7), vy: dir };
  s.foe.goal = landing(s.ball, THEIRS);
}

function difficulty(s) { return s.cfg.params.difficulty === undefined ? 2 : s.cfg.params.difficulty; }
function toWin(s) { return s.cfg.params.points || 7; }
export function half(s) { return 46 * (0.4 + 0.6 * s.cfg.size); }
function foeHalf(s) { return 46 * clamp(s.cfg.density, 0.7, 1.5); }
export function pace(s) {
  let v = 500 * s.cfg.speed * (0.7 + 0.3 * heat(s));
  for (let i = 0; i < Math.min(14, s.rally); i++) v *= QUICKER;
  return v;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  // A match that the clock ends goes to who leads.
  if (s.cfg.duration && s.t + 2 * STEP >= s.cfg.duration && !s.boss) {
    finish(s, s.mine > 0 && s.mine >= s.theirs ? 'win' : 'lose');
  }
  tick(s);
  if (s.over) return;
  const v = 520 * Math.max(0.8, s.cfg.speed) * STEP;
  const was = s.x;
  if (input.left !== input.right) s.x += input.right ? v : -v;
  else if (input.x !== null) s.x = lerp(s.x, input.x, 0.4);
  s.x = clamp(s.x, half(s), W - half(s));
  s.bump = s.bump.map((k) => Math.max(0, k - 5 * STEP));
  defend(s);
  if (s.wait > 0) {
    s.wait -= STEP;
    return;
  }
  fly(s, s.ball, s.x - was);
}

// defend moves the opponent. It goes for where the ball will come, not quite
// exactly, and only so fast: steep and quick balls get by.
function defend(s) {
  const level = difficulty(s);
  const f = s.foe;
  const max = (70 + 50 * level) * Math.sqrt(s.cfg.speed) * (0.75 + 0.25 * heat(s)) * (s.power === 'slow' ? 0.6 : 1);
  const seen = s.ball.vy < 0 && s.ball.y < MID + 45 * level && s.wait <= 0;
  f.v = lerp(f.v, clamp((seen ? f.goal - f.x : (W / 2 - f.x) * 0.3) * 9, -max, max), 0.25);
  f.x = clamp(f.x + f.v * STEP, foeHalf(s), W - foeHalf(s));
}

// landing is where a ball comes to a height, around the walls.
export function landing(b, y) {
  const span = W - 2 * R;
  const far = (((b.x - R + (b.vx / b.vy) * (y - b.y)) % (2 * span)) + 2 * span) % (2 * span);
  return R + (far > span ? 2 * span - far : far);
}

function fly(s, b, swing) {
  const v = pace(s);
  const n = hypot(b.vx, b.vy);
  b.x += (b.vx / n) * v * STEP;
  b.y += (b.vy / n) * v * STEP;
  s.trail.push(b.x, b.y);
  if (s.trail.length > 16) s.trail.splice(0, 2);
  if ((b.x < R && b.vx < 0) || (b.x > W - R && b.vx > 0)) {
    b.vx = -b.vx;
    note(s, 'wall', b.x, b.y);
  }
  if (b.vy > 0 && b.y > MINE - THICK - R && b.y < MINE + THICK && Math.abs(b.x - s.x) < half(s) + R) {
    b.vx = clamp(((b.x - s.x) / half(s)) * STEEP + clamp(swing / 30, -0.25, 0.25), -STEEP - 0.2, STEEP + 0.2);
    b.vy = -1;
    meet(s, 0, b);
    gain(s, 1, b.x, MINE - 20);
    const slip = (4 - difficulty(s)) * 20 + (chance(s, 0.12) ? 50 : 0);
    s.foe.goal = landing(b, THEIRS) + between(s, -slip, slip);
  } else if (b.vy < 0 && b.y < THEIRS + THICK + R && b.y > THEIRS - THICK && Math.abs(b.x - s.foe.x) < foeHalf(s) + R) {
    // It plays to the side where the player is not, within what its paddle can do.
    const side = s.x > W / 2 + 4 || (s.x > W / 2 - 4 && chance(s, 0.5)) ? -1 : 1;
    const goal = W / 2 + side * (85 + 30 * difficulty(s) + between(s, 0, 40));
    b.vx = clamp((goal - b.x) / (MINE - b.y), -STEEP * 0.85, STEEP * 0.85);
    b.vy = 1;
    meet(s, 1, b);
  }
  if (b.y > BOTTOM - R) point(s, false, b);
  else if (b.y < TOP + R) point(s, true, b);
}

function meet(s, who, b) {
  s.rally++;
  s.bump[who] = 1;
  note(s, 'bounce', b.x, b.y);
}

function point(s, mine, b) {
  if (mine) {
    s.mine++;
    gain(s, 3, b.x, TOP + 60, 'perfect');
  } else {
    s.theirs++;
    s.streak = 0;
    note(s, 'miss', b.x, BOTTOM - 20);
  }
  if (s.mine >= toWin(s) && !s.cfg.boss) finish(s, 'win');
  else if (s.theirs >= toWin(s)) finish(s, 'lose');
  else serve(s, mine ? -1 : 1);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(0, TOP, W, BOTTOM - TOP, '#101426', { alpha: 0.78 });
  for (const y of [TOP, BOTTOM]) d.box(0, y - 3, W, 6, '#ffffff', { alpha: 0.7 });
  for (let x = 8; x < W; x += 30) d.box(x, MID - 2, 16, 4, '#ffffff', { alpha: 0.5 });
  d.ring(W / 2, MID, 58, 3, '#ffffff', { alpha: 0.25 });
  if (!s.over) { // the end has numbers of its own there
    d.text(s.theirs, W / 2, MID - 98, 84, { color: '#ffffff', alpha: 0.3, role: 'theirs' });
    d.text(s.mine, W / 2, MID + 98, 84, { color: '#ffffff', alpha: 0.45, role: 'mine' });
  }
  for (let i = 0; i < s.trail.length; i += 2) {
    d.disc(s.trail[i], s.trail[i + 1], R * (0.3 + 0.04 * i), 'accent', { alpha: 0.04 * i });
  }
  paddle(d, s.foe.x, THEIRS - s.bump[1] * 5, foeHalf(s), 'hazard');
  d.sprite('hazard', s.foe.x, THEIRS - 2 - s.bump[1] * 5, 44);
  paddle(d, s.x, MINE + s.bump[0] * 5, half(s), 'hero');
  d.sprite('hero', s.x, MINE + 2 + s.bump[0] * 5, 48);
  const k = s.wait > 0 ? 1 + 0.25 * Math.sin(s.wait * 14) : 1;
  d.disc(s.ball.x, s.ball.y, R * k, '#ffffff', { stroke: 'ink', width: 3 });
}

function paddle(d, x, y, h, color) {
  d.box(x - h, y - THICK, h * 2, THICK * 2, color, { radius: THICK, stroke: '#ffffff', width: 3 });
  d.box(x - h + 8, y - THICK + 4, h * 2 - 16, 4, '#ffffff', { radius: 2, alpha: 0.5 });
}
