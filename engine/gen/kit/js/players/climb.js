// Plays climb as an attentive player would.
import { heat } from '../core/world.js';
import { Y } from '../mechanics/climb.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const v = 255 * s.cfg.speed * heat(s);
  const ahead = v * 0.34 + 50;
  const threat = (side, reach) =>
    s.things.some((t) =>
      t.bad && !t.done && t.side === side && t.y + 30 > Y - reach && t.y - (t.size > 1 ? 44 : 0) - 50 < Y + 16);
  const treat = s.things.some((t) => !t.bad && t.side !== s.side && t.y > Y - ahead && t.y < Y - v * 0.08);
  const leave = threat(s.side, ahead) && !threat(-s.side, v * 0.3 + 30);
  return { tap: s.leap > 0.8 && (leave || (treat && !threat(-s.side, ahead + 120))) };
}
