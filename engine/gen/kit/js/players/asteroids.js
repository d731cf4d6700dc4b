// Plays asteroids: aims ahead of the nearest danger and fires; thrusts away from
// what comes too close.
import { W, atan2, hypot, PI } from '../core/world.js';
import { SHOT, TURN, RADIUS } from '../mechanics/asteroids.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const t = target(s);
  if (!t) return null;
  const time = Math.max(0, t.gap) / SHOT;
  const aim = atan2(t.dy + (t.vy - s.vy * 0.4) * time, t.dx + (t.vx - s.vx * 0.4) * time);
  const off = ((((aim - s.a + PI) % (2 * PI)) + 2 * PI) % (2 * PI)) - PI;
  const a = {};
  const wide = Math.atan2(t.r * 0.6, Math.max(20, t.gap + t.r));
  if (Math.abs(off) > TURN / 60) a[off > 0 ? 'right' : 'left'] = true;
  if (Math.abs(off) < wide && t.gap < 420 && s.reload <= 0 && s.shots.length < 4) a.jump = true;
  const open = Math.cos(s.a) * t.dx + Math.sin(s.a) * t.dy < 0; // the danger lies behind
  if (t.gap < 70 && open && hypot(s.vx, s.vy) < 150) a.up = true;
  return a;
}

// target is what will be closest soon, as seen from the ship.
function target(s) {
  const all = s.rocks.map((o) => ({ o, r: RADIUS[o.size], vx: o.vx, vy: o.vy }));
  if (s.saucer) all.push({ o: s.saucer, r: 24, vx: s.saucer.dir * 85, vy: 0 });
  let best = null;
  for (const { o, r, vx, vy } of all) {
    const dx = o.x - s.x;
    const dy = o.y - s.y;
    if (o.x < 0 || o.x > W) continue;
    const dist = hypot(dx, dy);
    const closing = -(dx * (vx - s.vx) + dy * (vy - s.vy)) / (dist || 1);
    const cost = dist - r - closing * 1.2;
    if (!best || cost < best.cost) best = { cost, dx, dy, vx, vy, r, gap: dist - r };
  }
  return best;
}
