// Reads src/scene.json, which the studio's 3D view edits:
//
//   import * as THREE from 'three';
//   import data from './scene.json';
//   import { placed } from './scene.js';
//   const { root, of } = placed(THREE, data); // scene.add(root); of.hero.position.x = 3
//
// An entity has an id, a name, a kind, pos, rot (degrees) and scale of three numbers each,
// color, and the id of its parent. A light shines from its place to the middle.
const MOST = 1000;

const shapes = {
  box: (T) => new T.BoxGeometry(1, 1, 1),
  ball: (T) => new T.SphereGeometry(0.5, 32, 16),
  cone: (T) => new T.ConeGeometry(0.5, 1, 32),
  post: (T) => new T.CylinderGeometry(0.5, 0.5, 1, 32),
  plane: (T) => new T.PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
  figure: (T) => new T.CapsuleGeometry(0.3, 0.8, 8, 16).translate(0, 0.7, 0),
};

const three = (list, otherwise) => [0, 1, 2].map((i) => (Number.isFinite(list?.[i]) ? list[i] : otherwise));

function made(T, { kind, color }) {
  const paint = /^#[0-9a-f]{6}$/i.test(color) ? color : '#cccccc';
  if (Object.hasOwn(shapes, kind)) return new T.Mesh(shapes[kind](T), new T.MeshStandardMaterial({ color: paint }));
  const group = new T.Group();
  if (kind === 'light') group.add(new T.DirectionalLight(paint, 2), new T.HemisphereLight(paint, '#404040', 1));
  return group;
}

// placed returns all entities below a root, and each by its id.
export function placed(T, data) {
  const root = new T.Group();
  const of = Object.create(null);
  const entities = (Array.isArray(data?.entities) ? data.entities : []).slice(0, MOST);
  for (const e of entities) {
    if (typeof e?.id !== 'string' || of[e.id]) continue;
    const it = made(T, e);
    it.name = e.id;
    it.position.set(...three(e.pos, 0));
    it.rotation.set(...three(e.rot, 0).map((angle) => (angle * Math.PI) / 180));
    it.scale.set(...three(e.scale, 1));
    root.add(it);
    of[e.id] = it;
  }
  for (const e of entities) {
    const [it, parent] = [of[e?.id], of[e?.parent]];
    let above = parent;
    while (above && above !== it) above = above.parent; // no entity is below itself
    if (it && parent && !above) parent.add(it);
  }
  return { root, of };
}
