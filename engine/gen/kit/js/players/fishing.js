// Plays fishing: it brings the rod over a fish, lets the hook down to it, and
// keeps out of the way of what bites.
import { FISH, most, SEA, hookX, pace } from '../mechanics/fishing.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const [x, h, foe] = [hookX(s), s.hook, s.foe];
  if (h.torn > 0) return null;
  const danger = foe.wait <= 0 && Math.abs(foe.x - x) < 150 && (foe.x - x) * foe.dir < 40;
  if (danger && h.y > foe.y - 90) return { x: x - foe.dir * -60 }; // up, and away from it
  if (s.load.length >= most(s)) return { x };
  let best = null;
  let top = 0;
  for (const f of s.sea) {
    const k = FISH[f.kind];
    if (!k.worth || f.x < 70 || f.x > 450) continue;
    const down = Math.max(0, f.y - h.y) / pace(s);
    const at = f.x + f.dir * f.v * s.cfg.speed * down;
    if (at < 64 || at > 450 || (danger && f.y > foe.y - 60)) continue;
    const worth = (k.worth + 1) / (0.8 + down + Math.abs(at - x) / 150 + (f.y - SEA) / 330);
    if (worth > top) {
      top = worth;
      best = { at, y: f.y, size: k.size };
    }
  }
  if (!best || (s.load.length > 0 && top < 1.5)) return { x };
  const hold = Math.abs(best.at - x) < best.size * 0.4 + 10 && h.y < best.y + 10;
  return hold ? { hold: true, x: best.at } : { x: best.at };
}
