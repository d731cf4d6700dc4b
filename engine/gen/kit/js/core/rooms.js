// Ways through rooms of cells that are seen from above.
import { random } from './world.js';

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

const SIZE = 5; // of the map, in rooms

// grow makes a tree of rooms.
export function grow(s, n) {
  s.rooms = [newRoom(2, 2)];
  while (s.rooms.length < n) {
    const i = Math.floor(random(s) * s.rooms.length);
    const k = Math.floor(random(s) * 4);
    const x = s.rooms[i].x + DIRS[k][0];
    const y = s.rooms[i].y + DIRS[k][1];
    if (x < 0 || y < 0 || x >= SIZE || y >= SIZE || s.rooms.some((r) => r.x === x && r.y === y)) continue;
    s.rooms.push(newRoom(x, y));
    s.rooms[i].doors[k] = s.rooms.length - 1;
    s.rooms[s.rooms.length - 1].doors[opposite(k)] = i;
  }
}

export function newRoom(x, y) {
  return { x, y, doors: [-1, -1, -1, -1], kind: '', blocks: [], coins: [], foe: null, seen: 0 };
}
export function leaves(s) {
  return s.rooms.map((_, i) => i).filter((i) => i > 0 && s.rooms[i].doors.filter((d) => d >= 0).length === 1);
}

export function distances(s, from) {
  const far = s.rooms.map(() => -1);
  far[from] = 0;
  const queue = [from];
  for (const i of queue) for (const d of s.rooms[i].doors) {
    if (d < 0 || far[d] >= 0) continue;
    far[d] = far[i] + 1;
    queue.push(d);
  }
  return far;
}
