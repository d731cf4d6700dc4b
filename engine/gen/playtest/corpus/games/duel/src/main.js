// Duel: two bats, one ball, two players at one keyboard: W and S, up and down.
// Who has three points wins; the score is the returns of both together.
const svc = window.svc;
const W = 960;
const H = 540;
const canvas = document.createElement('canvas');
canvas.width = W;
canvas.height = H;
canvas.style.cssText = 'display:block;margin:auto;width:min(100vw,177.7vh);height:min(100vh,56.25vw)';
document.getElementById('game').appendChild(canvas);
const c = canvas.getContext('2d');
const s = { phase: 'ready', score: 0, points: [0, 0], bats: [H / 2, H / 2], ball: { x: W / 2, y: H / 2, vx: 0, vy: 0 }, rest: 0 };
const keys = {};

function serve(way) { s.ball = { x: W / 2, y: H / 2, vx: 380 * way, vy: (Math.random() - 0.5) * 300 }; }

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', points: [0, 0], bats: [H / 2, H / 2] });
  serve(1);
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

function press() {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
}

function again() {
  if (s.rest > 0) return;
  start();
}

function bounce(side) {
  const b = s.ball;
  const off = b.y - s.bats[side];
  if (Math.abs(off) < 70) {
    b.vx = -b.vx * 1.05;
    b.vy += off * 4;
    b.x = side ? W - 51 : 51;
    return gain(1);
  }
  s.points[1 - side]++;
  if (s.points[1 - side] === 3) return finish(side ? 'win' : 'lose');
  return serve(side ? -1 : 1);
}

function step(dt) {
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase !== 'play') return;
  const way = [(keys.s ? 1 : 0) - (keys.w ? 1 : 0), (keys.ArrowDown ? 1 : 0) - (keys.ArrowUp ? 1 : 0)];
  s.bats = s.bats.map((y, i) => Math.max(60, Math.min(H - 60, y + way[i] * 460 * dt)));
  const b = s.ball;
  b.x += b.vx * dt;
  b.y += b.vy * dt;
  if (b.y < 12 || b.y > H - 12) b.vy = Math.abs(b.vy) * (b.y < 12 ? 1 : -1);
  if (b.x < 50) bounce(0);
  else if (b.x > W - 50) bounce(1);
}

function write(text, x, y, size) {
  c.font = 'bold ' + size + 'px sans-serif';
  c.textAlign = 'center';
  c.fillStyle = '#ffffff';
  c.fillText(text, x, y);
}

function draw() {
  c.fillStyle = '#14342b';
  c.fillRect(0, 0, W, H);
  c.fillStyle = '#2a5a4a';
  c.fillRect(W / 2 - 4, 0, 8, H);
  c.fillStyle = '#f2c14e';
  c.fillRect(20, s.bats[0] - 60, 22, 120);
  c.fillStyle = '#4ea8de';
  c.fillRect(W - 42, s.bats[1] - 60, 22, 120);
  c.fillStyle = '#f7f7f2';
  c.beginPath();
  c.arc(s.ball.x, s.ball.y, 12, 0, 7);
  c.fill();
  write(s.points[0] + ' : ' + s.points[1], W / 2, 60, 44);
  write(s.phase === 'ready' ? 'Press space' : 'Rally ' + String(s.score), W / 2, H - 30, 32);
}

window.addEventListener('keydown', (e) => {
  keys[e.key] = true;
  if (e.key === ' ') press();
});
window.addEventListener('keyup', (e) => { keys[e.key] = false; });
let last = performance.now();
requestAnimationFrame(function frame(now) {
  step(Math.max(0, Math.min(0.05, (now - last) / 1000)));
  last = now;
  draw();
  requestAnimationFrame(frame);
});
svc.expose(() => s);
svc.ready(() => draw());
