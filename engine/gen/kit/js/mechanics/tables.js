// Tables: sums against a chaser. A right answer takes the hero away from it, a
// wrong one lets it come near.
import { W, STEP, base, tick, gain, hurt, note, clear, heat, random, choose, blink, lerp } from '../core/world.js';
import { answers, chosen, drawAnswers } from '../core/answers.js';

export const meta = { id: 'tables', scroll: 'none', controls: 'board' };

const ROAD = 262; // y of the ground that they run on
const SHOWN = 0.7; // seconds for which a right answer is shown; a wrong one twice as long
const GOAL = 30; // right answers of a level, in a run without a clock
const MIXED = 4; // op of all four
const board = answers(4, 2, 456, 700);

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration);
  s.gap = 1; // how far the chaser is, 0 to 1
  s.shown = 1; // the same, as it is drawn
  s.rights = 0;
  s.cursor = -1;
  s.sum = '';
  ask(s);
  return s;
}

const whole = (s, low, high) => low + Math.floor(random(s) * (high - low + 1));

// sum returns the text of a sum and its result. op: times, plus, minus, by.
function sum(s) {
  const { max = 0, op = 0 } = s.cfg.params;
  const table = s.cfg.params.table || (s.cfg.content.length ? Number(choose(s, s.cfg.content)) : 0);
  const kind = op >= MIXED ? whole(s, 0, 3) : op;
  const most = Math.max(2, max || (kind === 1 || kind === 2 ? 20 : 10));
  const times = s.cfg.labels.times || '×';
  const by = s.cfg.labels.by || '÷';
  const small = Math.max(2, Math.min(most, Math.round(most * (0.4 + 0.3 * heat(s))))); // easy ones first
  if (kind === 1) {
    const r = table ? table + whole(s, 1, most) : whole(s, 3, Math.max(4, small));
    const a = table || whole(s, 1, r - 1);
    return { text: a + ' + ' + (r - a), result: r };
  }
  if (kind === 2) {
    const a = table ? table + whole(s, 0, most) : whole(s, 2, Math.max(3, small));
    const b = table || whole(s, 1, a);
    return { text: a + ' − ' + b, result: a - b };
  }
  const a = table || whole(s, 2, small);
  const b = whole(s, table ? 1 : 2, table ? most : small);
  if (kind === 3) return { text: a * b + ' ' + by + ' ' + a, result: b, step: 1 };
  const [x, y] = random(s) < 0.5 ? [a, b] : [b, a];
  return { text: x + ' ' + times + ' ' + y, result: a * b, step: a };
}

function ask(s) {
  let q = sum(s);
  for (let i = 0; i < 8 && q.text === s.sum; i++) q = sum(s);
  s.sum = q.text;
  s.given = -1;
  s.clock = 0;
  const list = [q.result];
  const steps = [q.step || 1, q.step || 1, 1, 2, 10];
  for (let i = 0; list.length < 4; i++) {
    const near = q.result + choose(s, steps) * (random(s) < 0.5 ? -1 : 1) + (i > 20 ? i : 0);
    if (near >= 0 && !list.includes(near)) list.push(near);
  }
  s.texts = [];
  while (list.length) s.texts.push(list.splice(whole(s, 0, list.length - 1), 1)[0]);
  s.right = s.texts.indexOf(q.result);
}

export function layout() { return board; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.clock += STEP;
  s.shown = lerp(s.shown, s.gap, 0.08);
  if (s.given !== -1) {
    if (s.clock < SHOWN * (s.given === s.right ? 1 : 2)) return;
    if (s.staged && s.rights >= GOAL) {
      s.rights = 0;
      clear(s);
    }
    if (!s.over) ask(s);
    return;
  }
  s.gap -= (STEP / 11) * s.cfg.speed * heat(s);
  const i = chosen(s, board, input);
  if (i >= 0) answer(s, i);
  if (s.gap <= 0) {
    hurt(s, heroX(s), ROAD - 30);
    s.gap = 0.75;
  }
}

function answer(s, i) {
  const b = board.boxes[i];
  const quick = s.clock < 2.5;
  s.given = i;
  s.clock = 0;
  s.cursor = -1;
  if (i === s.right) {
    s.rights++;
    s.gap = Math.min(1, s.gap + 0.28);
    gain(s, quick ? 2 : 1, heroX(s) - 40, ROAD, quick ? 'perfect' : 'gain');
  } else {
    s.streak = 0;
    s.gap -= 0.34;
    note(s, 'miss', b.x + board.w / 2, b.y + board.h / 2);
  }
}

function heroX(s) { return 290 + 60 * s.shown; }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  d.box(20, 152, W - 40, 150, 'bg2', { radius: 20, stroke: 'ink', width: 3 });
  d.box(22, ROAD, W - 44, 38, 'ground', { radius: 16 });
  for (let i = 0; i < 7; i++) {
    const x = 440 - ((s.t * 90 + i * 60) % 410);
    d.box(x - 12, ROAD + 12, 34, 7, 'groundTop', { radius: 3 });
  }
  const hop = Math.abs(Math.sin(s.t * 9)) * 10;
  const x = heroX(s);
  d.sprite('hazard', x - 62 - 190 * s.shown, ROAD - 30 - Math.abs(Math.sin(s.t * 7)) * 8, 74,
    { rot: Math.sin(s.t * 7) * 0.1 });
  if (blink(s)) d.sprite('hero', x, ROAD - 30 - hop, 70 * Math.sqrt(s.cfg.size), { rot: 0.08 });
  d.sprite('pickup', W - 52, ROAD - 28 + Math.sin(s.t * 3) * 4, 44);
  if (s.staged) d.text(s.rights + '/' + GOAL, W - 62, 172, 20, { color: 'text', outline: 'textInk' });
  d.box(50, 327, W - 100, 108, 'shade', { radius: 24, alpha: 0.35 });
  d.box(50, 320, W - 100, 108, 'panel', { radius: 24, stroke: 'accent', width: 4 });
  d.text(s.sum + ' = ' + (s.given === -1 ? '?' : s.texts[s.right]), W / 2, 374, s.sum.length > 8 ? 46 : 56,
    { color: 'panelText' });
  drawAnswers(d, s, board, s.texts.map(String), s.right, s.given, 44);
}
