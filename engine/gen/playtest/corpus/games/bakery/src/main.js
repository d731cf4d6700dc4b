// Bakery: tap for loaves, buy ovens that bake by themselves. It has no end.
const svc = window.svc;
const canvas = document.createElement('canvas');
canvas.width = 480;
canvas.height = 720;
canvas.style.cssText = 'display:block;margin:auto;width:min(100vw,66.66vh);height:min(100vh,150vw)';
document.getElementById('game').appendChild(canvas);
const c = canvas.getContext('2d');
const s = { phase: 'ready', score: 0, ovens: 0, pop: 0, baked: 0 };

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', ovens: 0, baked: 0 });
  svc.track('start', {});
}

function gain(n) {
  s.score += n;
  svc.track('score', { score: s.score });
}

const price = () => 10 * (s.ovens + 1);

function press(x, y) {
  if (s.phase === 'ready') start();
  if (y > 540 && s.score >= price()) {
    s.score -= price();
    s.ovens++;
    svc.track('score', { score: s.score });
    return;
  }
  s.pop = 1;
  gain(1);
}

function step(dt) {
  s.pop = Math.max(0, s.pop - 4 * dt);
  s.baked += s.ovens * dt;
  if (s.baked < 1) return;
  s.baked -= 1;
  gain(1);
}

function write(text, y, size) {
  c.font = 'bold ' + size + 'px sans-serif';
  c.textAlign = 'center';
  c.fillStyle = '#fff4dd';
  c.fillText(text, 240, y);
}

function draw() {
  c.fillStyle = '#5b3a29';
  c.fillRect(0, 0, 480, 720);
  c.fillStyle = '#8c5a3c';
  c.fillRect(0, 120, 480, 400);
  c.fillStyle = '#e0a458';
  c.beginPath();
  c.ellipse(240, 320, 130 + 14 * s.pop, 90 + 10 * s.pop, Math.sin(performance.now() / 500) * 0.05, 0, 7);
  c.fill();
  c.fillStyle = '#3f6f5f';
  c.fillRect(40, 560, 400, 110);
  for (let i = 0; i < Math.min(12, s.ovens); i++) {
    c.fillStyle = '#c8433a';
    c.fillRect(20 + i * 38, 140, 30, 30);
  }
  write(s.phase === 'ready' ? 'Tap the bread' : 'Loaves ' + String(s.score), 80, 40);
  write('Oven for ' + price(), 628, 34);
}

canvas.addEventListener('pointerdown', (e) => {
  const r = canvas.getBoundingClientRect();
  press(((e.clientX - r.left) / r.width) * 480, ((e.clientY - r.top) / r.height) * 720);
});
let last = performance.now();
requestAnimationFrame(function frame(now) {
  step(Math.max(0, Math.min(0.05, (now - last) / 1000)));
  last = now;
  draw();
  requestAnimationFrame(frame);
});
svc.expose(() => s);
svc.ready(() => draw());
