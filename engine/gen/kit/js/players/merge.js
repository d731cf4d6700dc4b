// Plays merge: large tiles stay in a corner, and many cells free.
import { DIRS, slide } from '../mechanics/merge.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.since < 0.16 || s.end) return null; // it lets tiles come to rest
  let best = '';
  let most = -Infinity;
  for (const dir of DIRS) {
    const made = slide(s.cells, s.n, dir);
    if (!made.moved) continue;
    let later = -1e6;
    for (const then of DIRS) {
      const next = slide(made.cells, s.n, then);
      if (next.moved) later = Math.max(later, worth(next.cells, s.n) + next.worth);
    }
    const v = later + made.worth + worth(made.cells, s.n);
    if (v > most) {
      most = v;
      best = dir;
    }
  }
  return best ? { move: best } : null;
}

// worth favours cells that grow towards a corner in a winding line.
function worth(cells, n) {
  let v = 0;
  let weight = 1;
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      const x = cells[r * n + (r % 2 ? n - 1 - c : c)];
      v += x ? x * weight : 12;
      weight *= 1.35;
    }
  }
  return v;
}
