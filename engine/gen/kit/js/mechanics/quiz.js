// Quiz: questions with up to four answers, against a bar of time. The brief's
// questions, or general knowledge.
import { W, STEP, base, tick, gain, hurt, note, clear, heat, random, clamp } from '../core/world.js';
import { answers, chosen, drawAnswers } from '../core/answers.js';
import { fit, wrap } from '../core/text.js';

export const meta = { id: 'quiz', scroll: 'none', controls: 'board' };

const TOP = 148;
const PANEL = 176;
const SHOWN = 1.5; // seconds for which the right answer is shown
const QUICK = 0.6; // of the time that must be left for a point more
const TOPICS = ['q', 'a', 'c']; // general knowledge, animals, capitals: how their labels begin
const LEAST = 12; // questions of a level, in a run without a clock

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, !cfg.duration);
  s.list = list(s.cfg);
  s.order = [];
  s.asked = 0;
  s.cursor = -1;
  ask(s);
  return s;
}

// list returns the questions as "question|right|wrong|…".
function list(cfg) {
  const own = cfg.content.filter((q) => q.split('|').length > 2);
  const letter = TOPICS[cfg.params.topic || 0];
  return own.length ? own : Object.keys(cfg.labels).filter((k) => k[0] === letter).map((k) => cfg.labels[k]);
}

function shuffled(s, items) {
  const out = items.slice();
  for (let i = out.length - 1; i > 0; i--) {
    const k = Math.floor(random(s) * (i + 1));
    [out[i], out[k]] = [out[k], out[i]];
  }
  return out;
}

function ask(s) {
  if (s.order.length === 0) s.order = shuffled(s, s.list.map((_, i) => i));
  const parts = s.list[s.order.pop()].split('|').map((p) => p.trim()).filter((p) => p);
  s.question = parts[0];
  const wrong = shuffled(s, parts.slice(2)).slice(0, 3);
  s.texts = shuffled(s, [parts[1], ...wrong]);
  s.right = s.texts.indexOf(parts[1]);
  s.given = -1; // -2: too late
  s.clock = 0;
  s.whole = clamp((9 + s.question.length / 16) / (s.cfg.speed * Math.sqrt(heat(s))), 4, 14);
  s.cursor = -1;
  s.asked++;
}

export function layout(s) { return answers(s.texts.length, 1, 372, 704); }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.clock += STEP;
  if (s.given !== -1) {
    if (s.clock > SHOWN) next(s);
    return;
  }
  const g = layout(s);
  const i = chosen(s, g, input);
  if (i >= 0) answer(s, g, i);
  else if (s.clock >= s.whole) {
    s.given = -2;
    s.clock = 0;
    hurt(s, W / 2, 300);
  }
}

function answer(s, g, i) {
  const quick = 1 - s.clock / s.whole > QUICK;
  s.given = i;
  s.clock = 0;
  const x = W / 2;
  const y = g.boxes[i].y + g.h / 2;
  if (i === s.right) gain(s, quick ? 2 : 1, x, y, quick ? 'perfect' : 'gain');
  else {
    s.safe = 0; // each wrong answer counts
    hurt(s, x, y);
  }
}

function next(s) {
  if (s.staged && s.asked >= Math.max(LEAST, s.list.length)) {
    s.asked = 0;
    clear(s);
    if (s.over) return;
  }
  note(s, 'next');
  ask(s);
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const lines = wrap(s.question, s.question.length > 90 ? 34 : 26);
  const size = Math.min(30, Math.floor((PANEL - 24) / (lines.length * 1.15)), ...lines.map((l) => fit(l, 30, W - 84)));
  d.box(20, TOP + 7, W - 40, PANEL, 'shade', { radius: 24, alpha: 0.35 });
  d.box(20, TOP, W - 40, PANEL, 'panel', { radius: 24, stroke: 'accent', width: 4 });
  lines.forEach((l, i) =>
    d.text(l, W / 2, TOP + PANEL / 2 + (i - (lines.length - 1) / 2) * size * 1.15, size, { color: 'panelText' }));
  const cheer = s.given === s.right ? Math.abs(Math.sin(s.t * 9)) * 12 : 0;
  d.sprite('hero', W - 62, TOP - 14 - cheer, 74,
    { rot: s.given === -1 || s.given === s.right ? Math.sin(s.t * 2) * 0.06 : 0.35 });
  const left = s.given === -1 ? Math.max(0, 1 - s.clock / s.whole) : 0;
  d.box(20, 338, W - 40, 18, 'shade', { radius: 9, alpha: 0.45 });
  if (left > 0.04) {
    d.box(20, 338, (W - 40) * left, 18, left < 0.25 ? 'hazard' : left > QUICK ? 'pickup' : 'accent',
      { radius: 9, stroke: 'ink', width: 2 });
  }
  if (s.given === -1) d.sprite('pickup', 20 + (W - 40) * QUICK, 347, 30);
  drawAnswers(d, s, layout(s), s.texts, s.right, s.given);
}
