// Plays jumper: to the highest platform that can be landed on from here.
import { W } from '../core/world.js';
import { LEAP, WIDE, gravity, sideways, apart } from '../mechanics/jumper.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const g = gravity(s);
  const v = sideways(s) * 0.8;
  let best = null;
  for (const p of s.pads) {
    if (p.kind === 'break' || p.h < s.cam + 24) continue;
    const root = s.vy * s.vy - 2 * g * (p.h - s.h);
    if (root <= 60 * 60) continue; // too high, or only just
    const t = (s.vy + Math.sqrt(root)) / g;
    const dx = apart(s, Math.min(W - 38, Math.max(38, p.x + p.v * t)));
    if (Math.abs(dx) - WIDE * 0.4 > v * t) continue;
    const foe = s.foes.some((f) =>
      f.h > Math.min(s.h, p.h) && f.h < s.h + LEAP && Math.abs(f.x - p.x) < 74 && f.h - p.h < 110 && f.h > p.h - 10);
    const worth = p.h + (p.kind === 'spring' ? 180 : 0) - Math.abs(dx) * 0.1 - (foe ? 150 : 0);
    if (!best || worth > best.worth) best = { dx, worth };
  }
  if (!best) return null;
  const close = s.foes.find((f) => f.h > s.h && f.h - s.h < 190 && s.vy > 0 && Math.abs(f.x - s.x) < 66);
  if (close) return close.x > s.x ? { left: true } : { right: true };
  return Math.abs(best.dx) < 10 ? null : best.dx > 0 ? { right: true } : { left: true };
}
