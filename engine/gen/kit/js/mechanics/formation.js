// Formation: rows of foes march to and fro over the hero, lower at each turn and
// faster the fewer they are. Bunkers give cover until they are shot away.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, choose, clamp, near, sin, blink,
} from '../core/world.js';

export const meta = {
  id: 'formation', scroll: 'none', controls: 'pointer', above: true,
  extra: { saucer: { body: 'ufo', features: [], color: '#ff4d6d', color2: '#ffe066' } },
};

export const Y = 652; // the hero
export const SHOT = 700; // pixels a second
const DX = 48;
const DY = 42;
const EDGE = 34;
const BUNKER = { y: 566, cell: 9, rows: ['.#####.', '#######', '#######', '##...##'] };
const BAND = ['#ff5d8f', '#ffd23f', '#4de3ff', '#7ae582']; // colours of the rows

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.x = W / 2;
  s.wave = 0;
  s.shots = [];
  s.bombs = [];
  s.reload = 0;
  s.saucer = null;
  s.call = 7; // seconds until the bonus ship comes
  muster(s);
  return s;
}

// muster sets up the next wave, lower than the one before.
function muster(s) {
  s.foes = [];
  const { rows: told = 4, columns = 7, bunkers = 4 } = s.cfg.params;
  const rows = Math.min(5, told + Math.floor(s.wave / 2));
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) s.foes.push({ c, r, dive: 0, x: 0 });
  s.all = s.foes.length;
  s.left = (W - (columns - 1) * DX) / 2;
  s.top = 172 + Math.min(90, s.wave * 18);
  Object.assign(s, { dir: 1, beat: 0, leg: 0, plunge: 3, wave: s.wave + 1 }); // plunge: seconds until one dives
  s.bunkers = [[], [240], [150, 330], [95, 240, 385], [76, 185, 295, 404]][bunkers]
    .map((x) => ({ x, cells: BUNKER.rows.join('') }));
}

// place is where a foe is: in its row, or on its way down at the hero, and in again from above.
export function place(s, f) {
  const at = { x: s.left + f.c * DX, y: s.top + f.r * DY };
  if (!f.dive) return at;
  if (f.dive > 0.8) return { x: at.x, y: 90 + ((at.y - 90) * (f.dive - 0.8)) / 0.2 };
  const k = f.dive / 0.8;
  return { x: at.x + (f.x - at.x) * k + sin(k * 9) * 30 * (1 - k), y: at.y + (H + 30 - at.y) * k };
}

// plunge lets one after the other dive at the hero.
function plunge(s) {
  s.plunge -= STEP;
  if (s.plunge <= 0 && s.foes.length > 1) {
    const f = choose(s, s.foes);
    if (!f.dive) Object.assign(f, { dive: 0.001, x: s.x });
    s.plunge = 2.6 / heat(s);
  }
  for (const f of s.foes) {
    if (!f.dive) continue;
    f.dive += (STEP / 3.4) * s.cfg.speed;
    const at = place(s, f);
    if (f.dive >= 1) f.dive = 0;
    else if (near(at.x, at.y, s.x, Y, 30)) {
      f.dive = 0.801;
      hurt(s, s.x, Y);
    }
  }
}

// pace is how many seconds lie between two steps of the march.
export function pace(s) {
  const rate = s.cfg.speed * heat(s) * (1 + 0.12 * s.cfg.ramp * Math.min(6, s.wave - 1));
  return (0.08 + 0.5 * (s.foes.length / s.all)) / rate;
}
export const STRIDE = 11;

function march(s) {
  s.beat += STEP;
  if (s.beat < pace(s)) return;
  s.beat = 0;
  s.leg = 1 - s.leg;
  const xs = s.foes.map((f) => s.left + f.c * DX);
  const out = s.dir > 0 ? Math.max(...xs) + STRIDE > W - EDGE : Math.min(...xs) - STRIDE < EDGE;
  if (out) {
    s.dir = -s.dir;
    s.top += 15;
  } else s.left += s.dir * STRIDE;
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  steer(s, input);
  march(s);
  if (s.cfg.params.foes === 1) plunge(s);
  fire(s, input);
  saucer(s);
  for (const b of s.shots) b.y -= SHOT * STEP;
  for (const b of s.bombs) {
    b.y += b.v * STEP;
    b.age += STEP;
  }
  strikes(s);
  s.shots = s.shots.filter((b) => b.y > 96);
  s.bombs = s.bombs.filter((b) => b.y < H - 20);
  if (s.foes.some((f) => s.top + f.r * DY > Y - 50)) {
    s.safe = 0;
    hurt(s, s.x, Y);
    s.top -= 260; // another life drives them back
    s.bombs = [];
  }
  if (s.foes.length > 0 || s.over) return;
  gain(s, 5, W / 2, 260, 'perfect');
  if (s.cfg.levels > 1 && !s.cfg.duration) clear(s);
  s.shots = [];
  if (!s.over) muster(s);
}

function steer(s, input) {
  const v = 330 * Math.max(0.8, Math.sqrt(s.cfg.speed)) * STEP;
  if (input.left !== input.right) s.x += input.right ? v : -v;
  else if (input.x !== null) s.x += clamp(input.x - s.x, -v * 1.4, v * 1.4);
  s.x = clamp(s.x, 44, W - 44);
}

function fire(s, input) {
  s.reload -= STEP;
  const fast = (input.fire || input.pressed) && s.reload <= 0.4; // who taps fires faster than who holds
  if ((fast || (input.down && s.reload <= 0)) && s.shots.length < 2) {
    s.shots.push({ x: s.x, y: Y - 30 });
    s.reload = 0.72;
    note(s, 'shot', s.x, Y - 34);
  }
  if (s.t < 1.5 || s.foes.length === 0 || s.bombs.length > 3 || s.bombs.some((b) => b.age < 0.3)) return;
  // The lowest of a column lets it fall, as often as not the one over the hero.
  const rate = 1.6 * s.cfg.density * heat(s) * (1 + 0.12 * Math.min(5, s.wave - 1));
  if (!chance(s, rate * STEP)) return;
  const far = (f) => Math.abs(s.left + f.c * DX - s.x);
  const over = s.foes.reduce((best, f) => (far(f) < far(best) ? f : best));
  if (far(over) > 24 && chance(s, 0.6)) return;
  const col = chance(s, 0.7) ? over.c : choose(s, s.foes).c;
  const low = s.foes.filter((f) => f.c === col).reduce((a, f) => (f.r > a.r ? f : a));
  const at = place(s, low);
  s.bombs.push({ x: at.x, y: at.y + 18, v: 215 * s.cfg.speed * Math.sqrt(heat(s)), age: 0 });
}

function saucer(s) {
  if (!s.saucer) {
    s.call -= STEP;
    if (s.call > 0) return;
    const dir = chance(s, 0.5) ? 1 : -1;
    s.saucer = { x: dir > 0 ? -40 : W + 40, y: 128, dir };
    note(s, 'saucer');
    return;
  }
  s.saucer.x += s.saucer.dir * 105 * s.cfg.speed * STEP;
  if (s.saucer.x > -50 && s.saucer.x < W + 50) return;
  s.saucer = null;
  s.call = between(s, 9, 14);
}

// eat takes what a shot at a place hits out of a bunker.
function eat(s, b, size) {
  for (const k of s.bunkers) {
    const c = Math.floor((b.x - k.x) / BUNKER.cell + 3.5);
    const r = Math.floor((b.y - BUNKER.y) / BUNKER.cell);
    if (c < 0 || c > 6 || r < 0 || r > 3 || k.cells[r * 7 + c] !== '#') continue;
    k.cells = Array.from(k.cells,
      (v, i) => (Math.abs((i % 7) - c) + Math.abs(Math.floor(i / 7) - r) < size ? '.' : v)).join('');
    note(s, 'dust', b.x, b.y);
    return true;
  }
  return false;
}

function strikes(s) {
  for (const b of s.shots) {
    if (eat(s, b, 1)) { b.y = -99; continue; }
    const hit = s.foes.find((f) => Math.abs(place(s, f).x - b.x) < 20 && Math.abs(place(s, f).y - b.y) < 18);
    if (hit) {
      const at = place(s, hit);
      s.foes = s.foes.filter((f) => f !== hit);
      b.y = -99;
      gain(s, hit.r === 0 ? 3 : hit.r < 3 ? 2 : 1, at.x, at.y);
    } else if (s.saucer && near(b.x, b.y, s.saucer.x, s.saucer.y, 28)) {
      b.y = -99;
      gain(s, 10, s.saucer.x, s.saucer.y + 30, 'perfect');
      s.saucer = null;
      s.call = between(s, 9, 14);
    }
  }
  for (const b of s.bombs) {
    if (eat(s, b, 2)) b.y = H + 99;
    else if (Math.abs(b.x - s.x) < 9 + 11 * s.cfg.size && Math.abs(b.y - Y) < 24) {
      b.y = H + 99;
      hurt(s, s.x, Y);
    }
  }
  for (const f of s.foes) {
    if (s.top + f.r * DY < BUNKER.y - 24) continue;
    const at = place(s, f);
    eat(s, { x: at.x, y: clamp(at.y + 14, BUNKER.y, BUNKER.y + 35) }, 3);
  }
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(0, Y + 32, W, 4, 'accent', { alpha: 0.8 });
  for (const k of s.bunkers) {
    for (let i = 0; i < 28; i++) {
      if (k.cells[i] !== '#') continue;
      d.box(k.x + ((i % 7) - 3.5) * BUNKER.cell, BUNKER.y + Math.floor(i / 7) * BUNKER.cell, BUNKER.cell + 0.5,
        BUNKER.cell + 0.5, '#6ee787');
    }
  }
  for (const f of s.foes) {
    const at = place(s, f);
    d.sprite('glow', at.x, at.y, 66, { tint: BAND[f.r % 4], alpha: 0.55 });
    d.sprite('hazard', at.x, at.y, 36, { sx: s.leg ? 1.08 : 0.96, sy: s.leg ? 0.92 : 1.04, rot: s.leg ? 0.07 : -0.07 });
  }
  if (s.saucer) {
    d.sprite('glow', s.saucer.x, s.saucer.y, 110, { tint: '#ff4d6d', alpha: 0.6 });
    d.sprite('saucer', s.saucer.x, s.saucer.y + Math.sin(s.t * 8) * 3, 46);
  }
  for (const b of s.shots) d.box(b.x - 3, b.y - 11, 6, 22, '#ffffff', { radius: 3 });
  for (const b of s.bombs) {
    const zig = Math.floor(s.t * 12) % 2 ? 5 : -5;
    d.line(b.x - zig, b.y - 12, b.x + zig, b.y - 3, 5, 'hazard');
    d.line(b.x + zig, b.y - 3, b.x - zig, b.y + 5, 5, 'hazard');
    d.line(b.x - zig, b.y + 5, b.x, b.y + 12, 5, '#ffffff');
  }
  if (blink(s)) ship(s, d);
}

function ship(s, d) {
  const k = 0.5 + 0.5 * s.cfg.size;
  d.poly([[s.x - 26 * k, Y + 24], [s.x - 26 * k, Y + 6], [s.x + 26 * k, Y + 6], [s.x + 26 * k, Y + 24]], 'block',
    { stroke: 'ink', width: 3 });
  d.sprite('hero', s.x, Y - 2, 54 * k);
}
