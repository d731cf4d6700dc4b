// The judge's part in the page: it turns the clock, plays, and says what it saw.
// It asks nothing of the game but what record.js says.
import { blind, skilled } from './policies.js';
import * as time from './clock.js';
import * as book from './record.js';
import * as eyes from './eyes.js';
import * as hands from './hands.js';

const { clock } = time;
const { record } = book;
const FIRST = 6; // scores after which the texts are looked at
const MOST_STATE = 4000; // characters of a state as text
const PATIENCE = 30; // frames until a score must be shown

const settings = window.__judge_settings || { seed: 1, w: 480, h: 720 };
delete window.__judge_settings;
const faults = [];
const digits = { shown: 0, missing: 0, due: null, looked: 0 };

const fault = (text) => { if (faults.length < 20) faults.push({ frame: clock.frame, text: String(text).slice(0, 300) }); };

clock.stride = settings.stride || 1;
time.install(settings.seed);
eyes.install();
hands.install();
book.install();
window.addEventListener('error', (e) => { if (e.message) fault(e.message); });
window.addEventListener('unhandledrejection', (e) => fault('unhandled rejection: ' + e.reason));

const LETTERS = 'eariotnslcudpmhgbfywkvxzjq';
const WAYS = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'];
const seeing = {
  // pointer tries the places of a grid, and what can be clicked, one after the other.
  pointer(i) {
    if (i % 6 !== 0) return null;
    const n = i / 6;
    const buttons = eyes.buttons();
    if (buttons.length > 0 && n % 3 !== 2) return { place: buttons[(n * 7 + (n >> 3)) % buttons.length] };
    const k = (n * 31) % 70;
    return { tap: true, x: settings.w * ((k % 7) + 0.5) / 7, y: settings.h * (Math.floor(k / 7) + 0.5) / 10 };
  },
  // arrows presses the arrows, space and enter in turn.
  arrows(i) {
    if (i % 5 !== 0) return null;
    const n = i / 5;
    if (n % 9 === 8) return { key: n % 2 ? ' ' : 'Enter' };
    return { key: WAYS[(n * 7 + (n >> 3)) % 4] };
  },
  type: (i) => (i % 5 === 0 ? { key: LETTERS[(i / 5) % 26] } : null),
  // probe is a bit of all, to see whether anything answers.
  probe(i) {
    const a = i % 4 === 0 ? seeing.pointer((i / 4) * 6) || {} : {};
    return Object.assign({ left: (i >> 4) % 2 === 1, right: (i >> 4) % 2 === 0, up: i % 40 > 30, key: i % 7 === 3 ? ['s', 'w', 'a', 'd', ' ', '1'][(i >> 3) % 6] : undefined }, a);
  },
};
const memory = { last: -99 };

function decide(policy, i) {
  if (policy === 'player') return skilled(i, book.advice(), memory);
  return (seeing[policy] || blind[policy] || blind.idle)(i);
}

function act(policy, i) {
  let a = null;
  try {
    a = decide(policy, i);
  } catch (e) {
    if (!record.playerFault) record.playerFault = String(e);
  }
  if (a && a.place) hands.tap(a.place);
  else hands.perform(a, settings.w, settings.h);
}

// digit looks whether a score that was told comes to be seen.
function digit() {
  const run = book.current();
  if (record.screen || !run || digits.looked >= FIRST) return;
  const told = run.told > 0 && run.score > 0 ? run.score : null;
  if (digits.due && told !== digits.due.score) digits.due = null; // it was another too soon
  if (!digits.due && told !== null && told !== digits.last) digits.due = { score: told, from: clock.frame };
  const due = digits.due;
  if (!due) return;
  const seen = eyes.shows(Math.round(due.score), due.from - 1);
  if (!seen && clock.frame - due.from < PATIENCE) return;
  if (seen) digits.shown++; else digits.missing++;
  digits.looked++;
  digits.last = due.score;
  digits.due = null;
}

async function step() {
  await time.step();
  book.look();
  digit();
  const run = book.current();
  if (run && run.listeners < 0 && clock.frame - run.at >= 30) run.listeners = hands.listeners();
}

// boot lets frames pass until the game says that it is ready, and two more. Of a page
// that complains it expects little: a picture of it may never come.
async function boot(frames) {
  await time.breathe(); // within the call from outside, a page may do what its policy forbids
  const limit = time.wall() + 12000;
  const loading = () => document.readyState !== 'complete' || clock.loading > 0;
  let most = frames;
  for (let i = 0; i < most && record.ready < 0; i++) {
    while (faults.length === 0 && time.wall() < limit && loading()) await time.pause(4);
    if (faults.length > 0 && most === frames) most = Math.min(frames, i + 60);
    await step();
  }
  for (let i = 0; i < 2; i++) await step();
  eyes.draw(false);
  return tell();
}

const over = () => { const run = book.current(); return run && run.ended >= 0; };
const ends = {
  never: () => false,
  started: (from) => record.starts > from.starts,
  ended: over,
  scored: () => { const run = book.current(); return over() || (run && run.best >= 1); },
};

// roll is a way of playing that can be gone on with: a policy or inputs, and how far
// it came.
const roll = (policy, inputs) => ({ policy, left: (inputs || []).slice(), held: {}, at: 0 });

async function go(way, frames, done) {
  const { policy, left, held } = way;
  for (let n = 0; n < frames && !done(); n++) {
    const i = way.at++;
    while (left.length > 0 && left[0].at <= i) {
      const input = left.shift();
      hands.replay(input);
      if (input.key) held[input.key] = left.some((o) => o.keyUp === input.key) ? Infinity : i + 4;
    }
    for (const name of Object.keys(held)) {
      if (held[name] > i) continue;
      hands.key(name, false);
      delete held[name];
    }
    if (policy) act(policy, i);
    await step();
  }
}

// play lets frames pass while a policy plays, until something is so.
async function play(policy, frames, until, inputs) {
  const from = { starts: record.starts };
  memory.last = -99;
  await time.breathe();
  await go(roll(policy, inputs), frames, () => ends[until || 'never'](from));
  if (policy) hands.perform(null, settings.w, settings.h);
  return tell();
}

let reel = null;

// film plays on where it was left, until a run ends if that is asked, and shows the
// last frame. A policy or inputs begin it.
async function film(frames, until, policy, inputs) {
  if (!reel || policy !== undefined) {
    memory.last = -99;
    reel = roll(policy, inputs);
  }
  await time.breathe();
  await go(reel, frames - 1, ends[until]);
  eyes.draw(true);
  const left = until === 'ended' && over(); // nobody plays on
  await go(left ? roll('') : reel, 1, ends.never);
  if (left) reel.at++;
  await time.painted();
  eyes.draw(false);
  return Object.assign(scene(), { played: reel.at, frame: clock.frame, spent: clock.spent, state: exposed() });
}

// exposed is the state as text, '' without one.
function exposed() {
  try {
    return (JSON.stringify(book.state()) || '').slice(0, MOST_STATE);
  } catch (e) {
    return '';
  }
}

// show draws one more frame, and waits until it is on the screen.
async function show() {
  await time.breathe();
  eyes.draw(true);
  await step();
  await time.painted();
  eyes.draw(false);
  return scene();
}

function scene() {
  const s = book.state();
  const run = book.current();
  const phase = !run ? 'ready' : run.ended >= 0 ? 'over' : 'play';
  const screen = look();
  const written = eyes.shown(0);
  const unseen = ((screen && screen.hud) || []).filter((b) => b.role === 'score' && !written.includes(b.text)).map((b) => b.text);
  return { print: eyes.print(), colours: eyes.colours(), screen, unseen: unseen.join(), phase, score: s && typeof s.score === 'number' ? s.score : run ? run.score : 0 };
}

function look() {
  const s = book.screen();
  return s ? { hud: s.hud || null, sprites: s.sprites || [], field: s.field || { w: settings.w, h: settings.h } } : null;
}

function box() {
  const r = eyes.place();
  const e = document.documentElement;
  return { x: r.x, y: r.y, w: r.width, h: r.height, wide: Math.max(e.scrollWidth, document.body.scrollWidth), high: Math.max(e.scrollHeight, document.body.scrollHeight) };
}

// resized lets the game take note of another size of its window.
async function resized() {
  await time.painted();
  for (let i = 0; i < 40; i++) await step();
  await time.painted();
  return box();
}

// hide makes the page one that is not seen, or seen again.
async function hide(on) {
  clock.hidden = on;
  document.dispatchEvent(new Event('visibilitychange'));
  window.dispatchEvent(new Event(on ? 'blur' : 'focus'));
  await time.breathe();
  return JSON.stringify(book.state()) || '';
}

function tell() {
  const s = book.state();
  return {
    frame: clock.frame, ready: record.ready, starts: record.starts, runs: record.runs.map((r) => Object.assign({}, r)), exposed: Boolean(book.state()),
    score: s && typeof s.score === 'number' && Number.isFinite(s.score) ? s.score : null, bad: record.bad || (/\bNaN\b/.test(eyes.shown(clock.frame)) ? 'NaN is shown' : ''),
    alike: record.alike, unlike: record.unlike, unlikeNote: record.unlikeNote, shown: digits.shown, missing: digits.missing,
    listeners: hands.listeners(), heap: performance.memory ? performance.memory.usedJSHeapSize : 0, spent: clock.spent, faults, playerFault: record.playerFault || '',
  };
}

function member(value, path) { return path.split('.').reduce((o, k) => (o === null || o === undefined ? undefined : o[k]), value); }

// expects says what of an expectation does not hold, '' when all does.
function expects(e) {
  const run = book.current();
  const s = book.state();
  const phase = !run ? 'ready' : run.ended >= 0 ? 'over' : 'play';
  const score = run ? run.score : 0;
  const wrong = [];
  const want = (name, ok, is) => { if (!ok) wrong.push(name + ' is ' + JSON.stringify(is)); };
  if (e.score && e.score.min !== undefined) want('score', score >= e.score.min, score);
  if (e.score && e.score.max !== undefined) want('score', score <= e.score.max, score);
  if (e.ended !== undefined) want('ended', (phase === 'over') === e.ended, phase === 'over');
  if (e.outcome !== undefined) want('outcome', run && run.outcome === e.outcome, run ? run.outcome : '');
  if (e.phase !== undefined) want('phase', phase === e.phase, phase);
  if (e.started !== undefined) want('started', record.starts === e.started, record.starts);
  if (e.text !== undefined) want('text', eyes.shown(clock.frame - 60).includes(e.text), 'not shown');
  for (const path of Object.keys(e.state || {})) want(path, JSON.stringify(member(s, path)) === JSON.stringify(e.state[path]), member(s, path));
  return wrong.join(', ');
}

window.__judge = { boot, play, film, happened: book.happened, show, hide, box, resized, tell, expects, draw: eyes.draw, print: eyes.print, buttons: eyes.buttons, tap: (x, y) => hands.tap(hands.point(x, y)), press: hands.press };
