// A player of falling blocks: low, without holes, full rows first.
import { COLS, ROWS, free, cells, turned, landing } from '../src/board.js';

function worth(s, piece) {
  const grid = s.grid.map((row) => row.slice());
  for (const [x, y] of cells(piece)) grid[y][x] = 1;
  let value = 0;
  for (const row of grid) if (!row.includes(-1)) value += 60;
  for (let x = 0; x < COLS; x++) {
    const top = grid.findIndex((row) => row[x] >= 0);
    for (let y = top < 0 ? ROWS : top; y < ROWS; y++) if (grid[y][x] < 0) value -= 12;
  }
  return value + cells(piece).reduce((sum, [, y]) => sum + y, 0);
}

// goal is the best place of a piece: how often it is turned, and its column.
function goal(s) {
  let best = { value: -Infinity, turns: 0, x: s.piece.x };
  let shape = s.piece.shape;
  for (let turns = 0; turns < 4; turns++, shape = turned(shape)) {
    for (let x = 0; x < COLS; x++) {
      const piece = { ...s.piece, shape, x };
      if (!free(s, piece)) continue;
      const value = worth(s, { ...piece, y: landing(s, piece) });
      if (value > best.value) best = { value, turns, x };
    }
  }
  return best;
}

let seen = -9;

export function act(s) {
  if (!s.piece || s.outcome || ++seen % 6 !== 0) return null;
  const { turns, x } = goal(s);
  if (turns > 0) return { move: 'up' };
  if (x !== s.piece.x) return { move: x < s.piece.x ? 'left' : 'right' };
  return { move: 'down' };
}
