// What duels on a board share: two sides that move in turn, and a match of several
// rounds. With two players both sit at one screen; else the second side is the
// game's own.
import { W, STEP, base, gain, note, finish } from './world.js';

const THINK = 0.4; // seconds until the game's own side moves
const REST = 1.7; // seconds that a round that is done stays
const WON = 3; // points of a round
const DRAWN = 1;

// match returns the state of a match; params.rounds is its length.
/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function match(seed, cfg) {
  const s = base(seed, cfg);
  s.cfg.levels = 1; // rounds are what others call levels
  s.wins = [0, 0];
  s.round = 1;
  s.side = 0;
  s.busy = 0.3; // seconds until the next move
  s.rest = 0;
  if (s.cfg.players > 1) s.both = [0, 0];
  return s;
}

function rounds(s) { return s.cfg.params.rounds || 3; }

// yours tells whether someone at the screen may move.
/** @param {GameState} s @returns {boolean} */
export function yours(s) { return !s.over && !s.rest && s.busy <= 0 && (s.side === 0 || Boolean(s.both)); }

// theirs tells whether the game's own side moves now.
/** @param {GameState} s @returns {boolean} */
export function theirs(s) { return !s.over && !s.rest && s.busy <= 0 && s.side === 1 && !s.both; }

// pass hands over to the other side, when what moves has come to rest.
/** @param {GameState} s @param {number} seconds */
export function pass(s, seconds) {
  s.side = 1 - s.side;
  s.busy = seconds + (s.side === 1 && !s.both ? THINK : 0);
}

// settle ends a round: winner is a side, -1 for none.
/** @param {GameState} s @param {number} x @param {number} y */
export function settle(s, winner, x, y) {
  s.rest = REST;
  s.streak = 0;
  if (winner >= 0) s.wins[winner]++;
  if (s.both) s.both = s.both.map((v, k) => v + (winner < 0 ? DRAWN : k === winner ? WON : 0));
  if (winner < 0) gain(s, s.both ? 2 * DRAWN : DRAWN, x, y);
  else if (winner === 0 || s.both) gain(s, WON, x, y, 'perfect');
  else note(s, 'miss', x, y);
}

// proceed lets time pass, ends the match, and tells whether a round begins.
/** @param {GameState} s */
export function proceed(s) {
  s.busy -= STEP;
  const limit = s.cfg.duration;
  if (limit && s.t + STEP >= limit) conclude(s);
  if (s.over || s.rest <= 0) return false;
  s.rest -= STEP;
  if (s.rest > 0) return false;
  s.rest = 0;
  if (s.round >= rounds(s) || Math.max(s.wins[0], s.wins[1]) > rounds(s) / 2) {
    conclude(s);
    return false;
  }
  s.round++;
  s.side = (s.round - 1) % 2;
  s.busy = 0.4 + (s.side === 1 && !s.both ? THINK : 0);
  return true;
}

function conclude(s) { finish(s, s.both || s.wins[0] > s.wins[1] ? 'win' : 'lose'); }

// drawTally shows both sides and their wins; mark(k, x, y) draws their pieces.
/** @param {GameState} s @param {DrawList} d */
export function drawTally(s, d, mark) {
  [0, 1].forEach((k) => {
    const dir = k ? 1 : -1;
    const on = s.side === k && !s.rest;
    const hop = on ? Math.abs(Math.sin(s.t * 5)) * 5 : 0;
    const x = W / 2 + dir * 88;
    d.box(x - 70, 102, 140, 46, on ? 'accent' : 'shade',
      { radius: 23, alpha: on ? 0.95 : 0.45, stroke: on ? 'ink' : undefined, width: 3 });
    d.sprite(k ? 'hazard' : 'hero', x + dir * 42, 124 - hop, 44);
    mark(k, x, 125);
    d.text(s.wins[k], x - dir * 44, 126, 30, { color: 'text', outline: 'textInk', role: 'wins' });
  });
}
