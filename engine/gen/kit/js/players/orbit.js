// Plays orbit as an attentive player would.
import { wrap } from '../mechanics/orbit.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  // The way to an item is its angle, plus a great deal when a spike is on it.
  const way = (dir) => {
    const spike = s.spikes.filter((k) => k.age < k.life - 0.1).reduce((m, k) => Math.min(m, wrap((k.a - s.a) * dir)),
      9);
    const item = s.items.reduce((m, i) => Math.min(m, wrap((i.a - s.a) * dir)), 9);
    return { spike, item, cost: spike < item + 0.25 ? 20 - spike : item };
  };
  const on = way(s.dir);
  const back = way(-s.dir);
  const danger = on.spike < 0.62;
  return { tap: danger ? back.spike > on.spike : on.cost > back.cost + 0.5 && back.spike > 0.7 };
}
