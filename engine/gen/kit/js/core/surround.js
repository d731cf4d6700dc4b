// What is around the field in a window of another shape: the game's own scenery,
// small, so that it is soft when it is stretched, and dark beside the field.
import { H } from './world.js';

const TALL = 120; // pixels of the picture

/** @param {{ [name: string]: HTMLCanvasElement }} pictures */
export function surround(pictures, palette) {
  const el = document.createElement('canvas');
  el.height = TALL;
  el.width = Math.max(40, Math.min(400, Math.round((TALL * window.innerWidth) / window.innerHeight)));
  const c = el.getContext('2d');
  const sky = pictures.sky; // without sun and moon, which stand on its right
  c.drawImage(sky, 0, 0, sky.width / 2, sky.height, 0, 0, el.width, TALL);
  const tile = (480 * H / 720) * (TALL / H);
  for (const name of ['far', 'near']) {
    for (let x = (el.width - tile) / 2 - Math.ceil(el.width / tile) * tile; x < el.width; x += tile) {
      c.drawImage(pictures[name], x, 0, tile + 0.5, TALL);
    }
  }
  c.globalAlpha = 0.48;
  c.fillStyle = palette.shade;
  c.fillRect(0, 0, el.width, TALL);
  document.body.style.background = palette.shade + ' url(' + el.toDataURL('image/jpeg', 0.8) + ') center / cover';
}
