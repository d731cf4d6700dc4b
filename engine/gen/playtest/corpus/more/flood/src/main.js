// Flood: four hundred elements, five colours. Each press floods the corner with one of
// them; 34 presses are enough for who looks.
const svc = window.svc;
const N = 20;
const COLORS = ['#e63946', '#f4a261', '#2a9d8f', '#457b9d', '#b5179e'];
const s = { phase: 'ready', score: 0, left: 34, cells: [] };
const root = document.getElementById('game');
root.style.cssText = 'box-sizing:border-box;max-width:480px;height:100%;margin:auto;padding:12px;font:bold 22px sans-serif;color:#fff;background:#1d2433;text-align:center';
const head = root.appendChild(document.createElement('p'));
const grid = root.appendChild(document.createElement('div'));
grid.style.cssText = 'display:grid;grid-template-columns:repeat(20,1fr);gap:1px';
const tiles = Array.from({ length: N * N }, () => {
  const tile = grid.appendChild(document.createElement('div'));
  tile.style.cssText = 'aspect-ratio:1;border-radius:3px;transition:background 0.2s';
  return tile;
});
const bar = root.appendChild(document.createElement('div'));
bar.style.cssText = 'display:flex;gap:10px;justify-content:center;margin-top:14px';

function joined() {
  const found = new Set([0]);
  for (const i of found) {
    for (const [j, ok] of [[i - 1, i % N > 0], [i + 1, i % N < N - 1], [i - N, i >= N], [i + N, i < N * N - N]]) {
      if (ok && s.cells[j] === s.cells[0]) found.add(j);
    }
  }
  return found;
}

function draw() {
  head.textContent = s.phase === 'ready' ? 'Flood it all: choose a colour' : s.score + ' of 400, ' + s.left + ' left' + (s.phase === 'over' ? '. Again?' : '');
  tiles.forEach((tile, i) => { tile.style.background = COLORS[s.cells[i]]; });
}

function deal() { s.cells = tiles.map(() => Math.floor(Math.random() * COLORS.length)); }

function press(color) {
  if (s.phase !== 'play') {
    deal();
    Object.assign(s, { phase: 'play', score: 0, left: 34 });
    svc.track('start', {});
  } else if (color !== s.cells[0]) {
    for (const i of joined()) s.cells[i] = color;
    s.left--;
    s.score = joined().size;
    svc.track('score', { score: s.score });
    if (s.score === N * N || s.left === 0) {
      s.phase = 'over';
      svc.endGame({ outcome: s.left === 0 && s.score < N * N ? 'lose' : 'win', score: s.score });
    }
  }
  draw();
}

COLORS.forEach((color, i) => {
  const b = bar.appendChild(document.createElement('button'));
  b.setAttribute('aria-label', 'Colour ' + (i + 1));
  b.style.cssText = 'width:64px;height:64px;border:3px solid #fff;border-radius:12px;background:' + color;
  b.addEventListener('click', () => press(i));
});
deal();
svc.expose(() => s);
svc.ready(() => draw());
