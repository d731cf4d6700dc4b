import about from './game.json';
import { run, rng, STEP } from './kit/kit.js';
import { view } from './kit/view.js';
import * as THREE from 'three';

const { w, h } = about.size;

// create returns the state of a new run: plain data. Chance is random(s) and its like.
function create(seed, { speed }) {
  return { ...rng(seed), speed, score: 0, outcome: '', t: 0, ball: { x: w / 2, y: h / 2, vx: speed, vy: speed * 0.6 } };
}

// step is a sixtieth of a second. A score that changed and an outcome that is set are reported by the kit.
function step(s, input) {
  const b = s.ball;
  s.t++;
  if (input.left) b.vx = -s.speed;
  if (input.right) b.vx = s.speed;
  if (input.up) b.vy = -s.speed;
  if (input.down) b.vy = s.speed;
  if (input.fingers.length > 0) b.vx = Math.sign(input.x - b.x) * s.speed;
  if (b.x < 30 || b.x > w - 30) b.vx = Math.sign(w / 2 - b.x) * s.speed;
  if (b.y < 70 || b.y > h - 30) b.vy = Math.sign(h / 2 - b.y) * s.speed;
  b.x += b.vx * STEP;
  b.y += b.vy * STEP;
}

const ball = new THREE.Mesh(new THREE.SphereGeometry(24, 24, 16), new THREE.MeshStandardMaterial({ color: '#ffd75e' }));

// setup makes what draw moves: here a scene, in which y is up.
function setup({ scene, camera }) {
  scene.background = new THREE.Color('#16213e');
  scene.add(new THREE.HemisphereLight('#ffffff', '#2a9d8f', 3), ball);
  ['#1f4068', '#1b6b74', '#2a9d8f'].forEach((color, i) => {
    const floor = new THREE.Mesh(new THREE.BoxGeometry(w / 3, 10, h), new THREE.MeshStandardMaterial({ color }));
    floor.position.set((i - 1) * (w / 3), -40, 0);
    scene.add(floor);
  });
  camera.position.set(0, h * 0.9, h * 0.7);
  camera.lookAt(0, 0, 0);
}

function draw(g, s) {
  ball.position.set(s.ball.x - w / 2, 0, s.ball.y - h / 2);
}

run({ about, view, create, step, setup, draw, smooth: ['ball'] });
