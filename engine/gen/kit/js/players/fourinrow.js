// Plays four in a row, four moves ahead.
import { board, wise } from '../mechanics/fourinrow.js';
import { yours } from '../core/duel.js';
import { centre } from '../core/board.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (!yours(s) || s.busy > -0.15) return null; // it looks first
  const at = centre(board, wise(s.cells, s.side, 4));
  return { tap: true, x: at.x, y: at.y };
}
