// Plays tower3d as an attentive player would.
/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  return { tap: Math.abs(s.slab.at) < 0.13 };
}
