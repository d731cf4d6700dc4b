// Plays shooter as an attentive player would.
import { H, W, clamp } from '../core/world.js';
import { HOME, SHOT } from '../mechanics/shooter.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const flight = (f) => (f.x - s.x) / SHOT;
  const shotAt = (f) => s.shots.some((b) => b.x < f.x && Math.abs(b.y - f.y) < 24);
  const target = s.foes.filter((f) => f.x > s.x + 30 && f.x < W + 40 && (f.x < W * 0.4375 || !shotAt(f))).sort((a, b) =>
    a.x - b.x)[0];
  const goal = s.treats.find((t) => Math.abs(t.x - s.x) < 330);
  let y = goal ? goal.y : target ? target.y + (target.kind === 1 ? Math.cos(target.t * 2.4) * 216 * flight(target) : 0)
    : H / 2;
  for (const b of s.fire) {
    const t = (b.x - s.x) / -b.vx;
    if (t < 0 || t > 0.7) continue;
    const at = b.y + b.vy * t;
    if (Math.abs(at - s.y) < s.r + 24) y = at > s.y ? s.y - 90 : s.y + 90;
  }
  for (const f of s.foes) {
    if (f.x - s.x < 120 && f.x > s.x - 30 && Math.abs(f.y - s.y) < s.r + 34 && f.x - s.x < 64) {
      y = f.y > s.y ? s.y - 90 : s.y + 90;
    }
  }
  return { x: HOME - 20, y: clamp(y, 110, H - 46) };
}
