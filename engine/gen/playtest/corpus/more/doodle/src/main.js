// Doodle: a sheet to draw on, in colours that buttons choose. It has no points and no
// end; what is drawn is kept on a canvas of its own.
const svc = window.svc;
const COLORS = ['#e4572e', '#17bebb', '#ffc914', '#76b041', '#ffffff'];
const root = document.getElementById('game');
root.style.cssText = 'position:relative;width:min(100vw,66.66vh);height:min(100vh,150vw);margin:auto';
const canvas = document.createElement('canvas');
canvas.width = 480;
canvas.height = 720;
canvas.style.cssText = 'width:100%;height:100%;display:block;touch-action:none';
const bar = document.createElement('div');
bar.style.cssText = 'position:absolute;bottom:2%;left:0;right:0;display:flex;justify-content:center;gap:12px';
root.append(canvas, bar);
const sheet = new OffscreenCanvas(480, 720);
const ink = sheet.getContext('2d');
const c = canvas.getContext('2d');
const s = { phase: 'ready', lines: 0, color: COLORS[0], from: null };

for (const color of COLORS) {
  const b = document.createElement('button');
  b.setAttribute('aria-label', 'Draw in ' + color);
  b.style.cssText = 'width:52px;height:52px;border-radius:26px;border:3px solid #222;background:' + color;
  b.addEventListener('click', () => { s.color = color; });
  bar.append(b);
}

function at(e) {
  const r = canvas.getBoundingClientRect();
  return { x: ((e.clientX - r.left) / r.width) * 480, y: ((e.clientY - r.top) / r.height) * 720 };
}

function draw() {
  c.fillStyle = '#2b2d42';
  c.fillRect(0, 0, 480, 720);
  c.drawImage(sheet, 0, 0);
  if (s.lines > 0) return;
  c.font = 'bold 40px sans-serif';
  c.textAlign = 'center';
  c.fillStyle = '#edf2f4';
  c.fillText('Draw something', 240, 120);
}

canvas.addEventListener('pointerdown', (e) => {
  if (s.phase === 'ready') svc.track('start', {});
  s.phase = 'play';
  s.lines++;
  s.from = at(e);
  ink.fillStyle = s.color;
  ink.fillRect(s.from.x - 7, s.from.y - 7, 14, 14);
  draw();
});
canvas.addEventListener('pointermove', (e) => {
  if (!s.from) return;
  const to = at(e);
  ink.strokeStyle = s.color;
  ink.lineWidth = 14;
  ink.lineCap = 'round';
  ink.beginPath();
  ink.moveTo(s.from.x, s.from.y);
  ink.lineTo(to.x, to.y);
  ink.stroke();
  s.from = to;
  draw();
});
window.addEventListener('pointerup', () => { s.from = null; });
svc.expose(() => s);
svc.ready(() => draw());
