// Plays runner3d as an attentive player would.
import { W, heat } from '../core/world.js';
import { lanes } from '../mechanics/runner3d.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const v = 13 * s.cfg.speed * heat(s);
  const all = [...Array(lanes(s)).keys()];
  const home = Math.floor((all.length - 1) / 2);
  const soon = s.things.filter((t) => !t.done && t.z < 1 && t.z > -v * 1.1);
  const worth = (lane) =>
    soon.reduce((sum, t) => sum + (t.lane !== lane ? 0 : t.kind === 'treat' ? 1 : -9 + Math.min(0, -t.z) / 8),
      lane === home ? 0.1 : 0);
  const threat = (lane) => soon.some((t) => t.kind !== 'treat' && t.lane === lane && Math.abs(t.z) < 2.4);
  let best = s.lane;
  for (const lane of [s.lane - 1, s.lane + 1]) {
    if (all.indexOf(lane) >= 0 && worth(lane) > worth(best) && !threat(lane)) best = lane;
  }
  if (best === s.lane && worth(s.lane) < 0) {
    for (const lane of all) if (worth(lane) > worth(best)) best = s.lane + Math.sign(lane - s.lane);
    if (threat(best)) best = s.lane;
  }
  return { tap: best !== s.lane, x: best < s.lane ? W * 0.2 : W * 0.8, y: 400 };
}
