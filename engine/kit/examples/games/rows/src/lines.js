// The lines of three of the board, for the game and its player.
export const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

// winning is the cell that completes a line of someone, -1 without one.
export function winning(cells, who) {
  const line = LINES.find((l) => l.filter((i) => cells[i] === who).length === 2 && l.some((i) => !cells[i]));
  return line ? line.find((i) => !cells[i]) : -1;
}
