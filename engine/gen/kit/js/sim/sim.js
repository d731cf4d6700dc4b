// Plays a mechanic without a screen. The simulator bundles this module with
// the mechanic and its player, and calls trial().
import { blind, skilled } from './policies.js';

// broken finds the first number in a state that is none.
function broken(value, path) {
  if (typeof value === 'number') return Number.isFinite(value) ? '' : path;
  if (value && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      const found = broken(value[key], path + '.' + key);
      if (found) return found;
    }
  }
  return '';
}

function entities(s) {
  return Object.keys(s).reduce((n, key) => n + (Array.isArray(s[key]) ? s[key].length : 0), 0);
}

// input is what an act does to the buttons.
export function input(act, was) {
  const a = act || {};
  const freed = Boolean(was.hold && !a.hold);
  const place = (v) => (v === undefined ? null : v);
  return {
    pressed: Boolean(a.tap || a.jump || (a.hold && !was.hold)), jump: Boolean(a.jump || a.tap),
    down: Boolean(a.tap || a.hold),
    x: act ? place(a.x) : null, y: act ? place(a.y) : null,
    move: a.move || '', key: a.key || '', alt: Boolean(a.alt), fire: Boolean(a.jump),
    tapped: Boolean((a.tap && !a.hold) || a.jump), released: freed || Boolean(a.tap && !a.hold),
    left: Boolean(a.left), right: Boolean(a.right), up: Boolean(a.up), duck: Boolean(a.duck),
  };
}

// trial plays one run and reports how it went.
export function trial(mechanic, player, play, seed, policy, maxSteps) {
  const s = mechanic.create(seed, play);
  const memory = { last: -99 };
  const report = { policy, seed, score: 0, seconds: 0, outcome: '', level: 1, entities: 0, bad: '' };
  let was = {};
  for (let i = 0; i < maxSteps && !s.over; i++) {
    const act = policy === 'skilled' ? skilled(i, player.act(s), memory) : blind[policy](i);
    mechanic.step(s, input(act, was));
    was = act || {};
    s.events.length = 0;
    if (i % 30 === 0) {
      report.entities = Math.max(report.entities, entities(s));
      report.bad = report.bad || broken(s, 's');
    }
  }
  report.score = s.score;
  report.seconds = s.t;
  report.outcome = s.outcome;
  report.level = s.level;
  return report;
}

// first is the state in which a run starts, as text.
export function first(mechanic, play, seed) { return JSON.stringify(mechanic.create(seed, play)); }
