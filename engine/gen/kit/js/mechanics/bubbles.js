// Bubbles: shoot coloured bubbles at those that hang from the ceiling. Three or
// more alike pop, what then hangs on nothing falls, and the ceiling comes down.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, choose, clamp, sin, cos, atan2,
} from '../core/world.js';
import { COLS, ROWS, R, HIGH, GIFT, NEAR, there, alike, hanging } from '../core/comb.js';

export { R, NEAR, alike, hanging };

export const meta = { id: 'bubbles', scroll: 'none', controls: 'board' };

const TOP = 150;
const LINE = 590; // no bubble may hang below it
export const GUN = { x: W / 2, y: 656 };
const STEEP = 1.4; // radians from straight up
const TOUCH = R * 1.72; // distance at which a shot sticks
const COLORS = ['#ef3e4a', '#ffb703', '#2fb563', '#2f83f7', '#a24be0', '#ff7ac6'];


/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.boards = 0;
  s.angle = 0;
  s.shot = null;
  s.cool = 0;
  s.falls = [];
  build(s);
  return s;
}

function build(s) {
  s.top = TOP;
  s.down = 0; // rows that the ceiling has come down
  s.press = 0;
  const hues = clamp((s.cfg.params.colors || 5) + Math.min(1, s.boards), 3, COLORS.length);
  const rows = Math.min(8, Math.round((6 + s.boards) * Math.sqrt(s.cfg.density)));
  s.cells = [];
  for (let i = 0; i < COLS * ROWS; i++) {
    const over = NEAR[i].filter((n) => n < i && s.cells[n] >= 0);
    if (!there(i) || Math.floor(i / COLS) >= rows) s.cells.push(-1);
    else {
      s.cells.push((over.length && chance(s, 0.48) ? s.cells[choose(s, over)] % GIFT : Math.floor(between(s, 0, hues)))
        + (chance(s, 0.07) ? GIFT : 0));
    }
  }
  s.now = ammo(s);
  s.next = ammo(s);
}

export function place(s, i) {
  const r = Math.floor(i / COLS);
  return { x: R + (i % COLS) * 2 * R + (r % 2) * R, y: s.top + R + r * HIGH };
}

// ammo is a colour that still hangs.
function ammo(s) {
  const hues = s.cells.filter((c) => c >= 0).map((c) => c % GIFT);
  return hues.length ? choose(s, hues) : 0;
}

// stuck tells whether a bubble at a place touches another or the ceiling.
function stuck(s, x, y) {
  if (y < s.top + R) return true;
  const row = Math.round((y - s.top - R) / HIGH);
  for (let r = Math.max(0, row - 1); r <= Math.min(ROWS - 1, row + 1); r++) {
    const left = R + (r % 2) * R;
    const col = Math.floor((x - left) / (2 * R));
    for (let c = Math.max(0, col); c <= Math.min(COLS - 1, col + 1); c++) {
      if (s.cells[r * COLS + c] < 0) continue;
      const dx = left + c * 2 * R - x;
      const dy = s.top + R + r * HIGH - y;
      if (dx * dx + dy * dy < TOUCH * TOUCH) return true;
    }
  }
  return false;
}

// landing is the empty cell nearest to a place, -1 for none.
function landing(s, x, y) {
  let best = -1;
  let least = 1e9;
  const row = Math.round((y - s.top - R) / HIGH);
  for (let i = Math.max(0, row - 1) * COLS; i < Math.min(ROWS, row + 2) * COLS; i++) {
    if (s.cells[i] >= 0 || !there(i)) continue;
    const at = place(s, i);
    const far = (at.x - x) * (at.x - x) + (at.y - y) * (at.y - y);
    if (far < least) {
      least = far;
      best = i;
    }
  }
  return best;
}

// fly moves a shot by a distance; it bounces off the sides.
function fly(b, by) {
  b.x += b.vx * by;
  b.y += b.vy * by;
  if (b.x < R || b.x > W - R) {
    b.x = b.x < R ? 2 * R - b.x : 2 * (W - R) - b.x;
    b.vx = -b.vx;
  }
}

// trace follows a shot at an angle to where it sticks, in strides.
export function trace(s, angle, stride, dots) {
  const b = { x: GUN.x, y: GUN.y, vx: sin(angle), vy: -cos(angle) };
  for (let i = 0; i < 1400 / stride; i++) {
    if (stuck(s, b.x, b.y)) return landing(s, b.x, b.y);
    if (dots) dots.push([b.x, b.y]);
    fly(b, stride);
  }
  return -1;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.cool -= STEP;
  s.angle = clamp(s.angle + ((input.right ? 1 : 0) - (input.left ? 1 : 0)) * 1.5 * STEP, -STEEP, STEEP);
  const aimed = input.x !== null && input.y !== null && input.y < GUN.y - 30;
  if (aimed) s.angle = clamp(atan2(input.x - GUN.x, GUN.y - input.y), -STEEP, STEEP);
  if (input.move === 'down' || input.move === 'up' || (input.tapped && input.x !== null && !aimed)) {
    [s.now, s.next] = [s.next, s.now];
    note(s, 'turn', GUN.x, GUN.y);
  } else if ((input.tapped || (input.released && aimed)) && !s.shot && s.cool <= 0) {
    s.shot = { x: GUN.x, y: GUN.y, vx: sin(s.angle), vy: -cos(s.angle), hue: s.now };
    s.now = s.next;
    s.next = ammo(s);
    note(s, 'shot', GUN.x, GUN.y - 20);
  }
  for (let k = 0; k < 4 && s.shot; k++) {
    fly(s.shot, (1150 * s.cfg.speed * STEP) / 4);
    if (stuck(s, s.shot.x, s.shot.y)) stick(s);
  }
  s.press += (STEP * heat(s) * Math.sqrt(s.cfg.speed)) / 9.5;
  if (s.press >= 1) {
    s.press = 0;
    s.down++;
    note(s, 'ceiling', W / 2, s.top + HIGH);
  }
  s.top += clamp(TOP + s.down * HIGH - s.top, -240 * STEP, 90 * STEP);
  let low = s.cells.length - 1;
  while (low >= 0 && s.cells[low] < 0) low--;
  if (low >= 0 && place(s, low).y + R > LINE) crush(s, low);
  for (const f of s.falls) {
    f.vy += 1500 * s.cfg.gravity * STEP;
    f.x += f.vx * STEP;
    f.y += f.vy * STEP;
  }
  s.falls = s.falls.filter((f) => f.y < H + 40).slice(-60);
}

// stick puts the shot where it is, and pops what is alike.
function stick(s) {
  const i = landing(s, s.shot.x, s.shot.y);
  const hue = s.shot.hue;
  s.shot = null;
  s.cool = 0.15;
  if (i < 0) return;
  s.cells[i] = hue;
  const group = alike(s, i, hue);
  const at = place(s, i);
  if (group.length < 3) {
    s.streak = 0;
    s.press += 0.25;
    note(s, 'stick', at.x, at.y);
    return;
  }
  const gifts = group.filter((n) => s.cells[n] >= GIFT).length;
  group.forEach((n) => drop(s, n, true));
  const loose = hanging(s);
  loose.forEach((n) => drop(s, n, false));
  gain(s, group.length - 2 + loose.length + gifts, at.x, at.y,
    loose.length > 2 || group.length > 5 ? 'perfect' : 'gain');
  if (s.cells.some((c) => c >= 0)) return;
  gain(s, 10, W / 2, 300, 'perfect');
  s.boards++;
  if (!s.cfg.duration) clear(s);
  if (!s.over) build(s);
}

// drop takes a bubble from its cell and lets it be seen to go.
function drop(s, n, popped) {
  const at = place(s, n);
  s.falls.push({
    x: at.x, y: at.y, vx: between(s, -1, 1) * (popped ? 210 : 60), vy: popped ? between(s, -460, -260) : 0,
    hue: s.cells[n], popped,
  });
  s.cells[n] = -1;
}

// crush takes a life: the lowest rows go, and the ceiling rises.
function crush(s, low) {
  const at = place(s, low);
  hurt(s, at.x, at.y);
  for (let i = Math.max(2, Math.floor(low / COLS) - 3) * COLS; i <= low; i++) if (s.cells[i] >= 0) drop(s, i, false);
  s.down = Math.max(0, s.down - 4);
  s.press = 0;
}

function bubble(d, x, y, r, c) {
  d.disc(x, y, r, COLORS[c % GIFT], { stroke: 'ink', width: 2 });
  if (c >= GIFT) d.sprite('pickup', x, y, r * 1.35);
  d.disc(x - r * 0.35, y - r * 0.4, r * 0.24, '#ffffff', { alpha: 0.75 });
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(0, 140, W, H - 140, 'shade', { alpha: 0.45 });
  for (let x = 8; x < W; x += 24) d.line(x, LINE, x + 12, LINE, 3, 'hazard', { alpha: 0.8 });
  const jolt = s.press > 0.85 ? Math.sin(s.t * 60) * 2 : 0;
  d.box(-10, 128, W + 20, s.top - 128, 'block', { stroke: 'ink', width: 3 });
  for (let y = s.top - 14; y > 140; y -= HIGH) d.line(0, y, W, y, 3, 'blockLight', { alpha: 0.6 });
  d.box(-10, s.top - 10, W + 20, 10, 'blockLight', { stroke: 'ink', width: 2 });
  s.cells.forEach((c, i) => { if (c >= 0) bubble(d, place(s, i).x + jolt, place(s, i).y, R - 1, c); });
  if (!s.shot) {
    const dots = [];
    trace(s, s.angle, 10, dots);
    for (let i = 4; i < Math.min(dots.length, 90); i += 2) {
      d.disc(dots[i][0], dots[i][1], 3.5, 'text', { alpha: Math.max(0.15, 0.9 - i / 110) });
    }
  } else bubble(d, s.shot.x, s.shot.y, R - 1, s.shot.hue);
  for (const f of s.falls) bubble(d, f.x, f.y, f.popped ? R * 0.7 : R - 1, f.hue);
  d.disc(GUN.x, GUN.y + 12, 46, 'panel', { stroke: 'ink', width: 3 });
  d.poly([[-9, -30], [9, -30], [0, -52]].map(([x, y]) =>
    [GUN.x + x * cos(s.angle) - y * sin(s.angle), GUN.y + x * sin(s.angle) + y * cos(s.angle)]), 'accent',
    { stroke: 'ink', width: 2 });
  bubble(d, GUN.x, GUN.y, R, s.now);
  bubble(d, GUN.x + 74, GUN.y + 22, R * 0.7, s.next);
  d.sprite('hero', GUN.x - 82, GUN.y + 6 - (s.cool > 0 ? 6 : 0), 74 * Math.sqrt(s.cfg.size), { rot: s.angle * 0.12 });
  d.sprite('hazard', W - 44, s.top - 26 + jolt, 40, { alpha: s.down > 0 || s.press > 0.6 ? 1 : 0 });
}
