// Stones: take one, two or three of seventeen in turn with the computer; who takes the
// last has won. By buttons or by the keys 1 to 3.
const svc = window.svc;
const s = { phase: 'ready', score: 0, stones: 17, turn: 'you', said: '' };
const root = document.getElementById('game');
root.style.cssText = 'box-sizing:border-box;max-width:480px;height:100%;margin:auto;padding:20px;font:24px sans-serif;color:#fefae0;background:linear-gradient(#283618,#606c38)';

function begin() {
  Object.assign(s, { phase: 'play', score: 0, stones: 17, turn: 'you', said: 'Your turn' });
  svc.track('start', {});
  draw();
}

function finish(outcome) {
  s.phase = 'over';
  s.said = outcome === 'win' ? 'You have the last one' : 'The computer has the last one';
  svc.endGame({ outcome, score: s.score });
}

function reply() {
  const n = Math.min(s.stones, s.stones % 4 || 1 + Math.floor(Math.random() * 3));
  s.stones -= n;
  Object.assign(s, { turn: 'you', said: 'It took ' + n });
  if (s.stones === 0) finish('lose');
  draw();
}

function take(n) {
  if (s.phase !== 'play' || s.turn !== 'you' || n > s.stones) return;
  s.stones -= n;
  s.score += n;
  svc.track('score', { score: s.score });
  if (s.stones === 0) finish('win');
  else {
    s.turn = 'computer';
    setTimeout(reply, 400);
  }
  draw();
}

function button(text, act) {
  const b = root.appendChild(document.createElement('button'));
  b.textContent = text;
  b.style.cssText = 'font:inherit;padding:14px 18px;margin:6px;border:0;border-radius:12px;background:#dda15e;color:#283618';
  b.addEventListener('click', act);
}

function draw() {
  root.textContent = '';
  root.append('Stones', document.createElement('hr'));
  if (s.phase === 'ready') return button('Play', begin);
  const heap = root.appendChild(document.createElement('div'));
  heap.style.cssText = 'height:240px;font-size:44px;letter-spacing:8px;word-break:break-all;color:#bc6c25';
  heap.textContent = '\u25cf'.repeat(s.stones);
  const line = root.appendChild(document.createElement('p'));
  line.textContent = s.said + ' \u00b7 you have ' + s.score;
  if (s.phase === 'over') return button('Once more', begin);
  return [1, 2, 3].forEach((n) => button('Take ' + n, () => take(n)));
}

window.addEventListener('keydown', (e) => { if (/^[123]$/.test(e.key)) take(Number(e.key)); });
svc.expose(() => s);
svc.ready(() => draw());
