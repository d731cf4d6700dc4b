// Plays bubbles: of some angles the one that makes most bubbles go, or that puts
// the bubble beside its like.
import { GUN, NEAR, trace, alike, hanging } from '../mechanics/bubbles.js';
import { sin, cos } from '../core/world.js';

const THINK = -0.2; // seconds after a shot has stuck

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.shot || s.cool > THINK) return null;
  let best = { worth: -1, angle: 0 };
  const seen = [];
  for (let i = -9; i <= 9; i++) {
    const angle = i * 0.135;
    const cell = trace(s, angle, 18);
    if (cell < 0 || seen.includes(cell)) continue;
    seen.push(cell);
    const worth = value(s, cell, s.now);
    if (worth > best.worth) best = { worth, angle };
  }
  if (best.worth < 20 && s.now !== s.next && seen.some((cell) => value(s, cell, s.next) >= 20)) return { move: 'down' };
  return { tap: true, x: GUN.x + 200 * sin(best.angle), y: GUN.y - 200 * cos(best.angle) };
}

function value(s, cell, hue) {
  const group = alike(s, cell, hue);
  if (group.length < 3) return group.length * 4 - Math.floor(cell / 12) * 0.6 + NEAR[cell].length * 0.1;
  const was = s.cells.slice();
  for (const n of group) s.cells[n] = -1;
  const loose = hanging(s).length;
  s.cells = was;
  return 20 + group.length + loose;
}
