// The pieces of falling blocks.

// Pieces in the box that they turn in, with their usual colours.
export const PIECES = {
  I: { n: 4, color: '#2fc6ee', cells: [[0, 1], [1, 1], [2, 1], [3, 1]] },
  O: { n: 2, color: '#f7d21b', cells: [[0, 0], [1, 0], [0, 1], [1, 1]] },
  T: { n: 3, color: '#b04fd0', cells: [[1, 0], [0, 1], [1, 1], [2, 1]] },
  S: { n: 3, color: '#4cc247', cells: [[1, 0], [2, 0], [0, 1], [1, 1]] },
  Z: { n: 3, color: '#ef3340', cells: [[0, 0], [1, 0], [1, 1], [2, 1]] },
  J: { n: 3, color: '#4066e0', cells: [[0, 0], [0, 1], [1, 1], [2, 1]] },
  L: { n: 3, color: '#f5862a', cells: [[2, 0], [0, 1], [1, 1], [2, 1]] },
};
// Where a turned piece may give way to, in turn.
export const KICKS = [[0, 0], [-1, 0], [1, 0], [0, -1], [-1, -1], [1, -1], [-2, 0], [2, 0], [0, -2]];
