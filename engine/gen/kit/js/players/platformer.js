// Plays platformer as an attentive player would.
import { groundTop } from '../mechanics/platformer.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const feet = s.y + s.r;
  const ahead = (px) => groundTop(s, s.x + px);
  const wall = ahead(s.r + 42) < feet - 8;
  const gap = ahead(s.r + 20) > feet + 60;
  const foe = s.foes.some((f) => !f.gone && f.x > s.x && f.x - s.x < 112 && Math.abs(f.y - feet) < 30);
  // Treats above the head are worth a jump on safe ground.
  const treat = s.treats.some((t) => t.x - s.x > 20 && t.x - s.x < 95 && feet - t.y > 90 && feet - t.y < 190);
  return {
    right: true, jump: s.grace > 0
    && (wall || gap || foe || (treat && !s.foes.some((f) => !f.gone && Math.abs(f.x - s.x) < 330))),
  };
}
