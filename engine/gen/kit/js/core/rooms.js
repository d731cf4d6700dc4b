// Ways through rooms of cells that are seen from above.

export const DIRS = [[-1, 0], [1, 0], [0, -1], [0, 1]]; // left, right, up, down
export function opposite(k) { return k ^ 1; }

// reach returns the cells on the shortest way to a cell, or to the one beside it
// that is next if nobody can stand there.
export function reach(s, to, solid, n, start) {
  if (to < 0 || start < 0) return [];
  const from = new Map([[start, -1]]);
  const queue = [start];
  const far = (cell) => Math.abs((cell % n) - (to % n)) + Math.abs(Math.floor(cell / n) - Math.floor(to / n));
  let best = start;
  for (const cell of queue) {
    if (far(cell) < far(best)) best = cell;
    if (cell === to) break;
    for (const [dx, dy] of DIRS) {
      const c = (cell % n) + dx;
      const next = cell + dx + dy * n;
      if (c < 0 || c >= n || next < 0 || next >= n * n || from.has(next) || solid(s, next)) continue;
      from.set(next, cell);
      queue.push(next);
    }
  }
  const path = [];
  for (let cell = best; cell !== start; cell = from.get(cell)) path.unshift(cell);
  return path;
}
