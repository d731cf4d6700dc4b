// Plays gap as an attentive player would.
import { X } from '../mechanics/gap.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const g = s.gates.find((gate) => gate.x > X - 60);
  const aim = g && g.x < X + 330 ? g.y : 340;
  return { tap: s.y > aim + 26 && s.vy > -120 };
}
