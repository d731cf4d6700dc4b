// Plays pinball: it flips when the ball is on the outer half of a flipper, or is
// about to pass it.
import { FLIPPERS, LONG } from '../mechanics/pinball.js';
import { cos, sin } from '../core/world.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const b = s.ball;
  if (b.lane) return b.vy === 0 ? (s.pull < 0.7 ? { hold: true } : null) : null;
  if (b.y < 540) return null;
  const [left, right] = FLIPPERS.map((f, i) => due(b, f, s.flips[i]));
  return left || right ? { left, right } : null;
}

// due tells whether a flipper should be up: it stays so for a moment.
function due(b, f, now) {
  const ahead = 0.045;
  const [x, y] = [b.x + b.vx * ahead, b.y + b.vy * ahead];
  const along = (x - f.x) * cos(f.rest) + (y - f.y) * sin(f.rest);
  const over = ((x - f.x) * sin(f.rest) - (y - f.y) * cos(f.rest)) * f.way;
  const up = Math.abs(now.a - f.rest) > 0.3;
  return along > (up ? 0.2 : 0.42) * LONG && along < LONG * 1.4 && over < 24 && over > -40 && b.vy > -300;
}
