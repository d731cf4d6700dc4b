// Plays blocks: each piece where it leaves the fewest holes and the flattest top.
import { ROWS, PIECES, cells } from '../mechanics/blocks.js';

const plans = new WeakMap(); // of pieces

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const p = s.piece;
  if (s.full.length > 0) return null;
  if (!plans.has(p)) plans.set(p, plan(s, p.k));
  const to = plans.get(p);
  if (p.rot !== to.rot) return { move: 'up' };
  if (p.x !== to.x) return { move: p.x < to.x ? 'right' : 'left' };
  return { jump: true };
}

function plan(s, k) {
  const tops = Array.from({ length: s.cols }, (_, c) => {
    const y = s.rows.findIndex((r) => r[c] !== '.');
    return y < 0 ? ROWS : y;
  });
  const free = s.rows.map((r) => r.split('.').length - 1);
  let best = null;
  for (let rot = 0; rot < (k === 'O' ? 1 : 4); rot++) {
    const list = cells(k, rot);
    for (let x = -2; x < s.cols; x++) {
      if (list.some(([cx]) => x + cx < 0 || x + cx >= s.cols)) continue;
      const y = Math.min(...list.map(([cx, cy]) => tops[x + cx] - 1 - cy));
      const worth = value(tops, free, list, x, y);
      if (!best || worth > best.worth) best = { rot, x, worth };
    }
  }
  return best || { rot: 0, x: Math.floor((s.cols - PIECES[k].n) / 2) };
}

function value(tops, free, list, x, y) {
  const after = tops.slice();
  const rows = {};
  let holes = 0;
  for (const [cx, cy] of list) {
    after[x + cx] = Math.min(after[x + cx], y + cy);
    rows[y + cy] = (rows[y + cy] || 0) + 1;
  }
  for (const [cx] of list) {
    const low = Math.max(...list.filter((o) => o[0] === cx).map((o) => o[1]));
    holes += (tops[x + cx] - 1 - y - low) / list.filter((o) => o[0] === cx).length;
  }
  const lines = Object.keys(rows).filter((r) => free[r] === rows[r]).length;
  let rough = 0;
  for (let c = 1; c < tops.length; c++) rough += Math.abs(after[c] - after[c - 1]);
  const high = after.reduce((sum, t) => sum + ROWS - t, 0) - lines * tops.length;
  return -0.51 * high + 0.9 * lines - 1.1 * holes - 0.19 * rough;
}
