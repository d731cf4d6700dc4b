// The draw list: all that a frame shows, as plain commands that any renderer
// can draw. Positions are in the field; colours are roles of the palette or
// #rrggbb. What a 3D mechanic shows behind it is in list.scene.
import { sceneList } from './scene.js';

/** @returns {DrawList} */
export function drawList() {
  /** @type {any} */
  const list = { cmds: [], dx: 0, dy: 0, scene: sceneList() };
  const add = (cmd, opt) => { list.cmds.push(Object.assign(cmd, opt)); };
  list.reset = () => { list.cmds.length = 0; list.dx = 0; list.dy = 0; list.scene.reset(); };
  // shift moves what follows, for a shaking camera.
  list.shift = (dx, dy) => { list.dx = dx; list.dy = dy; };
  // sprite: size is its height; opt: rot (radians), sx, sy, alpha, tint.
  list.sprite = (name, x, y, size, opt) => add({ k: 'sprite', name, x: x + list.dx, y: y + list.dy, size }, opt);
  // box: x, y is its top left corner; opt: radius, alpha, stroke, width.
  list.box = (x, y, w, h, color, opt) => add({ k: 'box', x: x + list.dx, y: y + list.dy, w, h, color }, opt);
  list.disc = (x, y, r, color, opt) => add({ k: 'disc', x: x + list.dx, y: y + list.dy, r, color }, opt);
  list.ring = (x, y, r, width, color, opt) => add({ k: 'ring', x: x + list.dx, y: y + list.dy, r, width, color }, opt);
  list.line = (x1, y1, x2, y2, width, color, opt) =>
    add({ k: 'line', x1: x1 + list.dx, y1: y1 + list.dy, x2: x2 + list.dx, y2: y2 + list.dy, width, color }, opt);
  // poly: points is [[x, y], ...], convex.
  list.poly = (points, color, opt) =>
    add({ k: 'poly', points: points.map((p) => [p[0] + list.dx, p[1] + list.dy]), color }, opt);
  // text is centred on x, y; opt: color, outline, alpha, scale, align, role.
  list.text = (text, x, y, size, opt) =>
    add({ k: 'text', text: String(text), x: x + list.dx, y: y + list.dy, size }, opt);
  return list;
}
