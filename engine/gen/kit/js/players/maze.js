// Plays maze as an attentive player would.
import { WAYS, ways } from '../mechanics/maze.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const act = {};
  const w = s.hero.k < 0.7 ? s.hero.dir : route(s); // a way is chosen at a crossing
  if (w) act[w] = true;
  return act;
}

// route is the first step of the shortest way to a treat that keeps clear of
// the others, or away from them.
function route(s) {
  const danger = (x, y) => s.foes.reduce((m, f) => Math.min(m, Math.abs(f.x - x) + Math.abs(f.y - y)), 99);
  const seen = { [s.hero.x + ',' + s.hero.y]: true };
  let edge = ways(s, s.hero).map((w) => ({ x: s.hero.x + WAYS[w][0], y: s.hero.y + WAYS[w][1], first: w, n: 1 }));
  while (edge.length) {
    const next = [];
    for (const e of edge) {
      const key = e.x + ',' + e.y;
      if (seen[key] || danger(e.x, e.y) <= (e.n < 4 ? 2 : 1)) continue;
      seen[key] = true;
      if (s.treats.some((t) => t.x === e.x && t.y === e.y)) return e.first;
      for (const w of ways(s, e)) next.push({ x: e.x + WAYS[w][0], y: e.y + WAYS[w][1], first: e.first, n: e.n + 1 });
    }
    edge = next;
  }
  return ways(s, s.hero).reduce((best, w) =>
    (danger(s.hero.x + WAYS[w][0],
      s.hero.y + WAYS[w][1]) > (best ? danger(s.hero.x + WAYS[best][0], s.hero.y + WAYS[best][1]) : 0) ? w : best), '');
}
