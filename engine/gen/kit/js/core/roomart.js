// Draws rooms that are seen from above, their map, and what is said in them.
import { W, H } from './field.js';
import { centre } from './board.js';
import { DIRS } from './rooms.js';
import { fit, wrap } from './text.js';
import { hash } from './math.js';

const COMPASS = [['nw', 'n', 'ne'], ['w', '', 'e'], ['sw', 's', 'se']];

/** @param {DrawList} d @param {GameState} s @param {Grid} g */
export function drawRoom(d, s, g, mid, locked) {
  const room = s.rooms[s.room];
  const side = g.size * g.cols;
  d.box(g.x, g.y + 6, side, side, 'shade', { radius: 14, alpha: 0.35 });
  d.box(g.x, g.y, side, side, 'ground', { radius: 14, stroke: 'ink', width: 3 });
  d.box(g.x + g.size, g.y + g.size, side - 2 * g.size, side - 2 * g.size, 'groundTop');
  for (let i = 0; i < 24; i++) { // marks on the floor
    const h = hash(s.room * 31 + i);
    const at = centre(g, 1 + Math.floor(h * 9), 1 + Math.floor(hash(i * 7 + s.room) * 9));
    d.disc(at.x + h * 20 - 10, at.y + 10, 3 + h * 4, 'ground', { alpha: 0.3 });
  }
  room.doors.forEach((to, k) => { if (to >= 0) drawDoor(d, g, mid, k, locked(k)); });
  for (const cell of room.blocks) {
    const at = centre(g, cell);
    d.box(at.x - g.size / 2 + 2, at.y - g.size / 2 + 5, g.size - 4, g.size - 5, 'block',
      { radius: 9, stroke: 'ink', width: 2 });
    d.box(at.x - g.size / 2 + 4, at.y - g.size / 2, g.size - 8, g.size * 0.6, 'blockLight', { radius: 9 });
  }
  for (const cell of room.coins) {
    const at = centre(g, cell);
    d.sprite('pickup', at.x, at.y + Math.sin(s.t * 4 + cell) * 3, 34);
  }
  drawKind(d, s, room, centre(g, mid, mid));
  if (room.foe) d.sprite('hazard', room.foe.x, room.foe.y - Math.abs(Math.sin(s.t * 6)) * 5, 48);
}

function drawDoor(d, g, mid, k, shut) {
  const at = centre(g, mid + DIRS[k][0] * mid, mid + DIRS[k][1] * mid);
  const half = g.size / 2;
  d.box(at.x - half, at.y - half, g.size, g.size, 'groundTop');
  if (!shut) {
    const x = at.x + DIRS[k][0] * 4;
    const y = at.y + DIRS[k][1] * 4;
    const [dx, dy] = DIRS[k];
    d.poly([
      [x + dx * 9, y + dy * 9], [x - dx * 5 + dy * 9, y - dy * 5 + dx * 9], [x - dx * 5 - dy * 9, y - dy * 5 - dx * 9],
    ], 'accent', { alpha: 0.9 });
    return;
  }
  d.box(at.x - half + 2, at.y - half + 2, g.size - 4, g.size - 4, '#7a4a24', { radius: 5, stroke: 'ink', width: 3 });
  d.ring(at.x, at.y - 5, 7, 4, '#ffd23f');
  d.box(at.x - 10, at.y - 4, 20, 16, '#ffd23f', { radius: 4, stroke: 'ink', width: 2 });
}

function drawKind(d, s, room, at) {
  if (room.kind === 'person') {
    d.sprite('person', at.x, at.y - 6 + Math.sin(s.t * 2) * 2, 58);
    if (s.has !== 'key' && !s.unlocked) {
      d.disc(at.x + 30, at.y - 36, 20, 'panel', { stroke: 'ink', width: 2 });
      d.sprite('item' + s.item, at.x + 30, at.y - 36, 28);
    }
  } else if (room.kind === 'chest') {
    d.box(at.x - 20, at.y - 8, 40, 26, '#8a5a2b', { radius: 5, stroke: 'ink', width: 3 });
    d.box(at.x - 20, at.y - (s.opened ? 26 : 18), 40, s.opened ? 12 : 14, '#a9713a',
      { radius: 6, stroke: 'ink', width: 3 });
    if (!s.opened) d.box(at.x - 5, at.y - 8, 10, 11, '#ffd23f', { radius: 3, stroke: 'ink', width: 2 });
  } else if (room.kind === 'end') {
    d.sprite('glow', at.x, at.y, 170, { tint: 'accent', alpha: 0.7 });
    d.sprite('pickup', at.x, at.y + Math.sin(s.t * 3) * 5, 78, { rot: Math.sin(s.t * 2) * 0.1 });
  }
}

// drawMap shows the rooms that were seen, and what the hero has with it.
/** @param {DrawList} d @param {GameState} s @param {number} x @param {number} y */
export function drawMap(d, s, x, y) {
  d.box(x - 6, y - 4, 62, 48, 'shade', { radius: 8, alpha: 0.5 });
  s.rooms.forEach((room, i) => {
    const beside = room.doors.some((to) => to >= 0 && s.rooms[to].seen);
    if (!room.seen && !beside) return;
    const color = i === s.room ? 'accent' : room.seen ? 'text' : 'far';
    d.box(x + room.x * 10, y + room.y * 8, 8, 6, color, { radius: 2, alpha: room.seen ? 1 : 0.6 });
  });
  if (!s.has) return;
  d.disc(W / 2, 126, 20, 'panel', { stroke: 'ink', width: 2 });
  if (s.has === 'item') d.sprite('item' + s.item, W / 2, 126, 30);
  else drawKey(d, W / 2, 126);
}

function drawKey(d, x, y) {
  d.ring(x - 6, y, 6, 4, '#e0a800');
  d.line(x, y, x + 13, y, 4, '#e0a800');
  for (const k of [6, 12]) d.line(x + k, y, x + k, y + 6, 4, '#e0a800');
}

// drawSpeech shows what was said last.
/** @param {DrawList} d @param {GameState} s */
export function drawSpeech(d, s) {
  const text = spoken(s);
  if (!text) return;
  const lines = wrap(text, 34).slice(0, 3);
  const size = Math.min(23, ...lines.map((l) => fit(l, 23, W - 72)));
  const tall = 30 + lines.length * 27;
  d.box(20, H - 116, W - 40, tall, 'panel', { radius: 18, stroke: 'accent', width: 3, alpha: 0.97 });
  lines.forEach((l, i) =>
    d.text(l, W / 2, H - 116 + tall / 2 + (i - (lines.length - 1) / 2) * 27, size, { color: 'panelText' }));
}

function spoken(s) {
  const text = s.cfg.labels[s.say];
  if (!text || (s.said > 6 && s.say !== 'want')) return '';
  const here = s.rooms.find((r) => r.kind === 'person');
  const chest = s.rooms.find((r) => r.kind === 'chest');
  const side = COMPASS[1 + Math.sign(chest.y - here.y)][1 + Math.sign(chest.x - here.x)];
  return text.replace('{item}', s.cfg.labels['item' + s.item] || '').replace('{where}', s.cfg.labels[side] || '');
}
