// The 3D counterpart of the draw list: a camera and solid shapes, as plain
// commands. y is up, z comes towards the viewer; sizes are in metres.
import { W, H } from './field.js';
import { sin, cos, hypot } from './math.js';

/** @returns {SceneList} */
export function sceneList() {
  /** @type {any} */
  const list = { cmds: [], camera: null };
  const add = (cmd, opt) => { list.cmds.push(Object.assign(cmd, opt)); };
  list.reset = () => { list.cmds.length = 0; };
  // hide takes the figures of a name out again.
  list.hide = (name) => { list.cmds = list.cmds.filter((cmd) => cmd.name !== name); };
  // view sets the camera: {x, y, z, tx, ty, tz, fov (degrees, vertical)}.
  list.view = (camera) => { list.camera = camera; };
  // box: x, y, z is its middle; opt: rx, ry, rz (radians), alpha, glow.
  list.box = (x, y, z, w, h, d, color, opt) => add({ k: 'box', x, y, z, w, h, d, color }, opt);
  list.ball = (x, y, z, r, color, opt) => add({ k: 'ball', x, y, z, w: r * 2, h: r * 2, d: r * 2, color }, opt);
  // cone and post stand on y.
  list.cone = (x, y, z, r, h, color, opt) => add({ k: 'cone', x, y: y + h / 2, z, w: r * 2, h, d: r * 2, color }, opt);
  list.post = (x, y, z, r, h, color, opt) => add({ k: 'post', x, y: y + h / 2, z, w: r * 2, h, d: r * 2, color }, opt);
  // figure is a painted figure that faces the camera, its feet on y.
  list.figure = (name, x, y, z, size, opt) => add({ k: 'figure', name, x, y: y + size / 2, z, size }, opt);
  // shadow is a dark spot on the ground.
  list.shadow = (x, y, z, r) =>
    add({ k: 'shadow', x, y: y + 0.02, z, w: r * 2, h: 1, d: r * 2, color: 'shade', alpha: 0.35 });
  return list;
}

// project returns where the camera shows a point of the scene, in the field.
/** @param {Camera} c @param {number} x @param {number} y @param {number} z @returns {[number, number]} */
export function project(c, x, y, z) {
  const f = unit([c.tx - c.x, c.ty - c.y, c.tz - c.z]);
  const r = unit([-f[2], 0, f[0]]);
  const u = [r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]];
  const p = [x - c.x, y - c.y, z - c.z];
  const dot = (a) => a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
  const half = (c.fov * Math.PI) / 360;
  const k = ((H / 2) * cos(half)) / sin(half) / Math.max(0.1, dot(f));
  return [W / 2 + dot(r) * k, H / 2 - dot(u) * k];
}

function unit(v) {
  const n = hypot(hypot(v[0], v[1]), v[2]) || 1;
  return [v[0] / n, v[1] / n, v[2] / n];
}
