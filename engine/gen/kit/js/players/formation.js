// Plays formation: under the next foe, but not where a bomb will fall, and fires
// when it will be met.
import { W, clamp } from '../core/world.js';
import { Y, SHOT, STRIDE, place, pace } from '../mechanics/formation.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const aim = goal(s);
  const ways = [aim, s.x, s.x - 36, s.x + 36, s.x - 70, s.x + 70, s.x - 110, s.x + 110].filter((x) =>
    x >= 44 && x <= W - 44);
  const x = ways.find((to) => safe(s, to));
  if (x === undefined) return { x: s.x < W / 2 ? s.x + 60 : s.x - 60 };
  return { x, tap: Math.abs(aim - s.x) < 10 && s.reload <= 0.4 };
}

// safe tells whether no bomb meets who goes to a place.
function safe(s, to) {
  const v = 400 * Math.max(0.8, Math.sqrt(s.cfg.speed));
  return s.bombs.every((b) => {
    const from = (Y - 30 - b.y) / b.v;
    if (from > 0.9 || b.y > Y + 26) return true;
    return [Math.max(0, from), Math.max(0, from) + 52 / b.v].every((t) =>
      Math.abs(s.x + clamp(to - s.x, -v * t, v * t) - b.x) > 14 + 14 * s.cfg.size);
  });
}

function goal(s) {
  if (s.saucer) {
    const x = s.saucer.x + s.saucer.dir * 105 * s.cfg.speed * ((Y - 158) / SHOT);
    if (x > 44 && x < W - 44) return x;
  }
  const v = (s.dir * STRIDE) / Math.max(pace(s), 1 / 60);
  let best = null;
  for (const f of s.foes) {
    const at = place(s, f);
    const x = at.x + v * ((Y - 30 - at.y) / SHOT);
    const met = s.shots.some((b) => b.y > at.y && Math.abs(b.x - at.x - (v * (b.y - at.y)) / SHOT) < 18);
    const cost = Math.abs(x - s.x) - at.y * 0.2 + (met ? 500 : 0);
    if (x >= 44 && x <= W - 44 && (!best || cost < best.cost)) best = { x, cost };
  }
  return best ? best.x : s.x;
}
