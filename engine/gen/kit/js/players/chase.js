// Plays chase: the nearest way to a dot that no pursuer will cut off; after those
// that are afraid, when they are close.
import { NEXT } from '../mechanics/chase.js';

const BACK = { left: 'right', right: 'left', up: 'down', down: 'up' };
const SLOWER = 1.22; // steps of the hero for one of a pursuer
const chosen = new WeakMap(); // by hero: the cell that it came to, and the way from there

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const h = s.hero;
  if (s.wait > 0.1 || (h.k < 0.5 && h.dir)) return null; // it decides in the second half of a cell
  let c = chosen.get(h);
  if (!c || c.cell !== h.cell || !h.dir || h.k >= 1) {
    c = { cell: h.cell, dir: route(s, h) };
    chosen.set(h, c);
  }
  return c.dir && c.dir !== h.want ? { move: c.dir } : null;
}

function route(s, h) {
  const soon = arrivals(s.foes.filter((f) => f.mode === 'hunt' && !(s.fright > 0.6 && f.blue)));
  const prey = s.fright > 1.5 ? s.foes.filter((f) => f.mode === 'hunt' && f.blue).map((f) => f.cell) : [];
  const seen = { [h.cell]: true };
  const queue = [{ cell: h.cell, first: '', n: 0 }];
  let best = '';
  let most = -1;
  for (let i = 0; i < queue.length; i++) {
    const { cell, first, n } = queue[i];
    const free = soon[cell] === undefined ? 30 : soon[cell] - n;
    if (n > 0 && (s.dots[cell] !== ' ' || (n < 7 && prey.includes(cell))) && free > 2) return first;
    if (n > 0 && free + n * 0.1 > most) {
      most = free + n * 0.1;
      best = first;
    }
    for (const { dir, to } of NEXT[cell]) {
      if (seen[to] || (soon[to] !== undefined && soon[to] <= n + 2)) continue;
      seen[to] = true;
      queue.push({ cell: to, first: first || dir, n: n + 1 });
    }
  }
  const away = ({ to }) => (soon[to] === undefined ? 99 : soon[to]);
  return best || NEXT[h.cell].reduce((a, b) => (away(b) > away(a) ? b : a)).dir;
}

// arrivals are the hero's steps after which a pursuer may be in each cell.
function arrivals(foes) {
  const out = {};
  for (const f of foes) {
    let edge = [f];
    for (let n = 0; n < 9 && edge.length; n++) {
      const next = [];
      for (const { cell, dir } of edge) {
        if (out[cell] !== undefined && out[cell] <= n * SLOWER) continue;
        out[cell] = n * SLOWER;
        for (const w of NEXT[cell]) if (w.dir !== BACK[dir]) next.push({ cell: w.to, dir: w.dir });
      }
      edge = next;
    }
  }
  return out;
}
