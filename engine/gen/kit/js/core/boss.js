// The boss of a run: it hangs over the field, or looks on from its edge where the
// field is full, and each point that the player scores strikes it.
import { W, H } from './world.js';

const BAR = 120;
const OVER = { x: W / 2, y: 198, size: 128, sway: W * 0.2, bar: [W / 2 - BAR / 2, 98] };
const ASIDE = W > H ? { x: W / 2 - 132, y: 54, size: 54, sway: 0, bar: [W / 2 + 132, 46] }
  : { x: W / 2 - 86, y: 118, size: 46, sway: 0, bar: [W - BAR - 24, 112] };

// bossPlace is where the boss of a mechanic is.
function bossPlace(meta) {
  return meta.full || ['stick', 'board', 'swipe', 'type'].indexOf(meta.controls) >= 0 ? ASIDE : OVER;
}

/** @param {DrawList} d @param {GameState} s */
export function drawBoss(d, s, fx, meta) {
  const b = s.boss;
  const at = bossPlace(meta);
  const age = s.t - b.since;
  const size = at.size * Math.min(1, age * 1.4);
  const x = at.x + Math.sin(age * 1.3) * at.sway;
  const y = at.y + Math.sin(age * 3.1) * size * 0.03;
  const struck = Math.max(0, 1 - (s.t - b.hit) * 4);
  fx.boss = { x, y };
  d.sprite('glow', x, y, size * 1.5, { tint: 'hazard', alpha: 0.4 + 0.25 * Math.sin(age * 5) });
  d.sprite('boss', x, y, size * (1 + struck * 0.1), { rot: Math.sin(age * 2.2) * 0.06 + struck * 0.15 });
}

// drawBossBar shows how much the boss still takes.
/** @param {DrawList} d @param {GameState} s */
export function drawBossBar(d, s, meta) {
  const [x, y] = bossPlace(meta).bar;
  d.box(x - 3, y - 3, BAR + 6, 14, 'shade', { radius: 7, alpha: 0.75, role: 'bossbar' });
  d.box(x, y, BAR * Math.max(0, s.boss.hp / s.boss.max), 8, 'accent', { radius: 4 });
}
