// Plays the adventure: it does what it was told, and else looks into rooms that
// it has not seen.
import { MID, N, board, distances, doorCell, locked } from '../mechanics/adventure.js';
import { centre } from '../core/board.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  const room = s.rooms[s.room];
  const foe = room.foe;
  const mid = centre(board, MID, MID);
  if (foe && danger(s, foe)) {
    const dx = s.x - foe.x;
    const dy = s.y - foe.y;
    return Math.abs(dx) > Math.abs(dy) ? { left: dx < 0, right: dx >= 0 } : { up: dy < 0, duck: dy >= 0 };
  }
  if (s.path.length || Math.round(s.t * 60) % 4) return null;
  const at = goal(s, room);
  if (at.k !== undefined) return go(doorCell(at.k));
  if (at.mid) return { tap: true, x: mid.x, y: mid.y };
  return go(at.cell);
}

function go(cell) { return Object.assign({ tap: true }, centre(board, cell)); }

// danger tells whether the guardian is near and comes nearer.
function danger(s, foe) {
  const far = (x, y) => (s.x - x) ** 2 + (s.y - y) ** 2;
  return far(foe.x, foe.y) < 62 * 62;
}

function goal(s, room) {
  if (room.kind === 'end') return { mid: true };
  if (room.kind === 'chest' && !s.opened) return { mid: true };
  if (room.kind === 'person' && (s.has === 'item' || (!s.opened && s.say !== 'want'))) return { mid: true };
  if (room.coins.length) return { cell: room.coins.reduce((a, b) => (away(s, b) < away(s, a) ? b : a)) };
  const wanted = (r, i) => {
    const known = r.seen || r.doors.some((to) => to >= 0 && s.rooms[to].seen);
    if (!known || i === s.room) return false;
    if (s.has === 'item' && r.seen && r.kind === 'person') return true;
    if (r.kind === 'end') return s.has === 'key' || s.unlocked;
    return !r.seen;
  };
  const aims = s.rooms.map((r, i) => i).filter((i) => wanted(s.rooms[i], i));
  const far = distances(s, s.room);
  const first = (i) =>
    (s.rooms[i].kind === 'end' || s.rooms[i].kind === 'person' && s.rooms[i].seen ? 0 : 100) + far[i];
  const aim = aims.sort((a, b) => first(a) - first(b))[0];
  if (aim === undefined) return { cell: MID * N + MID + 2 };
  const back = distances(s, aim);
  return { k: [0, 1, 2, 3].find((k) =>
    room.doors[k] >= 0 && back[room.doors[k]] < back[s.room] && (!locked(s, k) || s.has === 'key')) };
}

function away(s, cell) { const at = centre(board, cell); return (at.x - s.x) ** 2 + (at.y - s.y) ** 2; }
