// The boss of a run: it hangs over the field, and each point that the player
// scores strikes it.
import { W } from './world.js';

const Y = 168;

export function drawBoss(d, s, fx) {
  const b = s.boss;
  const age = s.t - b.since;
  const x = W / 2 + Math.sin(age * 1.3) * W * 0.2;
  const y = Y - 190 * Math.max(0, 1 - age * 1.4) + Math.sin(age * 3.1) * 8;
  const struck = Math.max(0, 1 - (s.t - b.hit) * 4);
  fx.boss = { x, y };
  d.sprite('glow', x, y, 190, { tint: 'hazard', alpha: 0.4 + 0.25 * Math.sin(age * 5) });
  d.sprite('hazard', x, y, 116 * (1 + struck * 0.18), { rot: Math.sin(age * 2.2) * 0.12 + struck * 0.25 });
  const w = 132;
  d.box(x - w / 2 - 3, y - 82, w + 6, 14, 'shade', { radius: 7, alpha: 0.75 });
  d.box(x - w / 2, y - 79, w * Math.max(0, b.hp / b.max), 8, 'accent', { radius: 4 });
}
