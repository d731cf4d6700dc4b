// The three.js adapter: shows list.scene in 3D, and the draw list on a canvas
// in front of it. See phaser.js for the interface. three.js itself is a
// classic script that index.html loads before this one.
import * as THREE from 'three';
import { painter } from './canvas.js';
import { fitted, loop, margin } from './stage.js';

const shapes = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  ball: () => new THREE.SphereGeometry(0.5, 24, 16),
  cone: () => new THREE.ConeGeometry(0.5, 1, 8),
  post: () => new THREE.CylinderGeometry(0.5, 0.5, 1, 16),
  shadow: () => new THREE.CircleGeometry(0.5, 24).rotateX(-Math.PI / 2),
};

export function start(o) {
  const color = (c) => new THREE.Color(o.colors[c] || c);
  const below = fitted(o);
  const paint = painter(fitted(o).getContext('2d'), o);
  const gl = new THREE.WebGLRenderer({ canvas: below, antialias: true });
  gl.setSize(below.width, below.height, false);

  const scene = new THREE.Scene();
  const picture = (name) => {
    const map = new THREE.CanvasTexture(o.textures[name]);
    map.colorSpace = THREE.SRGBColorSpace;
    return map;
  };
  scene.background = picture('sky');
  scene.fog = new THREE.Fog(color('bg2'), 26, 74);
  scene.add(new THREE.HemisphereLight('#ffffff', color('ground'), 2.1));
  const sun = new THREE.DirectionalLight('#ffffff', 1.7);
  sun.position.set(-4, 9, 6);
  scene.add(sun);
  const camera = new THREE.PerspectiveCamera(60, o.width / o.height, 0.1, 140);

  const geometries = {};
  const materials = {};
  const maps = {};
  const pools = {};
  const used = {};

  function take(kind, make) {
    const pool = pools[kind] || (pools[kind] = []);
    const n = used[kind] || 0;
    if (n === pool.length) {
      pool.push(make());
      scene.add(pool[n]);
    }
    used[kind] = n + 1;
    pool[n].visible = true;
    return pool[n];
  }

  function material(cmd) {
    const key = [cmd.k === 'shadow', cmd.color, cmd.alpha, cmd.glow].join();
    if (!materials[key]) {
      const look = {
        color: color(cmd.color), transparent: cmd.alpha !== undefined, opacity: cmd.alpha === undefined ? 1 : cmd.alpha,
      };
      materials[key] = cmd.k === 'shadow' ? new THREE.MeshBasicMaterial(Object.assign(look, { depthWrite: false }))
        : new THREE.MeshLambertMaterial(Object.assign(look,
          cmd.glow ? { emissive: color(cmd.color), emissiveIntensity: 0.55 } : {}));
    }
    return materials[key];
  }

  function drawSolid(cmd) {
    const mesh = take(cmd.k, () => new THREE.Mesh(geometries[cmd.k] || (geometries[cmd.k] = shapes[cmd.k]())));
    mesh.material = material(cmd);
    mesh.position.set(cmd.x, cmd.y, cmd.z);
    mesh.scale.set(cmd.w, cmd.h, cmd.d);
    mesh.rotation.set(cmd.rx || 0, cmd.ry || 0, cmd.rz || 0);
  }

  function drawFigure(cmd) {
    const img = take('figure', () => new THREE.Sprite(new THREE.SpriteMaterial({ alphaTest: 0.08, fog: false })));
    img.material.map = maps[cmd.name] || (maps[cmd.name] = picture(cmd.name));
    img.material.rotation = -(cmd.rot || 0);
    img.material.opacity = cmd.alpha === undefined ? 1 : cmd.alpha;
    img.position.set(cmd.x, cmd.y, cmd.z);
    const size = cmd.size * margin(cmd.name);
    img.scale.set(size * (cmd.sx || 1), size * (cmd.sy || 1), 1);
  }

  o.ready();
  loop((seconds) => {
    const list = o.frame(seconds);
    if (!list) return;
    for (const kind of Object.keys(used)) used[kind] = 0;
    for (const cmd of list.scene.cmds) {
      if (cmd.k === 'figure') drawFigure(cmd);
      else drawSolid(cmd);
    }
    for (const kind of Object.keys(pools)) {
      for (let i = used[kind]; i < pools[kind].length; i++) pools[kind][i].visible = false;
    }
    const v = list.scene.camera;
    if (v) {
      camera.position.set(v.x, v.y, v.z);
      if (camera.fov !== v.fov) {
        camera.fov = v.fov;
        camera.updateProjectionMatrix();
      }
      camera.lookAt(v.tx, v.ty, v.tz);
    }
    gl.render(scene, camera);
    paint(list);
  });
}
