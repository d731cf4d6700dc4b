// Plays sudoku: it looks for a number that follows from those that stand.
import { board, follows } from '../mechanics/sudoku.js';
import { centre } from '../core/board.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.done > 0 || Math.round(s.t * 60) % 24 > 1) return null; // it thinks
  if (s.sel >= 0 && !s.cells[s.sel] && sure(s, s.sel)) return { key: s.full[s.sel] };
  const cell = s.cells.findIndex((v, i) => !v && sure(s, i));
  if (cell < 0) return null;
  const at = centre(board(s), cell);
  return { tap: true, x: at.x, y: at.y };
}

function sure(s, i) { return follows(s, s.cells, i, Number(s.full[i])); }
