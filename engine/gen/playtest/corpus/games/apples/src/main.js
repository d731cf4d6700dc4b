// Apples: a basket under falling apples and stones. A canvas, an interval and
// the clock of the wall; no kit.
import game from './game.json';

const svc = window.svc;
const W = game.size.w;
const H = game.size.h;
const canvas = document.createElement('canvas');
canvas.width = W;
canvas.height = H;
canvas.style.cssText = 'display:block;margin:auto;width:min(100vw,66.66vh);height:min(100vh,150vw)';
document.getElementById('game').appendChild(canvas);
const c = canvas.getContext('2d');
const s = { phase: 'ready', score: 0, lives: 3, x: W / 2, dir: 0, goal: null, things: [], wait: 0, t: 0 };
let last = Date.now();

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', lives: 3, x: W / 2, dir: 0, goal: null, things: [], wait: 300, t: 0 });
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

function press(x) {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
  s.goal = x;
}

function again() {
  if (s.rest > 0) return;
  start();
}

function fall(thing, dt) {
  thing.y += game.tunables.speed.value * (1 + s.t / 60) * dt;
  if (thing.y > H - 90 && thing.y < H - 30 && Math.abs(thing.x - s.x) < 62) {
    thing.y = 2 * H;
    if (thing.stone) hurt(); else gain(1);
  } else if (thing.y > H && thing.y < 2 * H) {
    thing.y = 2 * H;
    if (!thing.stone) hurt();
  }
}

function hurt() {
  s.lives--;
  if (s.lives <= 0) finish('lose');
}

function step(dt) {
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase !== 'play') return;
  s.t += dt;
  if (s.goal !== null) s.dir = Math.abs(s.goal - s.x) < 8 ? 0 : Math.sign(s.goal - s.x);
  s.x = Math.max(50, Math.min(W - 50, s.x + s.dir * 560 * dt));
  s.wait -= dt * 1000;
  if (s.wait <= 0) {
    s.things.push({ x: 50 + Math.random() * (W - 100), y: -30, stone: Math.random() < 0.3 });
    s.wait = 900;
  }
  for (const thing of s.things) if (s.phase === 'play') fall(thing, dt);
  s.things = s.things.filter((thing) => thing.y < 2 * H);
  if (s.phase === 'play' && s.t > 30) finish('win');
}

function write(text, y, size) {
  c.font = 'bold ' + size + 'px sans-serif';
  c.textAlign = 'center';
  c.fillStyle = '#ffffff';
  c.fillText(text, W / 2, y);
}

function draw() {
  const sky = c.createLinearGradient(0, 0, 0, H);
  ['#1d3b6f', '#3f74b5', '#7fb2dd', '#e6c07a'].forEach((color, i) => sky.addColorStop(i / 3, color));
  c.fillStyle = sky;
  c.fillRect(0, 0, W, H);
  c.fillStyle = '#3d7a3a';
  c.fillRect(0, H - 40, W, 40);
  for (const thing of s.things) {
    c.fillStyle = thing.stone ? '#555b66' : '#c8322b';
    c.beginPath();
    c.arc(thing.x, thing.y, 26, 0, 7);
    c.fill();
  }
  c.fillStyle = '#8a5a2b';
  c.fillRect(s.x - 50, H - 86, 100, 46);
  if (s.phase === 'ready') write('Catch the apples: tap', 300, 36);
  else write(String(s.score), 80, 56);
  if (s.phase === 'over') write('Again?', 320, 44);
}

canvas.addEventListener('pointerdown', (e) => press(((e.clientX - canvas.getBoundingClientRect().left) / canvas.getBoundingClientRect().width) * W));
window.addEventListener('keydown', (e) => {
  if (e.key === 'ArrowLeft') press(0);
  if (e.key === 'ArrowRight') press(W);
});
window.addEventListener('keyup', () => { s.goal = null; s.dir = 0; });
let hidden = false;
document.addEventListener('visibilitychange', () => { hidden = document.hidden; });
setInterval(() => {
  const now = Date.now();
  if (!hidden) step(Math.min(0.05, (now - last) / 1000));
  last = now;
  draw();
}, 16);
svc.expose(() => s);
svc.ready(() => draw());
