// A path that winds through cells, and towers beside it.
import { between, clamp } from './world.js';

// wind lays a path from side to side, and the spots along it.
export function wind(s, cols, rows) {
  let c = Math.floor(between(s, 1, 7));
  s.path = [[c, -1], [c, 1]];
  for (const r of [1, 3, 5]) {
    c = c < 4 ? Math.floor(between(s, 5, 8)) : Math.floor(between(s, 0, 3));
    s.path.push([c, r], [c, r === 5 ? 7 : r + 2]);
  }
  s.walk = []; // cells of the path in their order
  s.path.slice(1).forEach(([x, y], i) => {
    const [px, py] = s.path[i];
    const n = Math.abs(x - px) + Math.abs(y - py);
    for (let k = i ? 1 : 0; k <= n; k++) s.walk.push([px + ((x - px) / n) * k, py + ((y - py) / n) * k]);
  });
  const on = (i) => s.walk.some(([x, y]) => y * cols + x === i && y >= 0);
  const beside = (i) => s.walk.some(([x, y]) => Math.abs(x - (i % cols)) + Math.abs(y - Math.floor(i / cols)) === 1);
  s.spots = Array.from({ length: cols * rows }, (_, i) => i).filter((i) => !on(i) && beside(i));
}

// onPath is the place at a distance from the start of the path, in cells.
export function onPath(s, p, board) {
  const i = clamp(Math.floor(p), 0, s.walk.length - 2);
  const [a, b] = [s.walk[i], s.walk[i + 1]];
  const k = Math.min(p - i, 1);
  return {
    x: board.x + (a[0] + (b[0] - a[0]) * k + 0.5) * board.size,
    y: board.y + (a[1] + (b[1] - a[1]) * k + 0.5) * board.size,
  };
}

export function drawTower(d, x, y, kind, level, a, pulse, color) {
  d.disc(x, y + 4, 22, 'shade', { alpha: 0.35 });
  d.disc(x, y, 21, '#8f96a3', { stroke: 'ink', width: 2.5 });
  if (kind < 2) {
    d.line(x, y, x + Math.cos(a) * (24 - 4 * pulse), y + Math.sin(a) * (24 - 4 * pulse), kind ? 15 : 8, 'ink');
  }
  d.disc(x, y, 13, color, { stroke: 'ink', width: 2.5 });
  if (kind === 2) {
    d.poly([[x, y - 19 - 4 * pulse], [x + 9, y - 4], [x, y + 8], [x - 9, y - 4]], '#dff6ff',
      { stroke: 'ink', width: 2 });
  }
  for (let k = 0; k < level; k++) {
    d.disc(x + (k - (level - 1) / 2) * 10, y + 19, 4, '#ffd23f', { stroke: 'ink', width: 1.5 });
  }
}
