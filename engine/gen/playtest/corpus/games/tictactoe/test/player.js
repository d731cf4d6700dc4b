// A player of Three in a row: completes, blocks, else takes the middle or a corner.
const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

export function act(s) {
  if (s.turn !== 'x') return null;
  const pair = (who) => LINES.find((l) => l.filter((i) => s.cells[i] === who).length === 2 && l.some((i) => !s.cells[i]));
  const line = pair('x') || pair('o');
  const i = line ? line.find((j) => !s.cells[j]) : [4, 0, 2, 6, 8, 1, 3, 5, 7].find((j) => !s.cells[j]);
  return { tap: true, x: 100 + (i % 3) * 140, y: 250 + Math.floor(i / 3) * 140 };
}
