// Plays snake: the shortest way to the food that leaves room to go on.
import { DIRS, next, deadly, pace } from '../mechanics/snake.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.turns.length > 0 || s.wait < pace(s) * 0.7) return null; // it decides late, as each step may change all
  const from = s.body[0];
  const best = way(s, from, s.food) || roomiest(s, from);
  return best && best !== s.dir && s.turns.length === 0 ? { move: best } : null;
}

// way is the first move of the shortest way, '' for none.
function way(s, from, to) {
  const first = new Map([[from, '']]);
  const queue = [from];
  while (queue.length) {
    const cell = queue.shift();
    if (cell === to) return first.get(cell);
    for (const dir of Object.keys(DIRS)) {
      const on = next(s, cell, dir);
      if (deadly(s, on) || first.has(on)) continue;
      first.set(on, first.get(cell) || dir);
      queue.push(on);
    }
  }
  return '';
}

function roomiest(s, from) {
  let best = '';
  let most = -1;
  for (const dir of Object.keys(DIRS)) {
    const on = next(s, from, dir);
    if (deadly(s, on)) continue;
    const seen = new Set([on]);
    for (const cell of seen) {
      for (const to of Object.keys(DIRS)) {
        const more = next(s, cell, to);
        if (!deadly(s, more)) seen.add(more);
      }
    }
    if (seen.size > most) {
      most = seen.size;
      best = dir;
    }
  }
  return best;
}
