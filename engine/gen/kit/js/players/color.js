// Plays color as an attentive player would.
/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const g = s.gates.filter((gate) => !gate.done).sort((a, b) => b.y - a.y)[0];
  return { tap: Boolean(g && g.y > -30 && g.color !== s.color) };
}
