// Zigzag: the hero rolls along a path that turns left and right; a tap turns
// it. Off the path is a fall.
import { W, H, STEP, base, tick, gain, hurt, note, heat, lerp, chance, blink, plenty } from '../core/world.js';

export const meta = { id: 'zigzag', scroll: 'y' };

// Tiles lie on a grid: a step to the right or left goes one tile up the field.
const DX = 44;
const DY = 26;
const AHEAD = 26; // tiles made beyond the hero

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.tiles = []; // {u, v, gem}: u steps to the right, v to the left
  s.u = 0; // the hero's place on the grid
  s.v = 0;
  s.dir = 0; // 0 goes right (u), 1 goes left (v)
  s.run = 5; // tiles until the path turns
  s.grow = 0;
  s.fall = 0;
  s.cx = 0; // the camera, in pixels
  s.cy = 0;
  s.passed = 0;
  for (let u = -4; u <= 3; u++) s.tiles.push({ u, v: 0, gem: false });
  while (s.tiles.length < AHEAD) addTile(s);
  return s;
}

function addTile(s) {
  const last = s.tiles[s.tiles.length - 1];
  // The path stays within reach of the middle of the field.
  const lean = last.u - last.v;
  if (s.run <= 0 || (s.grow === 0 && lean > 5) || (s.grow === 1 && lean < -5)) {
    s.grow = 1 - s.grow;
    s.run = 1 + Math.floor((1 + 3 * (s.rng % 1000) / 1000) / s.cfg.density);
  }
  const gem = chance(s, 0.2 * plenty(s));
  s.run--;
  s.tiles.push(s.grow === 0 ? { u: last.u + 1, v: last.v, gem } : { u: last.u, v: last.v + 1, gem });
}

function place(s, u, v) { return [W / 2 + (u - v) * DX - s.cx, 520 - (u + v) * DY - s.cy]; }

export function under(s, u, v) { return s.tiles.find((t) => Math.abs(t.u - u) <= 0.62 && Math.abs(t.v - v) <= 0.62); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const [x, y] = place(s, s.u, s.v);
  if (s.fall > 0) {
    s.fall -= STEP;
    if (s.fall <= 0) recover(s);
  } else {
    if (input.pressed) {
      s.dir = 1 - s.dir;
      note(s, 'turn', x, y);
    }
    const v = 3.5 * s.cfg.speed * heat(s) * STEP;
    if (s.dir === 0) s.u += v;
    else s.v += v;
    const tile = under(s, s.u, s.v);
    if (!tile) {
      s.safe = 0; // a fall always costs a life
      hurt(s, x, y);
      s.fall = 0.6;
    } else if (tile.gem) {
      tile.gem = false;
      gain(s, 3, x, y - 20);
    }
    const done = Math.floor((s.u + s.v) / 3);
    if (done > s.passed) { s.passed = done; gain(s, 1, x, y - 20); }
  }
  while (s.tiles.length < 200 && last(s) < s.u + s.v + AHEAD) addTile(s);
  s.tiles = s.tiles.filter((t) => t.u + t.v > s.u + s.v - 12);
  s.cx = lerp(s.cx, (s.u - s.v) * DX, 0.07);
  s.cy = lerp(s.cy, -(s.u + s.v) * DY, 0.12);
}

function last(s) {
  const t = s.tiles[s.tiles.length - 1];
  return t.u + t.v;
}

// recover puts the hero back on the nearest tile, facing along the path.
function recover(s) {
  let at = 0;
  s.tiles.forEach((t, i) => {
    const far = (k) => Math.abs(s.tiles[k].u - s.u) + Math.abs(s.tiles[k].v - s.v);
    if (far(i) < far(at)) at = i;
  });
  const t = s.tiles[at];
  const next = s.tiles[at + 1] || t;
  s.u = t.u;
  s.v = t.v;
  s.dir = next.u > t.u ? 0 : 1;
}

function tile(d, x, y, gem) {
  d.poly([[x - DX, y], [x, y + DY], [x, y + DY + 22], [x - DX, y + 22]], 'block', { stroke: 'ink', width: 2 });
  d.poly([[x + DX, y], [x, y + DY], [x, y + DY + 22], [x + DX, y + 22]], 'ground', { stroke: 'ink', width: 2 });
  d.poly([[x, y - DY], [x + DX, y], [x, y + DY], [x - DX, y]], gem ? 'groundTop' : 'blockLight',
    { stroke: 'ink', width: 2 });
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const order = s.tiles.slice().sort((a, b) => (b.u + b.v) - (a.u + a.v));
  for (const t of order) {
    const [x, y] = place(s, t.u, t.v);
    if (y < -40 || y > H + 40) continue;
    const gone = s.u + s.v - (t.u + t.v) - 3;
    tile(d, x, y + (gone > 0 ? gone * gone * 9 : 0), t.gem);
    if (t.gem) d.sprite('pickup', x, y - 22 + Math.sin(s.t * 4 + t.u) * 4, 38);
  }
  const [x, y] = place(s, s.u, s.v);
  const drop = s.fall > 0 ? (0.6 - s.fall) : 0;
  const size = 50 * s.cfg.size;
  d.disc(x, y + 2, size * 0.3, 'shade', { alpha: s.fall > 0 ? 0 : 0.28 });
  if (blink(s) || s.fall > 0) {
    d.sprite('hero', x, y - size * 0.36 - Math.abs(Math.sin(s.t * 10)) * 4 + drop * drop * 900, size,
      { sx: s.dir === 0 ? 1 : -1, rot: drop * 4 + Math.sin(s.t * 10) * 0.08, alpha: 1 - drop * 1.2 });
  }
}
