// Plays cannon as an attentive player would.
import { aimed } from '../mechanics/cannon.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const first = aimed(s);
  return { tap: Boolean(first && first.bad && s.clip > 0 && s.shots.length === 0) };
}
