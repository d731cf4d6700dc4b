// The board of falling blocks: what the game and its player know of it.
export const COLS = 10;
export const ROWS = 18;

export const cells = (piece) => piece.shape.map(([x, y]) => [x + piece.x, y + piece.y]);

export function free(s, piece) {
  return cells(piece).every(([x, y]) => x >= 0 && x < COLS && y >= 0 && y < ROWS && s.grid[y][x] < 0);
}

// turned is a shape after a quarter of a turn.
export function turned(shape) {
  const high = Math.max(...shape.map(([, y]) => y));
  return shape.map(([x, y]) => [high - y, x]);
}

// landing is the row in which a piece comes to lie.
export function landing(s, piece) {
  let y = piece.y;
  while (free(s, { ...piece, y: y + 1 })) y++;
  return y;
}
