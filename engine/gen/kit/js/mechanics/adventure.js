// Adventure: rooms to walk through. Someone misses a thing, which is in a chest
// that is guarded; who brings it back gets the key of the last room.
import {
  W, STEP, base, tick, gain, hurt, note, clear, heat, random, choose, chance, blink, hypot, near, clamp,
} from '../core/world.js';
import { grid, centre, cellAt } from '../core/board.js';
import { reach, DIRS, opposite, grow, leaves, distances } from '../core/rooms.js';
import { drawRoom, drawMap, drawSpeech } from '../core/roomart.js';

export { distances };

export const meta = {
  id: 'adventure', scroll: 'none', controls: 'stick',
  extra: {
    person: { body: 'egg', features: ['hat'], color: '#7e6bd6' }, item1: { art: 'flower', color: '#f06fa5' },
    item2: { art: 'gift', color: '#e5484d' }, item3: { art: 'gem', color: '#38b6c8' },
  },
};

export const N = 11; // cells of a room's side
export const MID = 5;
export const board = grid(N, N, 152, 128);
const R = 15;

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  build(s);
  return s;
}

// build makes the map of a chapter: a tree of rooms, the last of them locked.
function build(s) {
  do grow(s, (s.cfg.params.rooms || 8) + Math.min(4, s.level - 1)); while (leaves(s).length < 2);
  const far = distances(s, 0);
  const ends = leaves(s).sort((a, b) => far[b] - far[a]);
  s.rooms[ends[0]].kind = 'end';
  s.rooms[ends[1]].kind = 'chest';
  const free = s.rooms.map((_, i) => i).filter((i) => i > 0 && !s.rooms[i].kind).sort((a, b) => far[a] - far[b]);
  s.rooms[free[0]].kind = 'person';
  s.item = 1 + Math.floor(random(s) * 3);
  s.has = ''; // 'item', then 'key'
  s.opened = false; // the chest
  s.unlocked = false; // the last door
  s.rooms.forEach((room, i) => furnish(s, room, i));
  Object.assign(s, { room: 0, face: 1, path: [], from: -1, said: 0, say: 'start', walking: false });
  place(s, -1);
  s.rooms[0].seen = 1;
}

// furnish puts blocks where they close nothing off, coins, and who walks there.
function furnish(s, room, i) {
  const spots = [2, 3, 7, 8];
  for (const r of spots) {
    for (const c of spots) if (room.kind !== 'chest' && chance(s, 0.4)) room.blocks.push(r * N + c);
  }
  const open = [1, 4, 6, 9];
  while (room.coins.length < 3) {
    const cell = choose(s, open) * N + choose(s, open);
    if (!room.coins.includes(cell)) room.coins.push(cell);
  }
  if (room.kind === 'chest') room.foe = { ring: true, at: 0, x: 0, y: 0 };
  else if (i > 0 && room.kind !== 'person' && chance(s, 0.3 * s.cfg.density * heat(s))) {
    room.foe = { ring: false, row: choose(s, [4, 6]), at: random(s) * 16, x: 0, y: 0 };
  }
  if (room.foe) patrol(s, room.foe, 0);
}

// solid tells whether nobody can stand on a cell of the room.
export function solid(s, cell) {
  const room = s.rooms[s.room];
  const c = cell % N;
  const r = Math.floor(cell / N);
  if (cell < 0 || c < 0 || r < 0 || r >= N) return true;
  if (cell === MID * N + MID && (room.kind === 'person' || room.kind === 'chest')) return true;
  if (c > 0 && r > 0 && c < N - 1 && r < N - 1) return room.blocks.includes(cell);
  const k = doorOf(cell);
  return k < 0 || room.doors[k] < 0;
}

// doorOf returns which side's door a cell is, -1 for none. doorCell is the other
// way round.
export function doorOf(cell) { return [0, 1, 2, 3].find((k) => doorCell(k) === cell) ?? -1; }
export function doorCell(k) { return (MID + DIRS[k][1] * MID) * N + MID + DIRS[k][0] * MID; }
export function locked(s, k) {
  const to = s.rooms[s.room].doors[k];
  return to >= 0 && s.rooms[to].kind === 'end' && !s.unlocked;
}

// place puts the hero at the door that it came by, or in the middle.
function place(s, k) {
  const at = centre(board, k < 0 ? (MID + 2) * N + MID : doorCell(k) - DIRS[k][0] - DIRS[k][1] * N);
  s.x = at.x;
  s.y = at.y;
  s.from = k;
  s.path = [];
}

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  if (s.over) return;
  s.said += STEP;
  walk(s, input);
  const room = s.rooms[s.room];
  if (room.foe) {
    patrol(s, room.foe, STEP);
    if (near(s.x, s.y, room.foe.x, room.foe.y, 34) && hurt(s, s.x, s.y) && !s.over) place(s, s.from);
  }
  meet(s, room);
}

function patrol(s, foe, dt) {
  const hunts = s.cfg.params.foes === 1 && !foe.ring && dt > 0; // it goes where the hero is, on its own row
  const v = dt * 2.6 * s.cfg.speed * Math.sqrt(heat(s));
  const mine = foe.at < 8 ? foe.at : 16 - foe.at;
  foe.at = hunts ? clamp(mine + clamp((s.x - board.x) / board.size - 1.5 - mine, -v, v), 0, 8) : foe.at + v;
  if (foe.ring) { // around the chest, two cells away
    const at = foe.at % 16;
    const side = Math.floor(at / 4);
    const along = at % 4 - 2;
    const [c, r] = [[along, -2], [2, along], [-along, 2], [-2, -along]][side];
    foe.x = board.x + (MID + 0.5 + c) * board.size;
    foe.y = board.y + (MID + 0.5 + r) * board.size;
    return;
  }
  const at = foe.at % 16;
  foe.x = board.x + (1.5 + (at < 8 ? at : 16 - at)) * board.size;
  foe.y = board.y + (foe.row + 0.5) * board.size;
}

function walk(s, input) {
  if (input.tapped && input.x !== null && input.y !== null) {
    s.path = reach(s, cellAt(board, clamp(input.x, board.x + 1, board.x + N * board.size - 1), input.y), solid, N,
      cellAt(board, s.x, s.y));
  }
  let dx = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  let dy = (input.duck ? 1 : 0) - (input.up ? 1 : 0);
  const speed = 215 * s.cfg.speed * STEP;
  if (dx || dy) s.path = [];
  else if (s.path.length) {
    const to = centre(board, s.path[0]);
    const far = hypot(to.x - s.x, to.y - s.y);
    if (far <= speed) {
      s.x = to.x;
      s.y = to.y;
      const k = doorOf(s.path.shift());
      if (k >= 0 && s.path.length === 0) leave(s, k);
      return;
    }
    dx = (to.x - s.x) / far;
    dy = (to.y - s.y) / far;
  }
  s.walking = Boolean(dx || dy);
  if (!s.walking) return;
  if (dx) s.face = dx < 0 ? -1 : 1;
  const k = dx && dy && !s.path.length ? 0.7071 : 1;
  slide(s, dx * k * speed, dy * k * speed);
}

// slide moves along walls, and through a door.
function slide(s, dx, dy) {
  const open = (x, y) => [-1, 1].every((i) => [-1, 1].every((j) => {
    const cell = cellAt(board, x + i * R, y + j * R);
    return cell < 0 || !solid(s, cell);
  }));
  if (open(s.x + dx, s.y)) s.x += dx;
  if (open(s.x, s.y + dy)) s.y += dy;
  if (s.walking && !dx !== !dy && !open(s.x + dx, s.y + dy)) { // into a door beside
    const to = centre(board, MID, MID);
    if (dx && Math.abs(s.y - to.y) < 30) s.y += Math.sign(to.y - s.y);
    if (dy && Math.abs(s.x - to.x) < 30) s.x += Math.sign(to.x - s.x);
  }
  const cell = cellAt(board, s.x, s.y);
  const k = doorOf(cell);
  if (k >= 0 && (DIRS[k][0] * dx > 0 || DIRS[k][1] * dy > 0)) leave(s, k);
}

function leave(s, k) {
  if (locked(s, k)) {
    if (s.has !== 'key') {
      place(s, k);
      tell(s, 'locked');
      return;
    }
    s.unlocked = true;
    s.has = '';
    gain(s, 5, s.x, s.y, 'perfect');
  }
  s.room = s.rooms[s.room].doors[k];
  place(s, opposite(k));
  s.safe = Math.max(s.safe, 30);
  const room = s.rooms[s.room];
  tell(s, room.kind === 'chest' && !s.opened ? 'guard' : room.kind === 'end' ? 'end' : '');
  if (room.seen) return;
  room.seen = 1;
  gain(s, 1, s.x, s.y);
}

function tell(s, what) {
  if (s.say !== what) note(s, 'talk');
  s.say = what;
  s.said = 0;
}

// meet is what happens where the hero is.
function meet(s, room) {
  const cell = cellAt(board, s.x, s.y);
  const coin = room.coins.indexOf(cell);
  if (coin >= 0) {
    room.coins.splice(coin, 1);
    gain(s, 1, s.x, s.y);
  }
  const mid = centre(board, MID, MID);
  if (!room.kind || !near(s.x, s.y, mid.x, mid.y, 58)) return;
  if (room.kind === 'person' && s.has === 'item') {
    s.has = 'key';
    gain(s, 5, mid.x, mid.y, 'perfect');
    tell(s, 'thanks');
  } else if (room.kind === 'person' && s.say !== 'want' && s.say !== 'thanks') tell(s, s.opened ? 'thanks' : 'want');
  else if (room.kind === 'chest' && !s.opened) {
    s.opened = true;
    s.has = 'item';
    gain(s, 5, mid.x, mid.y, 'perfect');
    tell(s, 'found');
  } else if (room.kind === 'end') {
    gain(s, 10, mid.x, mid.y, 'perfect');
    clear(s);
    if (!s.over) build(s);
  }
}

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  drawRoom(d, s, board, MID, (k) => locked(s, k));
  drawMap(d, s, W - 64, 102);
  if (blink(s)) {
    d.sprite('hero', s.x, s.y - 6 - (s.walking || s.path.length ? Math.abs(Math.sin(s.t * 12)) * 5 : 0),
      46 * Math.sqrt(s.cfg.size), { sx: s.face });
  }
  drawSpeech(d, s);
}
