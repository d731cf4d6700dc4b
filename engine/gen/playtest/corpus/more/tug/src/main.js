// Tug: two at one screen pull a rope, one by the upper half or A, one by the lower or
// L. SVG, moved by a style; the clock decides after twenty seconds.
const svc = window.svc;
const s = { phase: 'ready', score: 0, at: 0, t: 0, rest: 0 };
const root = document.getElementById('game');
root.style.cssText = 'width:min(100vw,66.66vh);height:min(100vh,150vw);margin:auto;touch-action:none;user-select:none';
root.innerHTML = `<svg viewBox="0 0 480 720" width="100%" height="100%" font-family="sans-serif" font-weight="bold" text-anchor="middle" fill="#fff">
<rect width="480" height="360" fill="#7b2d43"/><rect y="360" width="480" height="360" fill="#22577a"/>
<g id="rope"><rect x="225" y="-400" width="30" height="1500" fill="#c9a66b"/><circle cx="240" cy="360" r="44" fill="#f1faee"/>
<path id="flag" d="M240 360 l70 20 l-70 20 z" fill="#ffb703"/></g>
<text id="top" x="110" y="120" font-size="34"></text><text id="low" x="240" y="680" font-size="34"></text></svg>`;
const find = (id) => root.querySelector('#' + id);

function begin() {
  Object.assign(s, { phase: 'play', score: 0, at: 0, t: 0 });
  svc.track('start', {});
}

function pull(way) {
  if (s.phase === 'ready' || s.phase === 'over' && s.rest <= 0) return begin();
  if (s.phase !== 'play') return undefined;
  s.at += way;
  s.score++;
  svc.track('score', { score: s.score });
  return Math.abs(s.at) >= 12 ? finish() : undefined;
}

function finish() {
  Object.assign(s, { phase: 'over', rest: 0.5 });
  svc.endGame({ outcome: s.at < 0 ? 'top' : s.at > 0 ? 'low' : 'draw', score: s.score });
}

root.addEventListener('pointerdown', (e) => {
  const r = root.getBoundingClientRect();
  pull(e.clientY < r.top + r.height / 2 ? -1 : 1);
});
window.addEventListener('keydown', (e) => {
  if (e.repeat) return;
  if (e.key === 'a' || e.key === 'd') pull(-1);
  if (e.key === 'l') pull(1);
});
let last = 0;
function frame(now) {
  const dt = Math.min(0.05, (now - last) / 1000);
  last = now;
  s.t += dt;
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase === 'play' && s.t > 20) finish();
  find('rope').style.transform = 'translateY(' + s.at * 20 + 'px)';
  find('flag').setAttribute('transform', 'rotate(' + 12 * Math.sin(s.t * 5) + ' 240 360)');
  find('top').textContent = s.phase === 'ready' ? 'A pulls up' : String(s.score);
  find('low').textContent = s.phase === 'play' ? Math.max(0, 20 - Math.floor(s.t)) + ' s' : s.phase === 'over' ? 'Again?' : 'L pulls down';
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
svc.expose(() => s);
svc.ready(() => 0);
