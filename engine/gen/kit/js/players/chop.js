// Plays chop as an attentive player would.
import { W } from '../core/world.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const free = (side) => s.pieces[0] !== side && s.pieces[1] !== side;
  const side = free(s.side) ? s.side : -s.side;
  return { tap: free(side), x: W / 2 + side * 110, y: 560 };
}
