// Plays catch as an attentive player would.
import { W, heat } from '../core/world.js';
import { GROUND } from '../mechanics/catch.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const v = 275 * s.cfg.speed * Math.sqrt(heat(s));
  const time = (i) => Math.max(0.02, (GROUND - s.r - 20 - i.y) / i.vy);
  const good = s.items.filter((i) => !i.bad).sort((a, b) => time(a) - time(b));
  const bad = s.items.filter((i) => i.bad && time(i) < 0.75);
  const target = good[0];
  let goal = target ? target.x : W / 2;
  // Walking to and fro under the goal keeps near it; a bad thing over the way
  // is waited for on the near side.
  for (const b of bad) {
    if (Math.abs(b.x - s.x) < s.r + 60 && (!target || Math.abs(target.x - b.x) > s.r || time(target) > time(b) + 0.3)) {
      goal = b.x > s.x ? b.x - s.r - 75 : b.x + s.r + 75;
    }
  }
  const off = goal - s.x;
  const slack = Math.min(30, v * 0.12);
  return { tap: Math.abs(off) > slack && Math.sign(off) !== s.dir };
}
