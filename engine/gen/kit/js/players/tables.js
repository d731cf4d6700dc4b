// Plays sums: it takes its time over large ones, and errs now and then.
import { layout } from '../mechanics/tables.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.given !== -1 || s.clock < 1 + s.texts[s.right] / 90) return null;
  const i = s.rights % 13 === 12 && s.streak > 0 ? (s.right + 1) % 4 : s.right;
  if (s.rights % 2) return { key: String(i + 1) };
  const g = layout();
  return { tap: true, x: g.boxes[i].x + g.w / 2, y: g.boxes[i].y + g.h / 2 };
}
