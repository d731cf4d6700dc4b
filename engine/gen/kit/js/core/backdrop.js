// The scenery behind the game: a painted sky, two layers that drift by, and
// motes (stars, snow, bubbles, leaves) in front of them.
import { W, H, hash } from './world.js';

function mod(v, m) { return ((v % m) + m) % m; }

const TILE = (480 * H) / 720; // width of a layer's picture

function layer(d, name, shift) {
  for (let x = -mod(shift, TILE); x < W; x += TILE) d.sprite(name, x + TILE / 2, H / 2, H);
}

// scroll is the mechanic's direction: 'x', 'y' or 'none'. Every other level has
// another light.
/** @param {DrawList} d */
export function drawBackdrop(d, game, scroll, t, level) {
  const drift = scroll === 'x' ? 1 : 0.18;
  const own = (game.stages || []).find((o) => o.level === level && o.scene);
  const name = (kind) => kind + (own ? '@' + level : '');
  d.sprite(name('sky'), W / 2, H / 2, H);
  layer(d, name('far'), t * 14 * drift);
  layer(d, name('near'), t * 38 * drift);
  const fall = { rise: -34, fall: 46, still: 0 }[game.scene.motes.move];
  const vy = scroll === 'y' ? fall + 130 : fall;
  const vx = scroll === 'x' ? -26 : 0;
  for (let i = 0; i < game.scene.motes.count; i++) {
    const depth = 0.4 + hash(i + 50) * 0.9;
    const x = mod(hash(i) * (W + 40) + vx * depth * t + Math.sin(t * 0.7 + i) * 14, W + 40) - 20;
    const y = mod(hash(i + 99) * (H + 40) + vy * depth * t, H + 40) - 20;
    d.sprite('mote', x, y, game.scene.motes.size * depth,
      { alpha: 0.35 + 0.4 * hash(i + 7), rot: fall > 0 ? t * depth + i : 0 });
  }
  if (level > 1 && !own) d.box(0, 0, W, H, ['accent', 'hazard', 'hero', 'pickup'][level % 4], { alpha: 0.1 });
}
