// Rings: a square grows; tap when it meets the frame. WebGL by hand, the score
// in an element above it.
const svc = window.svc;
const root = document.getElementById('game');
root.style.cssText = 'position:relative;width:min(100vw,66.66vh);height:min(100vh,150vw);margin:auto';
const canvas = document.createElement('canvas');
canvas.width = 480;
canvas.height = 720;
canvas.style.cssText = 'width:100%;height:100%;display:block';
const label = document.createElement('div');
label.style.cssText = 'position:absolute;top:6%;width:100%;text-align:center;font:bold 44px sans-serif;color:#fff;pointer-events:none';
root.append(canvas, label);
const gl = canvas.getContext('webgl');
const s = { phase: 'ready', score: 0, lives: 3, size: 0, speed: 0.5, t: 0, rest: 0 };

function shader(type, source) {
  const made = gl.createShader(type);
  gl.shaderSource(made, source);
  gl.compileShader(made);
  return made;
}
const program = gl.createProgram();
gl.attachShader(program, shader(gl.VERTEX_SHADER, 'attribute vec2 p; uniform vec4 box; void main() { gl_Position = vec4(box.xy + p * box.zw, 0.0, 1.0); }'));
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, 'precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }'));
gl.linkProgram(program);
gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
gl.enableVertexAttribArray(0);
gl.bindAttribLocation(program, 0, 'p');
gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
const box = gl.getUniformLocation(program, 'box');
const color = gl.getUniformLocation(program, 'color');

function rect(size, r, g, b) {
  gl.uniform4f(box, 0, -0.05, size, size * (2 / 3));
  gl.uniform4f(color, r, g, b, 1);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
}

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', lives: 3, size: 0, speed: 0.5, t: 0 });
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

function miss() {
  s.size = 0;
  s.lives--;
  if (s.lives <= 0) finish('lose');
}

function press() {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
  if (Math.abs(s.size - 0.72) > 0.08) return miss();
  gain(1);
  s.size = 0;
  s.speed = Math.min(1.2, s.speed * 1.05);
}

function again() {
  if (s.rest > 0) return;
  start();
}

function step(dt) {
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase !== 'play') return;
  s.t += dt;
  s.size += s.speed * dt;
  if (s.size > 0.95) miss();
  if (s.phase === 'play' && s.t > 40) finish('win');
}

function draw() {
  const k = 0.5 + 0.5 * Math.sin(performance.now() / 700);
  gl.clearColor(0.1, 0.12, 0.2 + 0.15 * k, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  rect(0.8, 0.95, 0.75, 0.3);
  rect(0.64, 0.15, 0.3, 0.42);
  rect(s.size, 0.3, 0.75, 0.6);
  rect(s.size * 0.6, 0.8, 0.35, 0.5);
  label.textContent = s.phase === 'ready' ? 'Tap' : String(s.score) + (s.phase === 'over' ? ' - again?' : '');
}

window.addEventListener('pointerdown', press);
let last = performance.now();
function frame(now) {
  step(Math.max(0, Math.min(0.05, (now - last) / 1000)));
  last = now;
  draw();
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
svc.expose(() => s);
svc.ready(() => draw());
