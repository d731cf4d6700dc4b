// Plays crossing: on as soon as the next lane lets it, aside around trees and along
// logs, and away from cars.
import { W } from '../core/world.js';
import { CELL, COLS, lane, spot, log, girth } from '../mechanics/crossing.js';

const AHEAD = [0.06, 0.13, 0.2, 0.3, 0.38]; // seconds in which a car must not be there

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const h = s.hero;
  if (h.k < 1 || s.queue) return null;
  const here = lane(s, h.lane);
  if (good(s, h, 0, 1)) return { move: 'up' };
  const sides = [-1, 1].filter((dx) => good(s, h, dx, 0));
  if (here.kind === 'river') { // not out of sight
    const out = h.x + here.v * 0.7;
    if (out < 20 || out > W - 20) {
      const back = here.v > 0 ? -1 : 1;
      if (sides.includes(back)) return { move: back < 0 ? 'left' : 'right' };
    }
    return null;
  }
  const run = here.kind === 'road' && hit(s, here, h.x, [0.1, 0.2, 0.3, 0.4, 0.5]);
  if (run && sides.length) return { move: sides[0] < 0 ? 'left' : 'right' };
  if (run && good(s, h, 0, -1)) return { move: 'down' };
  const next = lane(s, h.lane + 1);
  if (next.kind !== 'grass' || next.trees[Math.floor(h.x / CELL)] !== 'T') return null;
  const col = Math.floor(h.x / CELL);
  for (let n = 1; n < COLS; n++) {
    for (const dx of sides) {
      if (next.trees[col + dx * n] === '.' && way(here, col, dx, n)) return { move: dx < 0 ? 'left' : 'right' };
    }
  }
  return good(s, h, 0, -1) ? { move: 'down' } : null;
}

// way tells whether no tree stands between.
function way(here, col, dx, n) {
  for (let i = 1; i <= n; i++) if (here.trees[col + dx * i] === 'T') return false;
  return true;
}

function hit(s, l, x, times) {
  return times.some((t) =>
    l.items.some((i) => x + girth(s) + 6 > spot(l, i, t) && x - girth(s) - 6 < spot(l, i, t) + i.w));
}

function good(s, h, dx, dl) {
  const l = lane(s, h.lane + dl);
  const x = h.x + dx * CELL;
  if (!l || x < 24 || x > W - 24 || h.lane + dl < s.cam + 0.3) return false;
  if (l.kind === 'grass') return l.trees[Math.floor(x / CELL)] === '.';
  if (l.kind === 'river') {
    return [-12, 12].every((k) => log(l, x + k, 0.15)) && x + l.v * 0.5 > 20 && x + l.v * 0.5 < W - 20;
  }
  return !hit(s, l, x, AHEAD);
}
