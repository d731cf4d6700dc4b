// Rivers: a quiz of five questions in plain DOM, without a canvas.
const svc = window.svc;
const questions = [
  ['Which river runs through Paris?', ['Seine', 'Rhine', 'Po', 'Ebro'], 0],
  ['Which river runs through London?', ['Severn', 'Trent', 'Thames', 'Tyne'], 2],
  ['Which river runs through Vienna?', ['Elbe', 'Danube', 'Oder', 'Isar'], 1],
  ['Which river runs through Rome?', ['Arno', 'Adige', 'Po', 'Tiber'], 3],
  ['Which river runs through Cairo?', ['Congo', 'Nile', 'Niger', 'Volta'], 1],
];
const s = { phase: 'ready', score: 0, at: 0 };
const root = document.getElementById('game');
root.style.cssText = 'box-sizing:border-box;max-width:480px;height:100%;margin:auto;padding:24px;font:22px sans-serif;color:#fff;background:linear-gradient(#26496f,#4d2a63)';

function element(tag, text, style) {
  const e = document.createElement(tag);
  e.textContent = text;
  e.style.cssText = style || '';
  root.appendChild(e);
  return e;
}

function button(text, color, then) {
  const b = element('button', text, 'display:block;width:100%;height:64px;margin:14px 0;border:0;border-radius:12px;font:inherit;color:#fff;background:' + color);
  b.addEventListener('click', () => { act(then); });
  return b;
}

function act(then) {
  then();
  draw();
}

function start() {
  s.score = 0;
  s.phase = 'play';
  s.at = 0;
  svc.track('start', {});
}

function gain(n) {
  s.score += n;
  svc.track('score', { score: s.score });
}

function finish(outcome) {
  s.phase = 'over';
  svc.endGame({ outcome: outcome, score: s.score });
}

function answer(i) {
  if (s.phase !== 'play') return;
  if (i === questions[s.at][2]) gain(10);
  s.at++;
  if (s.at === questions.length) finish(s.score >= 30 ? 'win' : 'lose');
}

function again() {
  start();
}

function draw() {
  root.textContent = '';
  element('h1', 'Rivers', 'margin:0 0 20px;color:#ffd36b');
  if (s.phase === 'ready') {
    element('p', 'Five questions. How many do you know?');
    button('Start', '#2f8f5b', start);
    return;
  }
  element('p', 'Points: ' + s.score, 'color:#9fe0ff');
  if (s.phase === 'over') {
    element('p', s.score >= 30 ? 'Well done!' : 'Not your rivers.');
    button('Again', '#2f8f5b', again);
    return;
  }
  const q = questions[s.at];
  element('p', s.at + 1 + '. ' + q[0]);
  q[1].forEach((text, i) => button(text, ['#a8452f', '#2f6ca8', '#7a4fa0', '#80702c'][i], () => answer(i)));
}

svc.expose(() => s);
svc.ready(() => {
  draw();
});
