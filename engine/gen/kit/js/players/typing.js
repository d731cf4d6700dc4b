// Types about six letters a second: the word that was begun, or else the lowest.
/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.words.length === 0 || s.t - s.last < 0.17) return null;
  const w = s.words[s.target] || s.words.reduce((low, o) => (o.y > low.y ? o : low));
  if (w.done === 0 && w.y < 175) return null; // it must be read first
  return { key: w.keys[w.done] };
}
