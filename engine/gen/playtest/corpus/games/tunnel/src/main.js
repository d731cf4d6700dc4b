// Tunnel: three lanes, gates to fly through and blocks to avoid. three.js, the
// score in an element above it.
import * as THREE from 'three';

const svc = window.svc;
const root = document.getElementById('game');
root.style.cssText = 'position:relative;width:min(100vw,66.66vh);height:min(100vh,150vw);margin:auto';
const label = document.createElement('div');
label.style.cssText = 'position:absolute;top:5%;width:100%;text-align:center;font:bold 40px sans-serif;color:#fff;pointer-events:none';
const gl = new THREE.WebGLRenderer({ antialias: true });
gl.setSize(480, 720, false);
gl.domElement.style.cssText = 'width:100%;height:100%;display:block';
root.append(gl.domElement, label);
const scene = new THREE.Scene();
scene.background = new THREE.Color('#203a5c');
const camera = new THREE.PerspectiveCamera(60, 2 / 3, 0.1, 100);
camera.position.set(0, 2.4, 5);
camera.lookAt(0, 0.5, -6);
scene.add(new THREE.HemisphereLight('#ffffff', '#554433', 3));
const solid = (color, w, h, d) => new THREE.Mesh(new THREE.BoxGeometry(w, h, d), new THREE.MeshStandardMaterial({ color }));
const floor = solid('#5a7d4a', 6, 0.2, 80);
floor.position.set(0, -0.6, -34);
const ship = solid('#f2c14e', 0.9, 0.5, 1.2);
scene.add(floor, ship);
const pool = Array.from({ length: 8 }, () => {
  const mesh = solid('#d1495b', 1.2, 1, 0.6);
  scene.add(mesh);
  return mesh;
});
const s = { phase: 'ready', score: 0, lane: 1, t: 0, wait: 0, rows: [], rest: 0 };

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', lane: 1, t: 0, wait: 0.2, rows: [] });
  svc.track('start', {});
}

function gain(n) {
  s.score += n;
  svc.track('score', { score: s.score });
}

function finish(outcome) {
  s.phase = 'over';
  s.rest = 0.3;
  svc.endGame({ outcome: outcome, score: s.score });
}

function press(way) {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
  s.lane = Math.max(0, Math.min(2, s.lane + way));
}

function again() {
  if (s.rest > 0) return;
  start();
}

function step(dt) {
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase !== 'play') return;
  s.t += dt;
  s.wait -= dt;
  if (s.wait <= 0) {
    s.rows.push({ z: -40, free: Math.floor(Math.random() * 3) });
    s.wait = 1.3;
  }
  for (const row of s.rows) {
    row.z += (16 + s.t / 4) * dt;
    if (row.z < -0.5 || row.done) continue;
    row.done = true;
    if (row.free !== s.lane) return finish('lose');
    gain(1);
  }
  s.rows = s.rows.filter((row) => row.z < 4);
  if (s.t > 60) finish('win');
}

function draw() {
  ship.position.x += ((s.lane - 1) * 1.6 - ship.position.x) * 0.3;
  ship.rotation.y = Math.sin(performance.now() / 600) * 0.2;
  pool.forEach((mesh, i) => {
    const row = s.rows[Math.floor(i / 2)];
    const blocked = row ? [0, 1, 2].filter((lane) => lane !== row.free)[i % 2] : 0;
    mesh.visible = Boolean(row);
    if (row) mesh.position.set((blocked - 1) * 1.6, 0, row.z);
  });
  label.textContent = s.phase === 'ready' ? 'Press an arrow' : String(s.score) + (s.phase === 'over' ? ' - again?' : '');
  gl.render(scene, camera);
}

window.addEventListener('keydown', (e) => {
  if (e.key === 'ArrowLeft') press(-1);
  if (e.key === 'ArrowRight') press(1);
});
window.addEventListener('pointerdown', (e) => press(e.clientX < window.innerWidth / 2 ? -1 : 1));
const clock = new THREE.Clock();
gl.setAnimationLoop(() => {
  step(Math.min(0.05, clock.getDelta()));
  draw();
});
svc.expose(() => s);
svc.ready(() => draw());
