// Pairs: cards lie face down. The player turns two at a time and finds those that
// are alike. One who finds a pair goes on; of two players the other one follows.
import { W, STEP, base, tick, gain, note, clear, finish, random, clamp } from '../core/world.js';
import { grid, centre, pick, drawCursor } from '../core/board.js';
import { fit } from '../core/text.js';

export const meta = {
  id: 'pairs', scroll: 'none', controls: 'board', hearts: false,
  extra: {
    apple: { art: 'apple', color: '#e63946' }, banana: { art: 'banana' }, carrot: { art: 'carrot' }, trout: { art: 'fish', color: '#3a86ff' },
    sweet: { art: 'candy', color: '#ff5da2' }, donut: { art: 'donut', color: '#b388ff' }, cookie: { art: 'cookie' }, cheese: { art: 'cheese' }, flower: { art: 'flower', color: '#c04ad8' },
    acorn: { art: 'acorn' }, gift: { art: 'gift', color: '#2fae66' }, bolt: { art: 'bolt', color: '#ffb300' }, flake: { art: 'snowflake' }, balloon: { art: 'balloon', color: '#e5383b' },
    shroom: { art: 'mushroom', color: '#ef476f' }, saturn: { art: 'planet', color: '#ff9d5c' }, jewel: { art: 'gem', color: '#27c3d8' },
  },
};

const FACES = ['hero', ...Object.keys(meta.extra)];
const TURN = 0.24; // seconds that a card takes to turn
const LOOK = 0.85; // seconds that two that differ stay open
const TOP = 152;

export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration); // with a clock the dealing goes on
  s.side = 0;
  if (s.cfg.players > 1) s.both = [0, 0];
  deal(s);
  return s;
}

function shuffle(s, list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random(s) * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

function deal(s) {
  const words = s.cfg.content.length > 1 ? shuffle(s, s.cfg.content.slice()) : [];
  const most = words.length || FACES.length;
  const n = clamp(Math.round(s.cfg.params.pairs || 8) + 2 * (s.level - 1), 2, Math.min(18, most));
  s.words = words.slice(0, n);
  const faces = words.length ? s.words.map((_, i) => i) : [0, ...shuffle(s, FACES.slice(1).map((_, i) => i + 1))].slice(0, n);
  s.cards = shuffle(s, faces.concat(faces));
  s.open = []; // turned, and not yet judged
  s.up = s.cards.map(() => 0); // how far each is turned, 0 to 1
  s.found = s.cards.map(() => 0); // the time of each that was found, and 0
  s.seen = s.cards.map(() => 0); // for those who remember
  s.wait = 0;
  s.left = n;
  s.dealt = s.t;
}

// shape is the grid in which the cards are largest.
export function shape(n) {
  let best = null;
  for (let cols = 2; cols <= 6; cols++) {
    const g = grid(cols, Math.ceil(n / cols), TOP, 22);
    g.worth = g.size * (n % cols ? 0.9 : 1);
    if (!best || g.worth > best.worth) best = g;
  }
  best.odd = n % best.cols;
  best.shift = best.odd ? Math.floor((best.cols - best.odd) / 2) : 0; // of the last row
  return best;
}

// place is the middle of a card.
export function place(g, n, i) { return centre(g, i < n - g.odd ? i : i + g.shift); }

function chosen(s, g, input) {
  const n = s.cards.length;
  const cell = pick(s, g, input);
  if (cell < n - g.odd) return cell;
  const i = cell - g.shift;
  return i >= n - g.odd && i < n ? i : -1;
}

export function step(s, input) {
  tick(s);
  const g = shape(s.cards.length);
  const i = chosen(s, g, input);
  s.up = s.up.map((v, k) => (s.found[k] || s.open.includes(k) ? Math.min(1, v + STEP / TURN) : Math.max(0, v - STEP / TURN)));
  if (s.over) return;
  s.wait = Math.max(0, s.wait - STEP);
  if (s.open.length === 2) {
    if (s.wait > 0 && !(i >= 0 && s.wait < LOOK - 0.2 && !s.found[s.open[0]])) return;
    if (s.left === 0) return dealt(s);
    s.open = []; // a press turns them back at once
  }
  if (i < 0 || s.found[i] || s.open.includes(i)) return;
  const at = place(g, s.cards.length, i);
  s.open.push(i);
  note(s, 'flip', at.x, at.y);
  s.seen[i] = 1;
  if (s.open.length === 2) compare(s, g, i);
}

function compare(s, g, i) {
  const [a, b] = s.open;
  s.wait = LOOK;
  if (s.cards[a] !== s.cards[b]) {
    s.streak = 0;
    if (s.both) s.side = 1 - s.side;
    return;
  }
  s.found[a] = s.found[b] = s.t;
  s.left--;
  s.wait = s.left ? 0.25 : 1.2;
  const at = place(g, s.cards.length, i);
  if (s.both) s.both[s.side]++;
  const twice = s.streak > 0 && !s.both;
  gain(s, twice ? 2 : 1, at.x, at.y, twice ? 'perfect' : 'gain');
}

function dealt(s) {
  if (s.both) return finish(s, 'win');
  if (s.staged) clear(s);
  if (!s.over) deal(s);
}

export function draw(s, d) {
  const n = s.cards.length;
  const g = shape(n);
  d.box(g.x - 8, g.y - 8, g.cols * g.size + 16, g.rows * g.size + 16, 'shade', { radius: 18, alpha: 0.28 });
  for (let i = 0; i < n; i++) card(s, d, g, i);
  drawCursor(d, s, g);
  if (s.both) {
    [0, 1].forEach((k) => {
      const x = W / 2 + (k ? 70 : -70);
      if (s.side === k) d.box(x - 62, 100, 124, 44, 'accent', { radius: 22, alpha: 0.9 });
      d.sprite(k ? 'pickup' : 'hero', x - 26, 122, 40);
      d.text(s.both[k], x + 26, 122, 30, { color: 'text', outline: 'textInk', role: 'tally' });
    });
  } else d.sprite('hero', W / 2, 124, 46, { rot: Math.sin(s.t * 3) * 0.06 });
}

function card(s, d, g, i) {
  const at = place(g, s.cards.length, i);
  const came = clamp((s.t - s.dealt - i * 0.025) / 0.25, 0, 1);
  if (came <= 0) return;
  const f = s.up[i];
  const pop = s.found[i] ? Math.max(0, Math.sin(Math.min(1, (s.t - s.found[i] - 0.1) / 0.35) * Math.PI)) : 0;
  const k = (0.92 + 0.1 * pop) * (0.5 + 0.5 * came);
  const w = Math.max(3, g.size * k * Math.abs(1 - 2 * f));
  const h = g.size * k;
  const face = f > 0.5;
  const y = at.y - Math.sin(f * Math.PI) * 6;
  d.box(at.x - w / 2, y - h / 2 + 4, w, h, 'shade', { radius: Math.min(12, w / 2), alpha: 0.4 * came });
  const color = face ? (s.found[i] ? '#e9f8dc' : '#fffaf0') : 'hero2';
  d.box(at.x - w / 2, y - h / 2, w, h, color, { radius: Math.min(12, w / 2), alpha: came, stroke: face && s.found[i] ? '#3fae5a' : 'ink', width: 3 });
  const turn = Math.abs(1 - 2 * f);
  if (!face) {
    const r = g.size * 0.3;
    d.poly([[at.x, y - r], [at.x + r * turn, y], [at.x, y + r], [at.x - r * turn, y]], 'accent', { alpha: 0.85 * came });
    d.poly([[at.x, y - r * 0.6], [at.x + r * 0.6 * turn, y], [at.x, y + r * 0.6], [at.x - r * 0.6 * turn, y]], 'hero2', { alpha: came });
    d.sprite('pickup', at.x, y, g.size * 0.24, { sx: turn, alpha: came });
  } else if (s.words.length) {
    const text = s.words[s.cards[i]];
    if (turn > 0.4) d.text(text, at.x, y, fit(text, g.size * 0.3, w - 8), { color: '#3a2f2a' });
  } else d.sprite(FACES[s.cards[i]], at.x, y, g.size * 0.74, { sx: turn });
}
