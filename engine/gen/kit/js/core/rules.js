// The rules that every mechanic shares: score, lives, levels, the boss, power-
// ups and the end of a run. cfg is the `play` object of game.json. A state is
// plain data, so that it can be copied, simulated and compared.
import { STEP, clamp } from './math.js';

const BOSS_TIME = 16; // seconds before the end of a timed run in which the boss comes
const CHARGE = 6; // gains in a row that earn a power-up
const POWERS = ['shield', 'double', 'slow'];
const POWER_TIME = 8; // seconds

// enter gives a level what it has of its own.
function enter(s) {
  const stage = s.cfg.stages.find((o) => o.level === s.level) || {};
  s.cfg = Object.assign({}, s.cfg,
    { speed: s.cfg.usual.speed * (stage.speed || 1), density: s.cfg.usual.density * (stage.density || 1) });
}

// base returns the state that every mechanic starts from. A staged mechanic
// has levels to clear; in others the levels follow the clock.
/** @param {number} seed @param {GameConfig} cfg @param {boolean} [staged] @returns {GameState} */
export function base(seed, cfg, staged) {
  const s = {
    seed, rng: seed >>> 0, cfg: Object.assign({ params: {}, content: [], labels: {} }, cfg), t: 0, score: 0,
    lives: cfg.lives, streak: 0, safe: 0, over: false, outcome: '', events: [],
    staged: Boolean(staged), level: 1, gains: 0, boss: null, power: '', powerLeft: 0, shield: false, charge: 0,
    granted: 0,
  };
  if (s.cfg.stages) {
    s.cfg.usual = { speed: cfg.speed, density: cfg.density };
    enter(s);
  }
  return s;
}

// progress is how far the run has come, 0 to 1.
/** @param {GameState} s @returns {number} */
export function progress(s) {
  if (s.cfg.levels > 1) return (s.level - 1) / (s.cfg.levels - 1);
  return Math.min(1, s.t / (s.cfg.duration || 90));
}

// heat is how hard the run has become: 1 at its start, rising by `ramp` times
// 0.8. A boss adds to it, slow motion takes from it.
/** @param {GameState} s @returns {number} */
export function heat(s) {
  let h = 1 + 0.8 * s.cfg.ramp * progress(s);
  if (s.boss) h *= 1.08;
  if (s.power === 'slow') h *= 0.65;
  return h;
}

// tick advances the clock. A timed run that reaches its duration is won,
// unless its boss stands or its levels are not cleared.
/** @param {GameState} s */
export function tick(s) {
  s.t += STEP;
  if (s.safe > 0) s.safe--;
  if (s.powerLeft > 0) {
    s.powerLeft -= STEP;
    if (s.powerLeft <= 0) s.power = '';
  }
  const limit = s.cfg.duration;
  if (!limit) return;
  if (!s.staged) {
    const level = Math.min(s.cfg.levels, 1 + Math.floor((s.t / limit) * s.cfg.levels));
    if (level > s.level) rise(s, level);
    if (s.cfg.boss && !s.boss && s.t > limit - Math.min(BOSS_TIME, limit * 0.45)) callBoss(s);
  }
  if (s.t >= limit) finish(s, s.staged || (s.boss && s.boss.hp > 0) ? 'lose' : 'win');
}

function rise(s, level) {
  s.level = level;
  if (s.cfg.stages) enter(s);
  s.events.push({ type: 'level', level });
}

// clear ends a level of a staged mechanic: the next one, the boss, or the win.
/** @param {GameState} s */
export function clear(s) {
  if (s.level < s.cfg.levels) rise(s, s.level + 1);
  else if (s.cfg.boss && !s.boss) callBoss(s);
  else if (!s.boss || s.boss.hp <= 0) finish(s, 'win');
}

// callBoss brings in a boss that as much scoring as the player has shown so
// far will beat, within what is left of the time.
function callBoss(s) {
  const left = s.cfg.duration ? Math.min(BOSS_TIME, s.cfg.duration * 0.45) : 14;
  const hp = clamp(Math.round((s.gains / Math.max(1, s.t)) * left * 0.6), 3, 20);
  s.boss = { hp, max: hp, since: s.t, hit: -9 };
  s.events.push({ type: 'boss' });
}

// gain adds n to the score, at a place that the effects show.
/** @param {GameState} s @param {number} n @param {number} x @param {number} y @param {string} [kind] */
export function gain(s, n, x, y, kind) {
  if (s.over) return;
  let worth = n;
  if (s.cfg.combo) worth *= 1 + Math.min(2, Math.floor(s.streak / 6));
  if (s.power === 'double') worth *= 2;
  s.score += worth;
  s.streak++;
  s.gains++;
  s.events.push({ type: 'gain', n: worth, x, y, kind: kind || 'gain', streak: s.streak });
  if (s.cfg.powers && ++s.charge >= CHARGE) grant(s, x, y);
  if (s.boss && s.boss.hp > 0) strike(s, x, y);
}

function grant(s, x, y) {
  s.charge = 0;
  const power = POWERS[s.granted++ % POWERS.length];
  if (power === 'shield') s.shield = true;
  else {
    s.power = power;
    s.powerLeft = POWER_TIME;
  }
  s.events.push({ type: 'power', power, x, y });
}

function strike(s, x, y) {
  s.boss.hp--;
  s.boss.hit = s.t;
  s.events.push({ type: 'strike', x, y });
  if (s.boss.hp > 0) return;
  s.score += 5;
  s.events.push({ type: 'beaten' });
  finish(s, 'win');
}

// hurt takes a life, unless a shield or a hurt of a moment ago protects the
// hero, and tells whether it did.
/** @param {GameState} s @param {number} x @param {number} y @returns {boolean} */
export function hurt(s, x, y) {
  if (s.safe > 0 || s.over) return false;
  s.safe = 80;
  if (s.cfg.safe) {
    s.events.push({ type: 'shield', x, y });
    return false;
  }
  s.streak = 0;
  s.charge = 0;
  if (s.shield) {
    s.shield = false;
    s.events.push({ type: 'shield', x, y });
    return false;
  }
  s.lives--;
  s.events.push({ type: 'hurt', x, y });
  if (s.lives <= 0) finish(s, 'lose');
  return true;
}

// note reports something worth an effect: a jump, a shot, a turn.
/** @param {GameState} s @param {string} type @param {number} [x] @param {number} [y] */
export function note(s, type, x, y) { s.events.push({ type, x, y }); }

// plenty is how many times as many pickups as usual there are to be.
/** @param {GameState} s @returns {number} */
export function plenty(s) {
  const n = s.cfg.params.pickups;
  return n === undefined ? 1 : n / 2;
}

/** @param {GameState} s @param {string} outcome */
export function finish(s, outcome) {
  if (s.over) return;
  s.over = true;
  s.outcome = s.cfg.safe ? 'win' : outcome; // where nobody loses, an end is no defeat
  s.events.push({ type: 'over', outcome: s.outcome });
}

// blink is false in the dark moments of a hero that was just hurt.
/** @param {GameState} s @returns {boolean} */
export function blink(s) { return s.safe === 0 || Math.floor(s.safe / 6) % 2 === 0; }
