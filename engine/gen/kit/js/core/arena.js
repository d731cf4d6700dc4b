// The maze of a chase, and the ways through it.

// The left half of the maze; the right one mirrors it. # wall, . dot, o power
// dot, - door, h house.
export const HALF = [
  '########', '#......#', '#o##.#.#', '#.......', '#.##.#.#', '#....#.#', '####.#. ',
  '####.##-', '    .#hh', '####.###', '####.   ', '####.###', '#......#', '#.##.#.#',
  '#o.#... ', '##.#.#.#', '#....#.#', '#.####.#', '#.......', '########',
];
export const COLS = 15;
export const ROWS = HALF.length;
export const MAZE = HALF.map((r) => r + r.slice(0, 7).split('').reverse().join('')).join('');
export const DIRS = { left: -1, right: 1, up: -COLS, down: COLS };
export const BACK = { left: 'right', right: 'left', up: 'down', down: 'up' };
export const DOTS = MAZE.split('').filter((c) => c === '.' || c === 'o').length;

// on is the cell next to one; the tunnel's ends are joined.
export function on(cell, dir) {
  const c = cell % COLS;
  if (dir === 'left' && c === 0) return cell + COLS - 1;
  if (dir === 'right' && c === COLS - 1) return cell - COLS + 1;
  return cell + DIRS[dir];
}

export function open(cell) { return MAZE[cell] !== '#' && MAZE[cell] !== '-' && MAZE[cell] !== 'h'; }
// NEXT are the ways out of each cell.
export const NEXT = Array.from(MAZE,
  (_, cell) =>
    Object.keys(DIRS).filter((dir) => open(cell) && open(on(cell, dir))).map((dir) => ({ dir, to: on(cell, dir) })));
