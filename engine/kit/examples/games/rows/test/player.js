// A player of three in a row: completes, blocks, else takes the middle, a corner, an edge.
import { winning } from '../src/lines.js';

export function act(s) {
  if (s.turn !== 'x') return null;
  const own = winning(s.cells, 'x');
  const threat = winning(s.cells, 'o');
  const i = own >= 0 ? own : threat >= 0 ? threat : [4, 0, 8, 2, 6, 1, 3, 5, 7].find((j) => !s.cells[j]);
  return { tap: true, x: 100 + (i % 3) * 140, y: 220 + Math.floor(i / 3) * 140 };
}
