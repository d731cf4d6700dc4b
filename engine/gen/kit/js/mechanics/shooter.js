// Shooter: the hero flies and fires by itself; waves come from the right, and
// none of them may get past. Each level is a number of waves.
import {
  W, H, STEP, base, tick, gain, hurt, note, clear, heat, between, chance, clamp, lerp, near, blink, sin, hypot,
} from '../core/world.js';

export const meta = { id: 'shooter', scroll: 'x', controls: 'pointer' };

export const SHOT = 760; // pixels a second
export const HOME = Math.min(150, W * 0.2); // where the hero flies
const WAVES = 6; // in a level

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  s.r = 26 * cfg.size;
  s.x = HOME;
  s.y = H / 2;
  s.tilt = 0;
  s.reload = 0;
  s.double = 0; // seconds of twice the shots
  s.shots = [];
  s.foes = [];
  s.fire = []; // of the foes
  s.treats = [];
  s.wave = 0;
  s.wait = 0.6;
  return s;
}

// send brings the next wave, in one of four ways of flying.
function send(s) {
  const any = Math.floor(between(s, 0, 4));
  const kind = s.cfg.params.foes === 1 ? 0 : any;
  const n = Math.round((3 + s.level * 0.7 + (kind === 1 ? 1 : 0)) * Math.sqrt(s.cfg.density));
  const y0 = between(s, 150, H - 120);
  for (let i = 0; i < n; i++) {
    const y = kind === 3 ? 130 + ((H - 230) * i) / Math.max(1, n - 1) : y0;
    s.foes.push({
      x: W + 50 + (kind === 3 ? 0 : i * 74), y, y0: y, kind, t: i * 0.4, hp: 1 + (s.level > 2 && i === 0 ? 1 : 0),
      hit: 0,
    });
  }
  s.wave++;
  s.wait = 2.3 / Math.sqrt(heat(s));
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  steer(s, input);
  s.reload -= STEP;
  if (s.reload <= 0) {
    s.reload = 0.22;
    for (const dy of s.double > 0 ? [-12, 12] : [0]) s.shots.push({ x: s.x + 34, y: s.y + dy });
  }
  s.double = Math.max(0, s.double - STEP);
  s.wait -= STEP;
  if (s.wait <= 0 && s.wave < WAVES) send(s);
  for (const b of s.shots) b.x += SHOT * STEP;
  foes(s);
  for (const b of s.fire) {
    b.x += b.vx * STEP;
    b.y += b.vy * STEP;
    if (near(b.x, b.y, s.x, s.y, s.r * 0.7 + 9)) { b.x = -99; hurt(s, s.x, s.y); }
  }
  for (const t of s.treats) {
    t.x -= 150 * STEP;
    if (near(t.x, t.y, s.x, s.y, s.r + 26)) { t.x = -99; s.double = 7; gain(s, 3, s.x + 30, s.y); }
  }
  s.shots = s.shots.filter((b) => b.x < W + 20);
  s.fire = s.fire.filter((b) => b.x > -20 && b.y > -20 && b.y < H + 20);
  s.treats = s.treats.filter((t) => t.x > -30);
  if (s.wave < WAVES || s.foes.length > 0 || s.over) return;
  gain(s, 5, W / 2, 240, 'perfect');
  clear(s);
  s.wave = 0;
  s.wait = 1.4;
}

function steer(s, input) {
  const v = 430 * Math.sqrt(s.cfg.speed) * STEP;
  const dx = (input.right ? v : 0) - (input.left ? v : 0);
  const dy = (input.duck ? v : 0) - (input.up ? v : 0);
  const was = s.y;
  if (dx || dy) {
    s.x += dx;
    s.y += dy;
  } else if (input.x !== null && input.y !== null) {
    s.x += clamp(input.x - s.x, -v, v);
    s.y += clamp(input.y - s.y, -v, v);
  }
  s.x = clamp(s.x, 50, W * 0.6);
  s.y = clamp(s.y, 110, H - 46);
  s.tilt = lerp(s.tilt, clamp((s.y - was) / 14, -0.4, 0.4), 0.2);
}

function foes(s) {
  const v = 132 * s.cfg.speed * heat(s);
  for (const f of s.foes) {
    f.t += STEP;
    f.hit = Math.max(0, f.hit - STEP * 5);
    f.x -= v * (f.kind === 2 ? 1.35 : 1) * STEP;
    if (f.kind === 1) f.y = f.y0 + sin(f.t * 2.4) * 90;
    if (f.kind === 2) f.y = lerp(f.y, s.y, 0.012); // these come for the hero
    f.y = clamp(f.y, 110, H - 46);
    if (f.x < W - 40 && f.x > s.x + (W > H ? 160 : 120) && chance(s, 0.0042 * s.cfg.density * heat(s))) {
      const n = hypot(s.x - f.x, s.y - f.y);
      s.fire.push({ x: f.x - 24, y: f.y, vx: ((s.x - f.x) / n) * 235, vy: ((s.y - f.y) / n) * 235 });
    }
    const shot = s.shots.find((b) => near(b.x, b.y, f.x, f.y, 34));
    if (shot) {
      shot.x = W + 99;
      f.hp--;
      f.hit = 1;
      if (f.hp <= 0) {
        f.gone = true;
        gain(s, 1, f.x, f.y);
        if (chance(s, 0.13)) s.treats.push({ x: f.x, y: f.y });
      }
    } else if (near(f.x, f.y, s.x, s.y, s.r * 0.75 + 24)) {
      f.gone = true;
      hurt(s, s.x, s.y);
    } else if (f.x < -50) {
      f.gone = true;
      note(s, 'miss', 20, f.y);
      hurt(s, 24, f.y); // none may get past
    }
  }
  s.foes = s.foes.filter((f) => !f.gone);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  for (const b of s.shots) d.box(b.x - 16, b.y - 4, 32, 8, 'accent', { radius: 4, stroke: 'ink', width: 2 });
  for (const t of s.treats) {
    d.sprite('glow', t.x, t.y, 96, { tint: 'pickup', alpha: 0.6 });
    d.sprite('pickup', t.x, t.y, 44, { rot: sin(s.t * 4) * 0.3 });
  }
  for (const f of s.foes) d.sprite('hazard', f.x, f.y, 62 * (1 + f.hit * 0.2), { rot: sin(f.t * 4) * 0.14 });
  for (const b of s.fire) d.disc(b.x, b.y, 9, 'hazard', { stroke: 'text', width: 3 });
  for (let i = 0; i < 3; i++) {
    d.sprite('dot', s.x - 36 - i * 15 - sin(s.t * 40 + i) * 4, s.y, 22 - i * 5,
      { tint: 'accent', alpha: 0.7 - i * 0.2 });
  }
  if (blink(s)) d.sprite('hero', s.x, s.y, s.r * 2.9, { rot: s.tilt });
}
