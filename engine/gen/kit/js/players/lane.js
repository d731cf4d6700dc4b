// Plays lane as an attentive player would.
import { Y, lanes, middle } from '../mechanics/lane.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const all = [...Array(lanes(s)).keys()];
  const home = Math.floor((all.length - 1) / 2);
  const soon = s.items.filter((i) => !i.done && i.y < Y + 40 && i.y > Y - 330);
  const worth = (lane) =>
    soon.reduce((sum, i) => sum + (i.lane !== lane ? 0 : i.bad ? -9 + (Y - i.y) / 60 : 1), lane === home ? 0.1 : 0);
  const threat = (lane) => soon.some((i) => i.bad && i.lane === lane && Math.abs(i.y - Y) < 90);
  let best = s.lane;
  for (const lane of [s.lane - 1, s.lane + 1]) {
    if (all.indexOf(lane) >= 0 && worth(lane) > worth(best) && !threat(lane)) best = lane;
  }
  if (best === s.lane && worth(s.lane) < 0) {
    for (const lane of all) if (worth(lane) > worth(best)) best = s.lane + Math.sign(lane - s.lane);
    if (threat(best)) best = s.lane;
  }
  return { tap: best !== s.lane, x: middle(s, best) < middle(s, s.lane) ? 110 : 370, y: 640 };
}
