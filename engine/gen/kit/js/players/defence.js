// Plays tower defence: it builds where most of the path is in reach, and makes
// towers better in between.
import { KINDS, TOP, board, along, price, towerAt } from '../mechanics/defence.js';
import { centre } from '../core/board.js';

const ORDER = [0, 0, 1, 0, 2, 1, 0, 0, 1, 2];

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const kind = ORDER[s.towers.length % ORDER.length];
  if (s.sel >= 0) return press(towerAt(s, s.sel) ? 0 : kind);
  const weak = s.towers.filter((t) => t.level < TOP).sort((a, b) => price(a) - price(b))[0];
  const grow = weak && s.towers.length >= 3 && s.towers.length >= 2 + 2 * s.towers.filter((t) => t.level > 1).length;
  if (grow || s.towers.length >= 14) return weak && s.gold >= price(weak) ? tap(weak.cell) : null;
  if (s.gold < KINDS[kind].cost) return null;
  const spot = best(s, kind);
  return spot < 0 ? null : tap(spot);
}

function press(k) { return { tap: true, x: 69 + k * 112, y: 655 }; }

function tap(cell) {
  const at = centre(board, cell);
  return { tap: true, x: at.x, y: at.y };
}

function best(s, kind) {
  let [found, most] = [-1, 0];
  const steps = s.walk.map((_, p) => along(s, p));
  for (const cell of s.spots) {
    if (towerAt(s, cell)) continue;
    const at = centre(board, cell);
    const seen = steps.filter((p) => (p.x - at.x) ** 2 + (p.y - at.y) ** 2 < KINDS[kind].reach ** 2).length
      + (cell % 7) * 0.01;
    if (seen > most) [found, most] = [cell, seen];
  }
  return found;
}
