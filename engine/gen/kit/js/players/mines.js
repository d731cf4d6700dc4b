// Plays mines: it opens what numbers prove to be safe, flags what they prove to be
// mined, and else takes what is the least risk.
import { COLS, ROWS, HIDDEN, board, proven } from '../mechanics/mines.js';
import { centre } from '../core/board.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.done > 0 || s.since < 0.3 || Math.round(s.t * 60) % 8 > 1) return null;
  if (!s.field.length) return at(Math.floor(ROWS / 2) * COLS + Math.floor(COLS / 2));
  const { safe, mined, sets } = proven(s.field, s.state);
  if (safe.length) return at(safe[0]);
  if (mined.length) return Object.assign(at(mined[0]), { tap: false, alt: true });
  return at(guess(s, sets));
}

function at(i) {
  const { x, y } = centre(board, i);
  return { tap: true, x, y };
}

function guess(s, sets) {
  let best = -1;
  let least = 2;
  s.state.forEach((v, i) => {
    if (v !== HIDDEN) return;
    const risk = Math.max(0.18, ...sets.filter((r) => r.cells.includes(i)).map((r) => r.mines / r.cells.length));
    if (risk < least) {
      least = risk;
      best = i;
    }
  });
  return best;
}
