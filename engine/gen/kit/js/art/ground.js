// What layers of the scenery are made of.
import { shade } from './paint.js';

export const W = 480;
export const H = 720;
export const TAU = Math.PI * 2;

let salt = 0;

// vary makes the scenery another one of its kind; 0 is the usual one.
export function vary(n) { salt = n; }

export function noise(i) {
  const v = Math.sin((i + salt) * 91.7 + 4.1) * 43758.5453;
  return v - Math.floor(v);
}

// ridge fills below a wave with whole periods across the tile.
export function ridge(c, base, waves, color) {
  const at = (x) => base + waves.reduce((sum, w) => sum + w[1] * Math.sin((x / W) * TAU * w[0] + w[2] + salt), 0);
  const g = c.createLinearGradient(0, base - 80, 0, H);
  g.addColorStop(0, shade(color, 0.12));
  g.addColorStop(1, shade(color, -0.12));
  c.fillStyle = g;
  c.beginPath();
  c.moveTo(-2, H);
  for (let x = -2; x <= W + 2; x += 3) c.lineTo(x, at(x));
  c.lineTo(W + 2, H);
  c.fill();
  return at;
}

// each calls draw(x, r, i) for n places along the tile, and again beyond each
// edge so that what crosses an edge is whole.
export function each(n, draw) {
  for (let i = 0; i < n; i++) {
    const x = ((i + 0.5 + (noise(i) - 0.5) * 0.6) / n) * W;
    for (const dx of [-W, 0, W]) draw(x + dx, noise(i + 40), i);
  }
}

export function triangle(c, x, y, w, h) {
  c.beginPath();
  c.moveTo(x - w, y);
  c.lineTo(x, y - h);
  c.lineTo(x + w, y);
  c.fill();
}

export function disc(c, x, y, r, color) {
  c.fillStyle = color;
  c.beginPath();
  c.arc(x, y, r, 0, TAU);
  c.fill();
}
