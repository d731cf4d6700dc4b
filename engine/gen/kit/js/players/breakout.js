// Plays breakout as an attentive player would.
import { W, clamp } from '../core/world.js';
import { BW, Y, half } from '../mechanics/breakout.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const b = s.ball;
  // Meet the ball off the middle, towards the side with more bricks left.
  const aim = s.bricks.reduce((sum, k) => sum + k.x + BW / 2, 0) / Math.max(1, s.bricks.length);
  const lean = clamp((b.x - aim) / 260, -0.75, 0.75);
  const soon = b.vy > 0 ? clamp(b.x + (b.vx / Math.max(0.2, b.vy)) * (Y - b.y) * 0.5, 20, W - 20) : b.x;
  const wobble = Math.sin(s.t * 1.7) * 12;
  return { x: clamp(soon + lean * half(s) * 0.9 + wobble, 0, W), y: Y };
}
