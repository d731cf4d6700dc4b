// Three in a row against the computer, drawn when something happens and not else.
const svc = window.svc;
const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const canvas = document.createElement('canvas');
canvas.width = 480;
canvas.height = 720;
canvas.style.cssText = 'display:block;margin:auto;width:min(100vw,66.66vh);height:min(100vh,150vw)';
document.getElementById('game').appendChild(canvas);
const c = canvas.getContext('2d');
const s = { phase: 'ready', score: 0, cells: Array(9).fill(''), turn: 'x', said: '' };

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', cells: Array(9).fill(''), turn: 'x', said: '' });
  svc.track('start', {});
}

function gain(n) {
  s.score += n;
  svc.track('score', { score: s.score });
}

function finish(outcome) {
  s.phase = 'over';
  s.said = { win: 'You win', lose: 'You lose', draw: 'A draw' }[outcome];
  svc.endGame({ outcome: outcome, score: s.score });
}

function press(x, y) {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
  const i = Math.floor((y - 180) / 140) * 3 + Math.floor((x - 30) / 140);
  if (s.turn !== 'x' || x < 30 || x > 450 || y < 180 || y > 600 || s.cells[i]) return undefined;
  return move(i, 'x');
}

function again() {
  start();
}

const won = (who) => LINES.some((line) => line.every((i) => s.cells[i] === who));

function move(i, who) {
  s.cells[i] = who;
  if (who === 'x') gain(1);
  if (won(who)) {
    if (who === 'x') gain(10);
    return finish(who === 'x' ? 'win' : 'lose');
  }
  if (s.cells.every((cell) => cell)) return finish('draw');
  s.turn = who === 'x' ? 'o' : 'x';
  if (s.turn === 'o') setTimeout(reply, 350);
  return undefined;
}

function reply() {
  if (s.phase !== 'play' || s.turn !== 'o') return;
  const free = s.cells.map((cell, i) => (cell ? -1 : i)).filter((i) => i >= 0);
  const line = LINES.find((l) => l.filter((i) => s.cells[i] === 'o').length === 2 && l.some((i) => !s.cells[i]));
  move(line ? line.find((i) => !s.cells[i]) : free[Math.floor(Math.random() * free.length)], 'o');
  draw();
}

function write(text, y, size) {
  c.font = 'bold ' + size + 'px sans-serif';
  c.textAlign = 'center';
  c.fillStyle = '#f4efe2';
  c.fillText(text, 240, y);
}

function draw() {
  c.fillStyle = '#22333f';
  c.fillRect(0, 0, 480, 720);
  c.fillStyle = '#38586b';
  for (let i = 0; i < 9; i++) c.fillRect(34 + (i % 3) * 140, 184 + Math.floor(i / 3) * 140, 132, 132);
  s.cells.forEach((cell, i) => {
    if (!cell) return;
    c.fillStyle = cell === 'x' ? '#f2b84b' : '#63c5a5';
    c.beginPath();
    c.arc(100 + (i % 3) * 140, 250 + Math.floor(i / 3) * 140, 48, 0, 7);
    c.fill();
  });
  write(s.phase === 'ready' ? 'Tap to begin' : 'Points ' + String(s.score), 90, 40);
  if (s.phase === 'over') write(s.said + ' - again?', 670, 36);
}

canvas.addEventListener('pointerdown', (e) => {
  const r = canvas.getBoundingClientRect();
  press(((e.clientX - r.left) / r.width) * 480, ((e.clientY - r.top) / r.height) * 720);
  draw();
});
svc.expose(() => s);
svc.ready(() => draw());
