// What a run is besides its game: which one it is of the page, and what the player did
// in each step, as text. The game and this come to the same end everywhere, so that a
// score can be proven by playing the run again.
import { tuned } from './tune.js';
import { H, STRIP, W } from './field.js';

const FLAGS = ['pressed', 'jump', 'down', 'tapped', 'released', 'fire', 'alt', 'left', 'right', 'up', 'duck'];
const MOVES = ['', 'left', 'right', 'up', 'down'];
const NAMED = { Backspace: 8, Enter: 13 }; // keys that are no character
const GRAIN = 4; // parts of a unit in which places are given
const MOST = 30000; // characters of a run that is kept
const VERSION = 1;
const RANGE = { B: 2 ** FLAGS.length - 1, X: W * GRAIN, Y: (H + STRIP) * GRAIN, M: MOVES.length - 1, K: 0xffff };

/** @param {number} n */
function text36(n) { return n.toString(36); }

// config is what a mechanic is created with.
/** @param {any} game @returns {any} */
export function config(game) {
  const given = {}; // what this mechanic alone is given
  for (const name of ['params', 'content', 'labels', 'stages', 'cast']) if (game[name]) given[name] = game[name];
  return Object.assign(given, game.play);
}

// seed is that of a page's nth run, from 0.
/** @param {any} game @param {number} n */
export function seed(game, n) { return (game.seed + n * 7919) >>> 0; }

/** @param {GameInput} input */
function numbers(input) {
  const place = (v) => (v === null || v === undefined ? null : Math.round(v * GRAIN));
  const key = input.key || '';
  return {
    B: FLAGS.reduce((bits, name, i) => bits + (input[name] ? 2 ** i : 0), 0),
    X: place(input.x), Y: place(input.y), M: Math.max(0, MOVES.indexOf(input.move)),
    K: key === '' ? 0 : NAMED[key] || key.charCodeAt(0),
  };
}

/** @returns {GameInput} */
function inputOf(n) {
  const input = /** @type {any} */ ({});
  FLAGS.forEach((name, i) => { input[name] = Math.floor(n.B / 2 ** i) % 2 === 1; });
  input.x = n.X === null ? null : n.X / GRAIN;
  input.y = n.Y === null ? null : n.Y / GRAIN;
  input.move = MOVES[n.M];
  const named = Object.keys(NAMED).find((name) => NAMED[name] === n.K);
  input.key = n.K === 0 ? '' : named || String.fromCharCode(n.K);
  return input;
}

const NOTHING = { B: 0, X: null, Y: null, M: 0, K: 0 };

// recorder keeps the nth run of the page. take(input) is what the step is to get; text()
// returns the run, '' for one that was too long.
/** @param {any} game @param {number} n */
export function recorder(game, n) {
  let was = NOTHING;
  let steps = 0;
  let at = -1; // the step of the last change
  let changes = '';
  return {
    /** @param {GameInput} input */
    take(input) {
      const now = numbers(input);
      let change = '';
      for (const part of ['B', 'X', 'Y', 'M', 'K']) {
        if (now[part] === was[part]) continue;
        const far = part === 'X' || part === 'Y';
        change += part + (now[part] === null ? '~' : text36(far ? now[part] - (was[part] || 0) : now[part]));
      }
      if (change !== '' && changes.length <= MOST) {
        changes += ';' + (steps - at > 1 ? text36(steps - at) : '') + change;
        at = steps;
      }
      steps++;
      was = now;
      return inputOf(now);
    },
    text() {
      if (changes.length > MOST) return '';
      return JSON.stringify({ v: VERSION, run: n, steps, tall: H > W, given: game.given || {}, changes });
    },
  };
}

// inputs returns what take returned in each step. What input.js hands out in none it
// refuses: a game need not bear it.
/** @param {string} changes @param {number} steps @returns {(step: number) => GameInput} */
function inputs(changes, steps) {
  const at = new Map();
  let step = -1;
  for (const change of changes.split(';').slice(1)) {
    const [, after, parts] = /^([0-9a-z]*)(([BXYMK](-?[0-9a-z]+|~))*)$/.exec(change);
    step += after === '' ? 1 : parseInt(after, 36);
    if (step < steps) at.set(step, parts.match(/[BXYMK][^BXYMK]*/g) || []);
  }
  let now = NOTHING;
  return (i) => {
    const was = now;
    for (const part of at.get(i) || []) {
      const name = part[0];
      const value = part === name + '~' ? null : parseInt(part.slice(1), 36);
      const far = name === 'X' || name === 'Y';
      const is = far && value !== null ? value + (was[name] || 0) : value;
      if (is === null ? !far : !(is >= 0 && is <= RANGE[name])) throw new Error('an input that nobody gives');
      now = Object.assign({}, now, { [name]: is });
    }
    return inputOf(now);
  };
}

// replay plays a recorded run again and returns what it came to. known is what the service
// knows of it: which run of the page it was, the steps that it had time for, and what it
// said to be given, as run.given is what it was. A run that can't be is none that lost.
/** @typedef {{ run: number, steps: number, said: any }} Known */
/** @param {any} game @param {Mechanic} mechanic @param {any} run @param {Known} known */
export function replay(game, mechanic, run, known) {
  if (run.v !== VERSION) throw new Error('a run of another version');
  const ran = Number.isInteger(run.run) && run.run >= 0 && run.run < known.run;
  if (!ran) throw new Error('a run that its page did not have');
  const now = tuned(game, run.given);
  if (JSON.stringify(now.given) !== JSON.stringify(known.said)) throw new Error('a run with other parameters');
  const s = mechanic.create(seed(now, run.run), config(now));
  const input = inputs(run.changes, run.steps);
  const most = Math.min(run.steps, known.steps);
  let steps = 0;
  for (; steps < most && !s.over; steps++) {
    mechanic.step(s, input(steps));
    s.events.length = 0;
  }
  if (!s.over && run.steps > most) throw new Error('a run that is longer than its time');
  return { over: s.over, outcome: s.outcome, score: s.score, steps };
}
