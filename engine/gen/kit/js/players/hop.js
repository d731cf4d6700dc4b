// Plays hop as an attentive player would.
import { heat } from '../core/world.js';
import { X, GROUND } from '../mechanics/hop.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const v = 265 * s.cfg.speed * heat(s);
  const next = s.blocks.find((b) => !b.air && b.x + (b.size * b.n) / 2 > X - s.r);
  const gap = next ? next.x - (next.size * next.n) / 2 - X - s.r : 999;
  const late = s.jumps === 1
    && s.vy > 150 && next && next.x - X < (next.size * next.n) / 2 + 40 && s.y > GROUND - next.size - s.r * 2;
  return { tap: (s.jumps === 0 && gap < v * 0.13 + 6) || Boolean(late) };
}
