// Plays bridge as an attentive player would.
import { STEP } from '../core/world.js';
import { EDGE, speed } from '../mechanics/bridge.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const aim = s.to.x + s.to.w / 2 - EDGE;
  const lead = 265 * speed(s) * STEP;
  const wants = s.phase === 'wait' || (s.phase === 'grow' && s.len + lead < aim);
  return { hold: wants };
}
