// Pairs: cards lie face down. The player turns two at a time and finds those that
// are alike. One who finds a pair goes on; of two players the other one follows.
import { W, STEP, base, tick, gain, note, clear, finish, random, clamp } from '../core/world.js';
import { grid, centre, pick, firm, drawCursor } from '../core/board.js';
import { fit, wrap } from '../core/text.js';

const THINGS = {
  apple: { art: 'apple', color: '#e63946' }, banana: { art: 'banana' }, carrot: { art: 'carrot' },
  trout: { art: 'fish', color: '#3a86ff' },
  sweet: { art: 'candy', color: '#ff5da2' }, donut: { art: 'donut', color: '#b388ff' }, cookie: { art: 'cookie' },
  cheese: { art: 'cheese' }, flower: { art: 'flower', color: '#c04ad8' },
  acorn: { art: 'acorn' }, gift: { art: 'gift', color: '#2fae66' }, bolt: { art: 'bolt', color: '#ffb300' },
  flake: { art: 'snowflake' }, balloon: { art: 'balloon', color: '#e5383b' },
  shroom: { art: 'mushroom', color: '#ef476f' }, saturn: { art: 'planet', color: '#ff9d5c' },
  jewel: { art: 'gem', color: '#27c3d8' },
};
const ANIMALS = {
  duck: { body: 'round', color: '#ffdd45', color2: '#f4a300', features: ['tail', 'bill', 'wing'] },
  owl: { body: 'egg', color: '#a9744f', color2: '#f2dcb6', features: ['catears', 'belly', 'beak', 'wing'] },
  penguin: { body: 'egg', color: '#33415c', color2: '#f8fbff', features: ['feet', 'belly', 'beak'] },
  bee: { body: 'round', color: '#ffc300', color2: '#dff4ff', features: ['antenna', 'stripes', 'wing'] },
  ladybug: { body: 'round', color: '#e63946', color2: '#2a2233', features: ['antenna', 'spots'] },
  octopus: { body: 'round', color: '#c86bd8', color2: '#e8b8f0', features: ['tentacles'] },
  crab: { body: 'round', color: '#e8553c', color2: '#ffb199', features: ['claws', 'topeyes'] },
  turtle: { body: 'round', color: '#7bc950', color2: '#4b8f3a', features: ['shell', 'belly'] },
  cat: { body: 'round', color: '#f4a259', color2: '#ffd9b8', features: ['longtail', 'catears', 'whiskers'] },
  rabbit: { body: 'round', color: '#f1e9e4', color2: '#ffb3c6', features: ['bunnyears'] },
  panda: { body: 'round', color: '#fbfbfb', color2: '#2a2233', features: ['bearears', 'patches'] },
  mouse: { body: 'round', color: '#b6b6c3', color2: '#ffc2d1', features: ['longtail', 'mouseears', 'whiskers'] },
  frog: { body: 'round', color: '#6cc551', color2: '#c5ef9f', features: ['topeyes', 'belly', 'feet'] },
  pig: { body: 'round', color: '#ffa6c1', color2: '#ff7aa2', features: ['catears', 'snout'] },
  cow: { body: 'round', color: '#fdfdfd', color2: '#e8a0a8', features: ['horns', 'spots', 'snout'] },
  unicorn: { body: 'round', color: '#fdf4ff', color2: '#ff9de2', features: ['catears', 'horn', 'tail'] },
  lion: { body: 'round', color: '#f4b942', color2: '#b5651d', features: ['mane', 'bearears', 'muzzle'] },
  elephant: { body: 'round', color: '#9fb0c3', color2: '#f3c1d0', features: ['mouseears'] },
};
// FACES are what cards show, by params.faces: the hero and things, or animals.
const FACES = [['hero', ...Object.keys(THINGS)], Object.keys(ANIMALS)];
export const meta = {
  id: 'pairs', scroll: 'none', controls: 'board', hearts: false, extra: Object.assign({}, THINGS, ANIMALS),
};

const TURN = 0.24; // seconds that a card takes to turn
const LOOK = 0.85; // seconds that two that differ stay open
const TOP = 152;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
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

function faces(s) { return FACES[s.cfg.params.faces ? 1 : 0]; }

function deal(s) {
  const words = s.cfg.content.length > 1 ? shuffle(s, s.cfg.content.slice()) : [];
  const pictures = faces(s);
  const most = words.length || pictures.length;
  const n = clamp(Math.round(s.cfg.params.pairs || 8) + 2 * (s.level - 1), 2, Math.min(18, most));
  s.words = words.slice(0, n);
  const first = s.cfg.params.faces ? [] : [0]; // the hero is one of the things
  const dealt = words.length ? s.words.map((_, i) => i)
    : first.concat(shuffle(s, pictures.map((_, i) => i).slice(first.length))).slice(0, n);
  s.cards = shuffle(s, dealt.concat(dealt));
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

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  const g = shape(s.cards.length);
  const i = chosen(s, g, firm(input));
  s.up = s.up.map((v, k) =>
    (s.found[k] || s.open.includes(k) ? Math.min(1, v + STEP / TURN) : Math.max(0, v - STEP / TURN)));
  if (s.over) return;
  s.wait = Math.max(0, s.wait - STEP);
  if (s.open.length === 2) {
    if (s.wait > 0 && !(i >= 0 && s.wait < LOOK - 0.2 && !s.found[s.open[0]])) return;
    if (s.left === 0) return finished(s);
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

function finished(s) {
  if (s.both) return finish(s, 'win');
  if (s.staged) clear(s);
  if (!s.over) deal(s);
}

/** @param {GameState} s @param {DrawList} d */
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
  d.box(at.x - w / 2, y - h / 2, w, h, color,
    { radius: Math.min(12, w / 2), alpha: came, stroke: face && s.found[i] ? '#3fae5a' : 'ink', width: 3 });
  const turn = Math.abs(1 - 2 * f);
  if (!face) {
    const r = g.size * 0.3;
    d.poly([[at.x, y - r], [at.x + r * turn, y], [at.x, y + r], [at.x - r * turn, y]], 'accent',
      { alpha: 0.85 * came });
    d.poly([[at.x, y - r * 0.6], [at.x + r * 0.6 * turn, y], [at.x, y + r * 0.6], [at.x - r * 0.6 * turn, y]], 'hero2',
      { alpha: came });
    d.sprite('pickup', at.x, y, g.size * 0.24, { sx: turn, alpha: came });
  } else if (s.words.length) {
    const lines = wrap(s.words[s.cards[i]], Math.max(4, Math.floor((g.size - 10) / 12)));
    const letter = Math.min(...lines.map((l) => fit(l, g.size * 0.26, g.size - 12)));
    if (turn > 0.4) {
      lines.forEach((l, n) =>
        d.text(l, at.x, y + (n - (lines.length - 1) / 2) * letter * 1.1, letter, { color: '#3a2f2a' }));
    }
  } else d.sprite(faces(s)[s.cards[i]], at.x, y, g.size * 0.74, { sx: turn });
}
