// Plays rhythm: it hits each note a little early or late.
import { KEYS } from '../mechanics/rhythm.js';
import { hash } from '../core/world.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const n = s.notes.find((o) => !o.bad);
  if (!n || s.song < n.t - 0.07) return null;
  const off = (hash(Math.round(n.t * 100)) - 0.5) * 0.13;
  return s.song >= n.t + off ? { key: KEYS[n.lane] } : null;
}
