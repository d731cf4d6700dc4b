// Swarm: lights to catch and sparks to avoid, as instances of one square in WebGL 2,
// before two hundred stars. No library; the score is an element above it.
const svc = window.svc;
const root = document.getElementById('game');
root.style.cssText = 'position:relative;width:min(100vw,66.66vh);height:min(100vh,150vw);margin:auto';
const canvas = root.appendChild(document.createElement('canvas'));
canvas.width = 480;
canvas.height = 720;
canvas.style.cssText = 'width:100%;height:100%;display:block;touch-action:none';
const label = root.appendChild(document.createElement('div'));
label.style.cssText = 'position:absolute;top:4%;width:100%;text-align:center;font:bold 44px sans-serif;color:#fff;pointer-events:none';
const gl = canvas.getContext('webgl2');
const s = { phase: 'ready', score: 0, lives: 3, x: 240, goal: 240, t: 0, wait: 0, rest: 0, things: [] };
const stars = Array.from({ length: 200 }, (_, i) => [(i * 97) % 480, (i * 193) % 720, 1 + (i % 3)]);

function shader(type, source) {
  const made = gl.createShader(type);
  gl.shaderSource(made, source);
  gl.compileShader(made);
  return made;
}
const program = gl.createProgram();
gl.attachShader(program, shader(gl.VERTEX_SHADER, `#version 300 es
layout(location=0) in vec4 box; layout(location=1) in vec3 tint; out vec3 color;
void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0; color = tint;
  gl_Position = vec4((box.xy + p * box.zw) / vec2(240.0, -360.0) + vec2(-1.0, 1.0), 0.0, 1.0); }`));
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, '#version 300 es\nprecision mediump float; in vec3 color; out vec4 o; void main() { o = vec4(color, 1.0); }'));
gl.linkProgram(program);
gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
[[0, 4, 0], [1, 3, 16]].forEach(([place, size, from]) => {
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, gl.FLOAT, false, 28, from);
  gl.vertexAttribDivisor(place, 1);
});

function begin() {
  Object.assign(s, { phase: 'play', score: 0, lives: 3, t: 0, wait: 0.3, things: [] });
  svc.track('start', {});
}

function finish(outcome) {
  Object.assign(s, { phase: 'over', rest: 0.4 });
  svc.endGame({ outcome, score: s.score });
}

function meet(thing) {
  thing.gone = true;
  if (!thing.bad) svc.track('score', { score: ++s.score });
  else if (--s.lives === 0) finish('lose');
}

function step(dt) {
  s.t += dt;
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase !== 'play') return;
  s.x += Math.max(-500 * dt, Math.min(500 * dt, s.goal - s.x));
  s.wait -= dt;
  if (s.wait <= 0) {
    s.things.push({ x: 30 + Math.random() * 420, y: -20, bad: Math.random() < 0.45 });
    s.wait = 0.55;
  }
  for (const thing of s.things) {
    thing.y += (240 + 5 * s.t) * dt;
    if (s.phase === 'play' && !thing.gone && Math.abs(thing.y - 650) < 25 && Math.abs(thing.x - s.x) < 45) meet(thing);
  }
  s.things = s.things.filter((thing) => !thing.gone && thing.y < 740);
  if (s.phase === 'play' && s.t > 40) finish('win');
}

function draw() {
  const boxes = stars.map(([x, y, size]) => [x, (y + s.t * 20 * size) % 720, size, size, 0.4, 0.5, 0.7]);
  for (const { x, y, bad } of s.things) boxes.push(bad ? [x, y, 16, 16, 0.95, 0.3, 0.25] : [x, y, 13, 13, 0.5, 1, 0.6]);
  boxes.push([s.x, 660, 36, 14, 1, 0.8, 0.3]);
  for (let i = 0; i < s.lives; i++) boxes.push([24 + i * 30, 24, 9, 9, 1, 0.4, 0.6]);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(boxes.flat()), gl.STREAM_DRAW);
  gl.clearColor(0.05, 0.06, 0.16, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, boxes.length);
  label.textContent = s.phase === 'ready' ? 'Tap: catch green' : s.score + (s.phase === 'over' ? ' again?' : '');
}

canvas.addEventListener('pointerdown', (e) => {
  if (s.phase === 'ready' || s.phase === 'over' && s.rest <= 0) begin();
  const r = canvas.getBoundingClientRect();
  s.goal = ((e.clientX - r.left) / r.width) * 480;
});
window.addEventListener('keydown', (e) => {
  if (/^Arrow(Left|Right)$/.test(e.key)) s.goal = Math.max(30, Math.min(450, s.x + (e.key === 'ArrowLeft' ? -120 : 120)));
});
let last = performance.now();
requestAnimationFrame(function frame(now) {
  step(Math.min(0.05, Math.max(0, (now - last) / 1000)));
  last = now;
  draw();
  requestAnimationFrame(frame);
});
svc.expose(() => s);
svc.ready(() => draw());
