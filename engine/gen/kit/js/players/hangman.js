// Plays hangman: the letter that most of the words have that may be meant.
import { spell } from '../core/spell.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.phase !== 'guess' || s.clock < 0.6) return null;
  const seen = (letter) => Array.from(spell(letter)).some((p) => s.tried.includes(p));
  const fits = s.list.filter((w) => {
    const letters = Array.from(w);
    const own = Array.from(s.word);
    return letters.length === own.length && letters.every((l, i) => (seen(own[i]) ? l === own[i] : !seen(l)));
  });
  const counts = {};
  for (const w of fits) for (const l of new Set(spell(w))) if (!s.tried.includes(l)) counts[l] = (counts[l] || 0) + 1;
  const best = Object.keys(counts).sort((a, b) => counts[b] - counts[a] || (a < b ? -1 : 1))[0];
  return best ? { key: best } : null;
}
