// What a frame shows that lies between two steps: everything between the places
// that it had at both.
import { lerp } from './math.js';

const FAR = 32; // units: what moves further in a step has jumped, and is shown where it is
const FAR_3D = 2; // metres
const TURN = 0.6; // radians
const AXES = ['x', 'y', 'z', 'x1', 'y1', 'x2', 'y2'];
const TURNS = ['rot', 'rx', 'ry', 'rz'];

function kind(c) { return c.k + ' ' + (c.name || c.role || c.text || '') + ' ' + (c.color || c.tint || ''); }

// distance is how far apart two commands of a kind are, along the axis where it is most.
function distance(a, b) {
  if (b.points) {
    if (a.points.length !== b.points.length) return Infinity;
    return Math.max(...b.points.map((p, i) =>
      Math.max(Math.abs(p[0] - a.points[i][0]), Math.abs(p[1] - a.points[i][1]))));
  }
  let most = 0;
  for (const axis of AXES) if (b[axis] !== undefined) most = Math.max(most, Math.abs(b[axis] - a[axis]));
  return most;
}

function grouped(cmds) {
  const groups = new Map();
  for (const c of cmds) {
    const key = kind(c);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(c);
  }
  return groups;
}

// pairs joins each command to what it was a step before, or to itself: by its place
// among those of its kind, and where their number has changed to the nearest.
function pairs(before, now, far) {
  const was = grouped(before);
  const is = grouped(now);
  const next = new Map();
  return now.map((b) => {
    const key = kind(b);
    const group = was.get(key) || [];
    const i = next.get(key) || 0;
    next.set(key, i + 1);
    const near = (best, c) => (best && distance(best, b) <= distance(c, b) ? best : c);
    const a = group.length === is.get(key).length ? group[i] : group.reduce(near, null);
    return [a && distance(a, b) < far ? a : b, b];
  });
}

function mix(a, b, alpha) {
  if (a === b) return b;
  const c = Object.assign({}, b);
  for (const axis of AXES) if (b[axis] !== undefined) c[axis] = lerp(a[axis], b[axis], alpha);
  for (const turn of TURNS) if (Math.abs(b[turn] - a[turn]) < TURN) c[turn] = lerp(a[turn], b[turn], alpha);
  if (b.points) {
    c.points = b.points.map((p, i) => [lerp(a.points[i][0], p[0], alpha), lerp(a.points[i][1], p[1], alpha)]);
  }
  return c;
}

function view(a, b, alpha) {
  if (!a || !b || Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z) > FAR_3D) return b;
  return Object.keys(b).reduce((c, key) => Object.assign(c, { [key]: lerp(a[key], b[key], alpha) }), {});
}

// motion watches a draw list that is composed after steps. keep(fresh) is called before
// a step: the list is fresh when it shows the state there is; compose(d) composes one.
export function motion(list, compose, empty) {
  const was = empty;
  let flat = null; // pairs of this step, once they are asked for
  let solid = null;
  return {
    keep(fresh) {
      flat = null;
      if (!fresh) {
        compose(was);
        return;
      }
      [was.cmds, list.cmds] = [list.cmds, was.cmds];
      [was.scene.cmds, list.scene.cmds] = [list.scene.cmds, was.scene.cmds];
      was.scene.camera = list.scene.camera;
    },
    // at is what lies between the step before and the newest, at a share of 0 to 1.
    at(alpha) {
      if (!flat) {
        compose(list);
        flat = pairs(was.cmds, list.cmds, FAR);
        solid = pairs(was.scene.cmds, list.scene.cmds, FAR_3D);
      }
      return {
        cmds: flat.map(([a, b]) => mix(a, b, alpha)),
        scene: {
          cmds: solid.map(([a, b]) => mix(a, b, alpha)), camera: view(was.scene.camera, list.scene.camera, alpha),
        },
      };
    },
  };
}
