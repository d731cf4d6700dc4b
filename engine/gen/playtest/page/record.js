// What a game says of itself: its calls of svc, written down by the judge, not by
// the library; and what it exposes.
import { clock } from './clock.js';

const MOST_RUNS = 40;
const MOST_EVENTS = 40; // of those that come first, and of those that come last

export const record = {
  ready: -1, starts: 0, runs: [], state: null, screen: null, bad: '', alike: 0, unlike: 0, unlikeNote: '', calls: 0,
};
let fresh = null; // the score told in this frame
const events = { first: [], last: [], left: { start: 0, score: 0, end: 0 }, score: null };

// event keeps what happened: in a long run, its beginning and its end.
function event(kind, more) {
  const e = Object.assign({ frame: clock.frame, kind }, more);
  if (events.first.length < MOST_EVENTS) events.first.push(e);
  else events.last.push(e);
  if (events.last.length <= MOST_EVENTS) return;
  events.left[events.last.shift().kind]++;
}
function scored(score) {
  if (score !== events.score) event('score', { score });
  events.score = score;
}

export const happened = () => ({ events: events.first.concat(events.last), left: events.left });

export const current = () => record.runs[record.runs.length - 1] || null;

function began() {
  record.starts++;
  event('start');
  events.score = null;
  if (record.runs.length === MOST_RUNS) record.runs.shift();
  record.runs.push({ at: clock.frame, ended: -1, ends: 0, score: 0, first: null, best: 0, half: 0, line: [], outcome: '', told: 0, listeners: -1 });
}

function told(score) {
  const run = current();
  if (typeof score !== 'number' || !Number.isFinite(score)) {
    record.bad = record.bad || 'the score told is ' + String(score);
    return;
  }
  fresh = score;
  if (!run) return;
  if (run.first === null) run.first = score;
  run.told++;
  run.score = score;
  run.best = Math.max(run.best, score);
  const at = clock.frame - run.at;
  if (at <= 1800) run.half = run.best;
  if (at <= 3600) run.line[Math.floor(at / 60)] = run.best;
}

function ended(result) {
  const run = current();
  if (!run) return;
  run.ends++;
  if (run.ended >= 0) return;
  run.ended = clock.frame;
  run.outcome = String((result && result.outcome) || '');
  if (result && result.score !== undefined) {
    const n = run.told;
    told(result.score);
    run.told = n;
  }
  event('end', { outcome: run.outcome.slice(0, 40), score: run.score });
}

const wraps = {
  ready: (real) => (callback) => { if (record.ready < 0) record.ready = clock.frame; return real(callback); },
  track: (real) => (name, props) => {
    record.calls++;
    if (name === 'start') began();
    else if (name === 'score') {
      told(props && props.score);
      if (fresh !== null) scored(fresh);
    }
    return real(name, props);
  },
  endGame: (real) => (result, callback) => { ended(result); return real(result, callback); },
  expose: (real) => (state, screen) => {
    record.state = typeof state === 'function' ? state : null;
    record.screen = typeof screen === 'function' ? screen : null;
    return real(state, screen);
  },
};

function wrap(svc) {
  for (const name of Object.keys(wraps)) {
    const real = typeof svc[name] === 'function' ? svc[name].bind(svc) : () => undefined;
    svc[name] = wraps[name](real);
  }
}

export function install() {
  let library;
  Object.defineProperty(window, 'svc', {
    configurable: true, // a script may declare a name of its own over it
    get: () => library,
    set(value) {
      library = value;
      if (value && typeof value === 'object') wrap(value);
    },
  });
}

const old = () => (typeof window.__svc_state === 'function' ? window.__svc_state() : null);

// state is what the game exposes, null where it does not or fails to. Games of
// before there was svc.expose have a function of their own.
export function state() {
  try {
    return record.state ? record.state() : old();
  } catch (e) {
    return null;
  }
}

// advice is what the game's player does now; former games say so themselves.
export function advice() {
  if (window.__svc_acts) return window.__svc_acts.act(state());
  const s = old();
  return s && s.view && s.view.act;
}

export function screen() {
  try {
    return record.screen ? record.screen() : null;
  } catch (e) {
    return null;
  }
}

// broken finds the first number in a state that is none.
function broken(value, path, left) {
  if (typeof value === 'number') return Number.isNaN(value) ? path : '';
  if (!value || typeof value !== 'object' || left.n-- <= 0) return '';
  for (const key of Object.keys(value)) {
    const found = broken(value[key], path + '.' + key, left);
    if (found) return found;
  }
  return '';
}

// look compares what was told in a frame with the state, after it.
export function look() {
  const s = fresh !== null || clock.frame % 60 === 0 ? state() : null;
  if (fresh !== null && s && typeof s.score === 'number') {
    if (s.score === fresh) record.alike++;
    else {
      record.unlike++;
      record.unlikeNote = fresh + ' is told, ' + s.score + ' is in the state';
    }
  }
  if (s && !record.bad) {
    const found = broken(s, 'state', { n: 3000 });
    if (found) record.bad = found + ' is no number';
  }
  fresh = null;
}
