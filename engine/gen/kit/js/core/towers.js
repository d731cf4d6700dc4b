// Towers of blocks, and those who sit in them.
import { cos, sin, between, chance } from './world.js';

export const GROUND = 624;
export const FOE = 21; // radius of a target

export function tower(s, x, wide, storeys, towers, crowd) {
  let y = GROUND;
  for (let k = 0; k < storeys; k++) {
    const tall = between(s, 58, 72);
    if (k === 0 || chance(s, 0.3 + 0.15 * crowd)) s.foes.push({ x, y: y - FOE, vx: 0, vy: 0 });
    for (const side of [-1, 1]) block(s, x + side * (wide / 2 - 12), y - tall / 2, 16, tall);
    block(s, x, y - tall - 8, wide, 16);
    y -= tall + 16;
  }
  if (chance(s, 0.6) || towers === 1) s.foes.push({ x, y: y - FOE, vx: 0, vy: 0 });
  else block(s, x, y - 17, 34, 34);
}

export function block(s, x, y, w, h) {
  s.blocks.push({ x, y, w, h, vx: 0, vy: 0, a: 0, va: 0, loose: false, fell: false, still: 0 });
}

// reach is how far a turned block goes to the side and up.
export function reach(b) {
  if (b.a === 0) return [b.w / 2, b.h / 2];
  const [c, n] = [Math.abs(cos(b.a)), Math.abs(sin(b.a))];
  return [(b.w * c + b.h * n) / 2, (b.w * n + b.h * c) / 2];
}
