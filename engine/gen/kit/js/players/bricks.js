// Plays bricks: under the lowest ball that falls, off the middle towards the side
// with more bricks left; for a capsule when there is time.
import { W, clamp } from '../core/world.js';
import { Y, R, half, pace } from '../mechanics/bricks.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const v = pace(s);
  let first = null;
  for (const b of s.balls) {
    if (b.wait > 0) return { tap: true, x: s.x };
    const down = b.vy / Math.sqrt(b.vx * b.vx + b.vy * b.vy);
    const t = down > 0 ? (Y - 12 - b.y) / (v * down) : 9;
    if (b.y < Y && t > 0 && (!first || t < first.t)) first = { t, b };
  }
  if (!first) return null;
  const { b, t } = first;
  const gift = s.gifts.find((g) => g.y > 300 && (Y - g.y) / 150 < t - 0.35);
  if (gift) return { x: gift.x, y: Y };
  if (t > 8) return { x: clamp(b.x, 60, W - 60), y: Y };
  const span = W - 2 * R; // walls fold the way of the ball
  const far = (((b.x - R + (b.vx / b.vy) * (Y - 12 - b.y)) % (2 * span)) + 2 * span) % (2 * span);
  const x = R + (far > span ? 2 * span - far : far);
  const aim = s.bricks.reduce((sum, k) => sum + k.x + 28, 0) / Math.max(1, s.bricks.length);
  return { x: x + clamp((x - aim) / 220, -0.7, 0.7) * half(s), y: Y };
}
