// Plays dial as an attentive player would.
import { apart } from '../mechanics/dial.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const off = apart(s.zone, s.a);
  return { tap: Math.abs(off) < s.half * 0.4 };
}
