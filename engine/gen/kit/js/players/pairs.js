// Plays pairs: it remembers what it has seen, and else turns the next card.
import { shape, place } from '../mechanics/pairs.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.wait > 0.05 || s.open.length > 1 || s.t - s.dealt < 0.6 || Math.round(s.t * 60) % 15 > 1) return null;
  const at = place(shape(s.cards.length), s.cards.length, target(s));
  return { tap: true, x: at.x, y: at.y };
}

function target(s) {
  const hidden = s.cards.map((_, i) => i).filter((i) => !s.found[i] && !s.open.includes(i));
  const known = hidden.filter((i) => s.seen[i]);
  const alike = (i) => known.find((j) => j !== i && s.cards[j] === s.cards[i]);
  const first = s.open.length ? alike(s.open[0]) : known.find((i) => alike(i) !== undefined);
  if (first !== undefined) return first;
  const fresh = hidden.find((i) => !s.seen[i]);
  return fresh === undefined ? hidden[0] : fresh;
}
