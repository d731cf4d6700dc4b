// Bubbles: they rise in four lanes; tap them before they are gone. PixiJS.
import * as PIXI from 'pixi.js';

const svc = window.svc;
const W = 480;
const H = 720;
const LANES = [90, 190, 290, 390];
const s = { phase: 'ready', score: 0, lost: 0, t: 0, wait: 0, lane: 0, bubbles: [], rest: 0 };
const app = new PIXI.Application();
const shapes = new PIXI.Graphics();
const label = new PIXI.Text({ text: 'Tap the bubbles', style: { fill: 0xffffff, fontSize: 40, fontWeight: 'bold' } });

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', lost: 0, t: 0, wait: 0, lane: 0, bubbles: [] });
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

function press(x, y) {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
  const hit = s.bubbles.find((b) => (b.x - x) ** 2 + (b.y - y) ** 2 < 60 ** 2);
  if (!hit) return undefined;
  s.bubbles = s.bubbles.filter((b) => b !== hit);
  return gain(1);
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
    s.lane = (s.lane + 1 + Math.floor(Math.random() * 3)) % 4;
    s.bubbles.push({ x: LANES[s.lane], y: H + 40, color: [0x5ec8e5, 0xf2a65a, 0x9d7bd8, 0x7bd88f][s.lane] });
    s.wait = Math.max(0.45, 1 - s.t / 60);
  }
  for (const b of s.bubbles) b.y -= (150 + 4 * s.t) * dt;
  const gone = s.bubbles.filter((b) => b.y < -40).length;
  s.lost += gone;
  s.bubbles = s.bubbles.filter((b) => b.y >= -40);
  if (s.lost >= 5) finish('lose');
  else if (s.t > 45) finish('win');
}

function draw() {
  shapes.clear();
  shapes.rect(0, 0, W, H).fill(0x12324a);
  shapes.rect(0, H - 60, W, 60).fill(0x3b6b4f);
  for (let i = 0; i < 5 - s.lost; i++) shapes.circle(30 + i * 34, 690, 12).fill(0xf0d060);
  for (const b of s.bubbles) shapes.circle(b.x, b.y, 40).fill(b.color);
  label.text = s.phase === 'ready' ? 'Tap the bubbles' : String(s.score);
  label.position.set(W / 2 - label.width / 2, s.phase === 'over' ? 300 : 40);
}

function listen() {
  app.canvas.addEventListener('pointerdown', (e) => {
    const r = app.canvas.getBoundingClientRect();
    press(((e.clientX - r.left) / r.width) * W, ((e.clientY - r.top) / r.height) * H);
  });
}

app.init({ width: W, height: H, preference: 'webgl', background: 0x12324a }).then(() => {
  app.canvas.style.cssText = 'display:block;margin:auto;width:min(100vw,66.66vh);height:min(100vh,150vw)';
  document.getElementById('game').appendChild(app.canvas);
  app.stage.addChild(shapes, label);
  listen();
  app.ticker.add((ticker) => {
    step(Math.min(0.05, ticker.deltaMS / 1000));
    draw();
  });
  svc.expose(() => s);
  svc.ready(() => draw());
});
