// Clicker: each tap on the pickup makes one, and what is made buys that more
// are made.
import { W, STEP, base, tick, gain, note, finish, random, between, hash, near } from '../core/world.js';
import { fit, short } from '../core/text.js';

export const meta = {
  id: 'clicker', scroll: 'none', controls: 'board', hearts: false,
  extra: {
    garden: { art: 'flower', color: '#f06fa5' }, truck: { art: 'truck', color: '#3e8ed0' },
    rocket: { body: 'rocket', features: [], color: '#e5484d' }, planet: { art: 'planet', color: '#a259d9' },
  },
};

export const BIG = { x: W / 2, y: 270, r: 104 };
const GOLD = 5; // seconds for which a golden one stays
// UPGRADES are what can be bought; growth is that of the price each time.
export const UPGRADES = [
  { icon: 'pickup', price: 15, growth: 1.5, tap: 1, rate: 0 },
  { icon: 'hero', price: 20, growth: 1.3, tap: 0, rate: 2 },
  { icon: 'garden', price: 90, growth: 1.3, tap: 0, rate: 6 },
  { icon: 'truck', price: 400, growth: 1.3, tap: 0, rate: 30 },
  { icon: 'rocket', price: 2000, growth: 1.3, tap: 0, rate: 160 },
  { icon: 'planet', price: 12000, growth: 1.3, tap: 0, rate: 1000 },
];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg);
  s.cfg.powers = false; // who asks for upgrades means those below
  s.bank = 0;
  s.owned = UPGRADES.map(() => 0);
  s.part = 0; // of the next one that is made without a tap
  s.pressed = -9; // when it was tapped
  s.bought = -9;
  s.cursor = -1;
  s.gold = { x: 0, y: 0, left: 0, wait: 8 };
  return s;
}

export function price(s, i) {
  let p = UPGRADES[i].price * (s.cfg.params.price || 1) * Math.sqrt(s.cfg.density);
  for (let n = 0; n < Math.min(s.owned[i], 60); n++) p *= UPGRADES[i].growth;
  return Math.round(p);
}

export function perTap(s) { return 1 + s.owned[0] * UPGRADES[0].tap; }
export function perSecond(s) { return UPGRADES.reduce((sum, u, i) => sum + u.rate * s.owned[i], 0) * s.cfg.speed; }
export function card(i) { return { x: 16 + (i % 2) * 228, y: 444 + Math.floor(i / 2) * 90, w: 220, h: 82 }; }

function inside(b, x, y) { return x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.part += perSecond(s) * STEP;
  const made = Math.floor(s.part);
  s.part -= made;
  s.score += made;
  s.bank += made;
  shine(s);
  act(s, input);
  if (s.cfg.params.goal && s.score >= s.cfg.params.goal) finish(s, 'win');
}

// shine lets a golden one come now and then.
function shine(s) {
  const g = s.gold;
  if (g.left > 0) {
    g.left -= STEP;
    return;
  }
  g.wait -= STEP;
  if (g.wait > 0) return;
  s.gold = {
    x: random(s) < 0.5 ? between(s, 50, 110) : between(s, W - 110, W - 50), y: between(s, 190, 380), left: GOLD,
    wait: between(s, 8, 14),
  };
}

function act(s, input) {
  const digit = Number(input.key || 0);
  if (digit >= 1 && digit <= UPGRADES.length) buy(s, digit - 1);
  else if (input.move) walk(s, input.move);
  else if (input.fire && s.cursor >= 0) buy(s, s.cursor);
  else if (input.fire) make(s, BIG.x, BIG.y - 40);
  else if (input.pressed && input.x !== null && input.y !== null) touch(s, input.x, input.y);
}

// walk moves the cursor of the keys over the upgrades; above them it is on the
// pickup.
function walk(s, move) {
  if (s.cursor < 0) {
    s.cursor = move === 'up' ? -1 : 0;
    return;
  }
  const on = s.cursor + { left: -1, right: 1, up: -2, down: 2 }[move];
  s.cursor = on < UPGRADES.length ? Math.max(-1, on) : s.cursor;
}

function touch(s, x, y) {
  s.cursor = -1;
  if (s.gold.left > 0 && near(x, y, s.gold.x, s.gold.y, 44)) {
    s.gold.left = 0;
    earn(s, 10 * perTap(s) + Math.floor(8 * perSecond(s)), s.gold.x, s.gold.y, 'perfect');
  } else if (near(x, y, BIG.x, BIG.y, BIG.r + 12)) make(s, x, Math.min(y, BIG.y + 20));
  else {
    const i = UPGRADES.findIndex((_, k) => inside(card(k), x, y));
    if (i >= 0) buy(s, i);
  }
}

function make(s, x, y) {
  s.pressed = s.t;
  earn(s, perTap(s), x, y);
}

function earn(s, n, x, y, kind) {
  const before = s.score;
  if (!s.cfg.combo) s.streak = 0;
  gain(s, n, x, y, kind);
  s.bank += s.score - before;
}

function buy(s, i) {
  const c = card(i);
  if (s.bank < price(s, i)) {
    note(s, 'miss', c.x + c.w / 2, c.y + c.h / 2);
    return;
  }
  s.bank -= price(s, i);
  s.owned[i]++;
  s.bought = s.t;
  note(s, 'buy', c.x + 38, c.y + c.h / 2);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const since = s.t - s.pressed;
  const k = since < 0.16 ? 1 - 0.1 * Math.sin((since / 0.16) * Math.PI) : 1 + 0.02 * Math.sin(s.t * 3);
  d.sprite('glow', BIG.x, BIG.y, 340, { tint: 'accent', alpha: 0.5 });
  const helpers = Math.min(14, s.owned[1]);
  for (let i = 0; i < helpers; i++) {
    const a = s.t * 0.5 + (i / helpers) * Math.PI * 2;
    const hit = Math.max(0, Math.sin(s.t * 4 + i * 1.7)) * 10;
    d.sprite('hero', BIG.x + Math.cos(a) * (BIG.r + 34 - hit), BIG.y + Math.sin(a) * (BIG.r + 30 - hit) * 0.9, 38,
      { sx: Math.cos(a) > 0 ? -1 : 1 });
  }
  d.disc(BIG.x, BIG.y, BIG.r * k, 'panel', { alpha: 0.35, stroke: 'accent', width: s.cursor < 0 ? 5 : 2 });
  d.sprite('pickup', BIG.x, BIG.y, 184 * k, { rot: Math.sin(s.t * 1.5) * 0.05 });
  d.sprite('hero', 64, 400 - Math.abs(Math.sin(s.t * 3)) * 8, 60 * Math.sqrt(s.cfg.size),
    { rot: s.t - s.bought < 0.5 ? Math.sin(s.t * 20) * 0.2 : 0 });
  if (s.gold.left > 0) {
    const alpha = Math.min(1, s.gold.left * 2, (GOLD - s.gold.left) * 4);
    d.sprite('glow', s.gold.x, s.gold.y, 120, { tint: '#ffd23f', alpha: alpha * 0.8 });
    d.sprite('pickup', s.gold.x, s.gold.y, 58 + 5 * Math.sin(s.t * 8), { alpha, rot: s.t * 2 });
  }
  d.text(short(s.bank), W / 2, 398, 38, { color: 'accent', outline: 'textInk' });
  d.text('+'
    + (perSecond(s) < 100 ? Math.round(perSecond(s) * 10) / 10 : short(perSecond(s))) + '/s   ×' + short(perTap(s)),
    W / 2, 427, 19, { color: 'text', outline: 'textInk' });
  if (s.cfg.params.goal) {
    d.box(W / 2 - 90, 136, 180, 12, 'shade', { radius: 6, alpha: 0.5 });
    d.box(W / 2 - 90, 136, 180 * Math.min(1, s.score / s.cfg.params.goal), 12, 'accent', { radius: 6 });
  }
  UPGRADES.forEach((u, i) => drawCard(s, d, u, i));
}

function drawCard(s, d, u, i) {
  const c = card(i);
  const open = s.bank >= price(s, i);
  const alpha = open ? 1 : 0.62;
  d.box(c.x, c.y + 4, c.w, c.h, 'shade', { radius: 14, alpha: 0.35 });
  d.box(c.x, c.y, c.w, c.h, 'panel',
    { radius: 14, alpha, stroke: i === s.cursor || open ? 'accent' : 'ink', width: i === s.cursor ? 6 : open ? 4 : 2 });
  d.sprite(u.icon, c.x + 38, c.y + c.h / 2, 52, { alpha, rot: open ? Math.sin(s.t * 4 + hash(i) * 6) * 0.12 : 0 });
  const name = s.cfg.labels['up' + (i + 1)] || '';
  d.text(name, c.x + 128, c.y + 24, fit(name, 21, 118), { color: 'panelText' });
  d.text(short(price(s, i)), c.x + 122, c.y + 56, 24, { color: open ? 'panelAccent' : 'panelText' });
  if (s.owned[i] > 0) {
    d.disc(c.x + c.w - 24, c.y + 56, 17, 'shade', { alpha: 0.75 });
    d.text(s.owned[i], c.x + c.w - 24, c.y + 56, 19, { color: '#ffffff' });
  }
}
