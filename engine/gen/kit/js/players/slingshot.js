// Plays the slingshot: it works out the pull that hits a target, and pulls.
import { FORK, PULL, KICK, pull } from '../mechanics/slingshot.js';
import { sin, cos } from '../core/world.js';

const STEEP = [0.32, 0.5, 0.2, 0.75, 1, 0.1, 1.2];

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.shot || s.shots === 0) return null;
  if (s.drag < 14) return s.calm > 100 ? null : { hold: true, x: FORK.x, y: FORK.y };
  if (s.drag > 18) return null;
  const way = solve(s);
  return { hold: true, x: FORK.x - way.p * cos(way.a), y: FORK.y + way.p * sin(way.a) };
}

// solve tries steeper and steeper ways to the nearest target, another after each shot.
function solve(s) {
  const foe = s.foes[s.shots % s.foes.length];
  for (let i = 0; i < STEEP.length; i++) {
    const a = STEEP[(i + s.shots) % STEEP.length];
    for (let p = 35; p <= PULL; p += 1.5) {
      const dx = foe.x - FORK.x + p * cos(a);
      const t = dx / (p * KICK * cos(a));
      const y = FORK.y + p * sin(a) - p * KICK * sin(a) * t + (pull(s) * t * t) / 2;
      if (Math.abs(y - foe.y) < 12) return { a, p };
    }
  }
  return { a: 0.4, p: PULL };
}
