// Plays pong: to where the ball will come, and meets it off the middle so that it
// goes where the opponent is not.
import { W, clamp } from '../core/world.js';
import { MINE, half, landing } from '../mechanics/pong.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const b = s.ball;
  if (b.vy < 0 || s.wait > 0) return { x: s.x + clamp(W / 2 - s.x, -9, 9), y: MINE };
  const x = landing(b, MINE - 19);
  const off = s.foe.x > W / 2 ? 0.9 : -0.9;
  return { x: clamp(x + off * half(s), half(s), W - half(s)), y: MINE };
}
