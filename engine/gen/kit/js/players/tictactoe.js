// Plays three in a row as well as it can be played.
import { board, wise } from '../mechanics/tictactoe.js';
import { yours } from '../core/duel.js';
import { centre } from '../core/board.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (!yours(s) || s.busy > -0.25) return null; // it looks first
  const open = s.cells.filter((v) => v < 0).length;
  const { x, y } = centre(board, open === 9 ? 4 : wise(s.cells, s.side));
  return { tap: true, x, y };
}
