// Typing: words come down, carried by the hazard. Whoever types one in time is
// rid of it.
import { W, STEP, base, tick, gain, hurt, note, clear, heat, random, between, clamp, blink } from '../core/world.js';
import { keys, typed, drawKeys } from '../core/keys.js';
import { spell, rowsOf, wordsOf } from '../core/spell.js';

export const meta = { id: 'typing', scroll: 'none', controls: 'type' };

const TOP = 150;
const LONGEST = 26;
const ROUND = 25; // words of a level, in a run without a clock

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration);
  s.list = wordsOf(s.cfg, LONGEST).sort((a, b) => spell(a).length - spell(b).length);
  const part = Math.ceil(s.list.length * 0.4); // of the list, where short or long words are asked for
  if (s.cfg.params.length === 1) s.list = s.list.slice(0, part);
  if (s.cfg.params.length === 3) s.list = s.list.slice(-part);
  s.rows = rowsOf(s.cfg.labels, s.list);
  s.feet = keys(s.rows)[0].y - 43; // where words hurt
  s.words = []; // { text, keys, done, x, y }
  s.target = -1;
  s.wait = 0.3;
  s.sent = 0;
  s.typed = 0; // in this level
  s.last = -1; // when a key was pressed
  s.wrong = -1;
  s.beam = { x: 0, y: 0, left: 0 };
  s.slip = '';
  return s;
}

// send lets a word come that begins unlike the others, if there is one. Short
// ones come first.
function send(s) {
  const some = s.list.slice(0, Math.min(s.list.length, 10 + Math.floor(s.sent * 1.5)));
  const open = some.filter((w) => !s.words.some((o) => o.keys[0] === spell(w)[0]));
  if (open.length === 0 && s.words.length > 0) return;
  const from = open.length ? open : some;
  const text = from[Math.floor(random(s) * from.length)];
  const half = breadth(text) / 2;
  let x = W / 2;
  for (let i = 0; i < 6; i++) {
    x = between(s, Math.min(W / 2, Math.max(20 + half, 90)), W - 20 - half);
    if (s.words.every((o) => o.y > TOP + 110 || Math.abs(o.x - x) > half + breadth(o.text) / 2)) break;
  }
  s.words.push({ text, keys: spell(text), done: 0, x: Math.round(x), y: TOP });
  s.sent++;
}

function pitch(text) { return Math.min(20, (W - 76) / text.length); }
function breadth(text) { return Math.max(58, text.length * pitch(text) + 26); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.beam.left = Math.max(0, s.beam.left - STEP * 5);
  s.wait -= STEP;
  if (s.wait <= 0 && s.words.length < 7) {
    send(s);
    s.wait = 2.1 / (s.cfg.density * Math.sqrt(s.cfg.speed) * heat(s));
  }
  const key = input.key || input.tapped ? typed(keys(s.rows), input) : '';
  if (key && key !== 'Enter') {
    for (const letter of key === 'Backspace' ? [key] : spell(key)) hit(s, letter);
  }
  for (let i = s.words.length - 1; i >= 0 && !s.over; i--) fall(s, i);
}

function fall(s, i) {
  const w = s.words[i];
  w.y += STEP * 27 * s.cfg.speed * Math.sqrt(heat(s)) / (1 + w.keys.length / 30);
  if (w.y < s.feet) return;
  drop(s, i);
  hurt(s, w.x, s.feet);
}

function drop(s, i) {
  s.words.splice(i, 1);
  if (s.target === i) s.target = -1;
  else if (s.target > i) s.target--;
}

// hit types a letter: of the word that was begun, or else of the lowest that
// begins with it.
function hit(s, letter) {
  s.last = s.t;
  if (letter === 'Backspace') {
    if (s.target >= 0) s.words[s.target].done = 0;
    s.target = -1;
    return;
  }
  if (s.target < 0) {
    s.words.forEach((w, i) => {
      if (w.keys[0] === letter && (s.target < 0 || w.y > s.words[s.target].y)) s.target = i;
    });
  }
  const w = s.words[s.target];
  if (!w || w.keys[w.done] !== letter) {
    s.streak = 0;
    s.wrong = s.t;
    s.slip = letter;
    note(s, 'miss', W / 2, s.feet + 8);
    return;
  }
  w.done++;
  s.beam = { x: w.x, y: w.y - 26, left: 1 };
  if (w.done < w.keys.length) {
    note(s, 'shot');
    return;
  }
  drop(s, s.target);
  s.target = -1;
  gain(s, 1 + Math.floor(w.keys.length / 5), w.x, w.y, w.y < TOP + 90 ? 'perfect' : 'gain');
  if (s.words.length === 0) s.wait = Math.min(s.wait, 0.4);
  if (++s.typed < ROUND || !s.staged) return;
  s.typed = 0;
  clear(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const pad = keys(s.rows);
  const head = pad[0].y - 34;
  if (s.beam.left > 0) d.line(W / 2, head, s.beam.x, s.beam.y, 2 + 6 * s.beam.left, 'accent', { alpha: s.beam.left });
  s.words.forEach((w, i) => drawWord(s, d, w, i === s.target));
  if (blink(s)) {
    d.sprite('hero', W / 2, head, clamp(66 * s.cfg.size, 50, 76),
      { rot: s.t - s.wrong < 0.25 ? Math.sin(s.t * 60) * 0.15 : 0 });
  }
  const w = s.words[s.target];
  const next = w ? w.keys[w.done] : '';
  drawKeys(d, pad, (key) =>
    (key === next ? 'right' : key === s.slip && s.t - s.wrong < 0.3 && s.wrong >= 0 ? 'wrong' : ''));
}

function drawWord(s, d, w, aimed) {
  const half = breadth(w.text) / 2;
  d.sprite('hazard', w.x, w.y - 34, 50, { rot: Math.sin(s.t * 3 + w.x) * 0.12 });
  d.box(w.x - half, w.y - 12, half * 2, 36, 'panel',
    { radius: 10, stroke: aimed ? 'accent' : 'ink', width: aimed ? 4 : 2 });
  const letters = Array.from(w.text);
  const wide = pitch(w.text);
  let n = 0;
  letters.forEach((letter, i) => {
    n += spell(letter).length;
    d.text(letter, w.x + (i - (letters.length - 1) / 2) * wide, w.y + 6, Math.max(18, Math.min(29, wide * 1.5)),
      { color: 'panelText', alpha: n <= w.done && w.done > 0 ? 0.25 : 1 });
  });
}
