// Plays drive3d as an attentive player would.
import { edge } from '../mechanics/drive3d.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const soon = s.things.filter((t) => !t.done && t.z > -1.5 && t.z < 30);
  // The best place across the road: away from what is bad, at what is good.
  let best = 0;
  let most = -1e9;
  for (let x = 1 - edge(s); x <= edge(s) - 1; x += 0.4) {
    let worth = -Math.abs(x) * 0.25 - Math.abs(x - s.x) * 0.3;
    for (const t of soon) {
      const off = Math.abs(t.x + t.vx * (t.z / 17) - x);
      if (t.kind === 'bad') worth -= off < 2 ? (2 - off) * 18 / (1 + t.z * 0.06) : 0;
      else if (t.z > 0) worth += off < 0.9 ? 2 / (1 + t.z * 0.08) : 0;
    }
    if (worth > most) { most = worth; best = x; }
  }
  const off = best - s.x;
  return { left: off < -0.22, right: off > 0.22 };
}
