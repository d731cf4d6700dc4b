// Plays roll3d as an attentive player would.
import { under } from '../mechanics/roll3d.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const look = 0.5;
  const ahead = s.dir === 0 ? under(s, s.u + look, s.v) : under(s, s.u, s.v + look);
  const aside = s.dir === 0 ? under(s, s.u, s.v + 1) : under(s, s.u + 1, s.v);
  return { tap: s.fall <= 0 && !ahead && Boolean(aside) };
}
