// Repeats what it saw, about twice a second; of long rows it may miss one.
import { pad } from '../mechanics/sequence.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.phase !== 'play' || s.clock < 0.34) return null;
  const slip = s.row.length > 8 && s.at === 7 && Math.floor(s.t) % 5 === 0;
  const i = slip ? (s.row[s.at] + 1) % s.pads : s.row[s.at];
  if (s.at % 2) return { key: String(i + 1) };
  const p = pad(s, i);
  return { tap: true, x: p.x, y: p.y };
}
