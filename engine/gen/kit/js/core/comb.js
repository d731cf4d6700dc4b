// Bubbles that hang in rows, each between two of the row above.
import { W } from './world.js';

export const COLS = 12; // of even rows; odd ones have one less
export const ROWS = 13;
export const R = W / COLS / 2;
export const HIGH = R * 1.732;
export const GIFT = 10; // added to the colour of a bubble with something good in it

export function there(i) {
  return i >= 0 && i < COLS * ROWS && (Math.floor(i / COLS) % 2 === 0 || i % COLS < COLS - 1);
}

// NEAR are the cells around each.
export const NEAR = Array.from({ length: COLS * ROWS }, (_, i) => {
  const r = Math.floor(i / COLS);
  const c = i % COLS;
  const k = r % 2 ? 0 : -1;
  return [[r, c - 1], [r, c + 1], [r - 1, c + k], [r - 1, c + k + 1], [r + 1, c + k], [r + 1, c + k + 1]]
    .filter(([y, x]) => y >= 0 && y < ROWS && x >= 0 && x < COLS - (y % 2)).map(([y, x]) => y * COLS + x);
});

// alike returns the group of a cell's colour.
export function alike(s, i, hue) {
  const group = [i];
  for (const cell of group) {
    for (const n of NEAR[cell]) if (s.cells[n] >= 0 && s.cells[n] % GIFT === hue && !group.includes(n)) group.push(n);
  }
  return group;
}

// hanging returns what no chain of bubbles ties to the ceiling.
export function hanging(s) {
  const held = s.cells.map((c, i) => (c >= 0 && i < COLS ? i : -1)).filter((i) => i >= 0);
  const seen = new Set(held);
  for (const cell of held) {
    for (const n of NEAR[cell]) {
      if (s.cells[n] >= 0 && !seen.has(n)) held.push(n);
      if (s.cells[n] >= 0) seen.add(n);
    }
  }
  return s.cells.map((c, i) => (c >= 0 && !seen.has(i) ? i : -1)).filter((i) => i >= 0);
}
