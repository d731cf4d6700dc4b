// Plays whack as an attentive player would.
import { W } from '../core/world.js';
import { HOLES } from '../mechanics/whack.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const good = s.out.filter((o) => !o.bad && !o.hit && o.age > 0.22 && o.age < o.life - 0.1).sort((a, b) =>
    (a.life - a.age) - (b.life - b.age))[0];
  const at = good ? HOLES[good.hole] : [W / 2, 470];
  return { tap: Boolean(good), x: at[0], y: at[1] - 36 };
}
