// Plays stack as an attentive player would.
/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const top = s.rows[s.rows.length - 1];
  return { tap: Math.abs(s.block.x - top.x) < 9 };
}
