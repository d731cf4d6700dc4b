// Plays match as an attentive player would.
import { centre } from '../mechanics/match.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const m = s.phase === 'idle' ? s.hint : null;
  const act = {};
  if (m) {
    const target = s.sel < 0 ? m.a : s.sel === m.a ? m.b : s.sel;
    [act.x, act.y] = centre(target);
    act.tap = true;
  }
  return act;
}
