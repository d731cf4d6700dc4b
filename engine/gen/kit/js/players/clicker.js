// Plays the clicker: it taps, takes what is golden, and buys what pays for itself
// soonest.
import { BIG, UPGRADES, card, perTap, price } from '../mechanics/clicker.js';

const TAPS = 7; // a second

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.gold.left > 0 && s.gold.left < 4.4) return { tap: true, x: s.gold.x, y: s.gold.y };
  let best = -1;
  for (let i = 0; i < UPGRADES.length; i++) if (best < 0 || payback(s, i) < payback(s, best)) best = i;
  if (s.bank >= price(s, best) && payback(s, best) < 60) {
    const c = card(best);
    return best % 2 ? { key: String(best + 1) } : { tap: true, x: c.x + c.w / 2, y: c.y + c.h / 2 };
  }
  return s.t - s.pressed < 1 / TAPS ? null : { tap: true, x: BIG.x + (perTap(s) % 3) * 12 - 12, y: BIG.y };
}

function payback(s, i) { return price(s, i) / (UPGRADES[i].rate * s.cfg.speed + UPGRADES[i].tap * TAPS); }
