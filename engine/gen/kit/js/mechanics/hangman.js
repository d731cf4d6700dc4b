// Hangman, made friendly: the hero hangs from balloons above the hazard. Each
// wrong letter pops one.
import { W, STEP, base, tick, gain, hurt, note, clear, finish, random, blink, lerp } from '../core/world.js';
import { keys, typed, drawKeys } from '../core/keys.js';
import { spell, rowsOf, wordsOf } from '../core/spell.js';

export const meta = { id: 'hangman', scroll: 'none', controls: 'type' };

const WATER = 404;
const LONGEST = 30;
const ROW = 14; // letters of a line
const ROUND = 8; // words of a level, in a run without a clock
const COLORS = [
  '#e5484d', '#f5a524', '#46a758', '#3e8ed0', '#a259d9', '#e56fb0', '#2bb5a8', '#c0632c', '#8b8d98', '#f2d024',
];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration);
  s.list = wordsOf(s.cfg, LONGEST);
  s.rows = rowsOf(s.cfg.labels, s.list);
  s.order = [];
  s.solved = 0; // in this level
  next(s);
  s.y = height(s);
  return s;
}

function next(s) {
  if (s.order.length === 0) {
    s.order = s.list.map((_, i) => i);
    for (let i = s.order.length - 1; i > 0; i--) {
      const k = Math.floor(random(s) * (i + 1));
      [s.order[i], s.order[k]] = [s.order[k], s.order[i]];
    }
  }
  s.word = s.list[s.order.pop()];
  s.tried = '';
  s.balloons = s.cfg.params.balloons || 7;
  s.phase = 'guess'; // guess, solved, lost
  s.clock = 0;
  s.popped = -9;
}

// shows tells whether a letter of the word is to be seen.
export function shows(s, letter) {
  const parts = spell(letter);
  return parts === '' || Array.from(parts).some((p) => s.tried.includes(p));
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  if (s.cfg.duration && s.score === 0 && s.t + STEP >= s.cfg.duration) finish(s, 'lose');
  tick(s);
  if (s.over) return;
  s.clock += STEP;
  s.y = lerp(s.y, s.phase === 'lost' ? WATER - 20 : height(s), s.phase === 'lost' ? 0.12 : 0.05);
  if (s.phase !== 'guess') {
    if (s.clock > (s.phase === 'solved' ? 1.1 : 2)) next(s);
    return;
  }
  const key = input.key || input.tapped ? spell(typed(keys(s.rows), input)).slice(0, 1) : '';
  if (key && input.key !== 'Enter' && input.key !== 'Backspace' && !s.tried.includes(key)) guess(s, key);
}

function height(s) { return 300 + 10 * (7 - Math.min(7, s.balloons)); }

function guess(s, key) {
  const hits = Array.from(s.word).filter((l) => !shows(s, l) && spell(l).includes(key)).length;
  s.tried += key;
  s.clock = 0;
  if (hits === 0) {
    s.balloons--;
    s.popped = s.t;
    s.streak = 0;
    note(s, 'miss', W / 2, s.y - 120);
    if (s.balloons > 0) return;
    s.phase = 'lost';
    hurt(s, W / 2, WATER);
    return;
  }
  const done = Array.from(s.word).every((l) => shows(s, l));
  gain(s, done ? hits + 3 : hits, W / 2, 420, done ? 'perfect' : 'gain');
  if (!done) return;
  s.phase = 'solved';
  if (++s.solved < ROUND || !s.staged) return;
  s.solved = 0;
  clear(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  drawScene(s, d);
  drawTiles(s, d);
  drawKeys(d, keys(s.rows), (key) => (!s.tried.includes(key) ? '' : spell(s.word).includes(key) ? 'right' : 'off'));
}

function drawScene(s, d) {
  const sway = Math.sin(s.t * 1.4) * 8;
  const x = W / 2 + sway;
  for (let i = 0; i < s.balloons; i++) {
    const k = i - (s.balloons - 1) / 2;
    const row = i % 2;
    const bx = x + k * (s.balloons > 7 ? 24 : 31) + sway * 0.5;
    const by = s.y - 108 - row * 30 + k * k * 1.6 + Math.sin(s.t * 2 + i) * 2;
    d.line(x, s.y - 26, bx, by + 24, 2, 'ink', { alpha: 0.7 });
    d.disc(bx, by, 24, COLORS[i % COLORS.length], { stroke: 'ink', width: 3 });
    d.poly([[bx - 5, by + 30], [bx + 5, by + 30], [bx, by + 22]], COLORS[i % COLORS.length]);
    d.disc(bx - 8, by - 9, 5, '#ffffff', { alpha: 0.55 });
  }
  if (blink(s)) {
    d.sprite('hero', x, s.y, 66 * Math.sqrt(s.cfg.size),
      { rot: sway * 0.012 + (s.t - s.popped < 0.4 ? Math.sin(s.t * 40) * 0.2 : 0) });
  }
  d.box(20, WATER, W - 40, 34, '#2a6fc0', { radius: 14, alpha: 0.9 });
  for (let i = 0; i < 9; i++) d.disc(50 + i * 48 + Math.sin(s.t * 2 + i) * 5, WATER + 3, 11, '#4f93dd', { alpha: 0.9 });
  d.sprite('hazard', W / 2 + Math.sin(s.t * 0.9) * 120, WATER - 2 + Math.sin(s.t * 3) * 4, 54,
    { sx: Math.cos(s.t * 0.9) < 0 ? -1 : 1 });
}

// pieces breaks a word that is too long for a line.
function pieces(word) {
  const letters = Array.from(word);
  const n = Math.max(1, Math.ceil(letters.length / ROW));
  const each = Math.ceil(letters.length / n);
  return Array.from({ length: n }, (_, i) => letters.slice(i * each, (i + 1) * each).join(''));
}

// drawTiles shows the word, its parts on as many lines as they need.
function drawTiles(s, d) {
  const rows = [''];
  for (const part of s.word.split(' ').flatMap(pieces)) {
    const last = rows[rows.length - 1];
    if (last && last.length + 1 + part.length > ROW) rows.push(part);
    else rows[rows.length - 1] = last ? last + ' ' + part : part;
  }
  const most = Math.max(...rows.map((r) => Array.from(r).length));
  const size = Math.min(s.rows.length > 3 ? 34 : 42, (W - 32) / most, (s.rows.length > 3 ? 40 : 92) / rows.length);
  const top = 490 - (rows.length * (size + 4)) / 2;
  const digits = s.rows.length > 3 ? -24 : 0;
  rows.forEach((row, r) => Array.from(row).forEach((letter, i, all) => {
    if (letter === ' ') return;
    const x = W / 2 + (i - (all.length - 1) / 2) * size;
    const y = top + digits + r * (size + 4) + size / 2;
    const seen = shows(s, letter);
    d.box(x - size / 2 + 2, y - size / 2, size - 4, size, seen && s.phase === 'solved' ? 'pickup' : 'panel',
      { radius: 6, stroke: 'ink', width: 2 });
    if (seen || s.phase === 'lost') {
      d.text(letter.toUpperCase(), x, y, Math.max(18, size * 0.66), { color: seen ? 'panelText' : '#c0232f' });
    }
  }));
}
