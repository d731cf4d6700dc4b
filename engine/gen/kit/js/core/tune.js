// What an owner may try out on players without a change of the game: experiments give
// values to speed, lives and palette. Any other value, like 'own', is the game's own.
import { shade } from '../art/paint.js';

const SCENERY = ['bg', 'bg2', 'far', 'near', 'ground', 'groundTop', 'block', 'blockLight'];

// light says whether a colour is nearer to white than to black.
function light(hex) {
  const n = parseInt(hex.slice(1), 16);
  return 0.3 * (n >> 16) + 0.6 * ((n >> 8) & 255) + 0.1 * (n & 255) > 127;
}

function scenery(palette, k) {
  const out = Object.assign({}, palette);
  for (const role of SCENERY) out[role] = shade(palette[role], k);
  return out;
}

// The outlines of figures stand out from the scenery as before, or more.
function soft(palette) { return scenery(palette, light(palette.ink) ? -0.35 : 0.35); }
function night(palette) { return Object.assign(scenery(palette, -0.72), { ink: '#e9e4f6' }); }

// tuned returns the game as this player gets it. variants are those of svc.ready: what is
// read of them counts the player.
/** @param {any} game @param {{ [name: string]: string }} variants */
export function tuned(game, variants) {
  const out = Object.assign({}, game, { play: Object.assign({}, game.play), given: {} });
  // take returns a value as a number; given is what a run is played again with.
  function take(name, good) {
    const text = variants[name];
    if (!good(Number(text))) return 0;
    out.given[name] = text;
    return Number(text);
  }
  const speed = take('speed', (v) => v >= 0.5 && v <= 2); // a factor
  if (speed) out.play.speed = Math.min(2, Math.max(0.5, game.play.speed * speed));
  out.play.lives = take('lives', (v) => Number.isInteger(v) && v >= 1 && v <= 5) || out.play.lives;
  const wanted = variants.palette;
  if (wanted !== 'soft' && wanted !== 'night') return out;
  const paint = wanted === 'soft' ? soft : night;
  out.palette = paint(game.palette);
  if (game.stages) {
    out.stages = game.stages.map((s) => (s.palette ? Object.assign({}, s, { palette: paint(s.palette) }) : s));
  }
  return out;
}
