import about from './game.json';
import { run, rng, STEP } from './kit/kit.js';
import { view } from './kit/view.js';

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

let ball = null;

// setup makes what draw moves: here objects of a Phaser scene.
function setup(scene) {
  ['#16213e', '#1f4068', '#1b6b74', '#2a9d8f'].forEach((color, i) => {
    scene.add.rectangle(w / 2, (h / 4) * (i + 0.5), w, h / 4 + 1, Number(color.replace('#', '0x')));
  });
  ball = scene.add.circle(0, 0, 24, 0xffd75e);
}

function draw(scene, s) {
  ball.setPosition(s.ball.x, s.ball.y);
}

run({ about, view, create, step, setup, draw, smooth: ['ball'] });
