// The gate: two riddles, whose answers are typed; who turns back has lost.
const svc = window.svc;
const riddles = [
  ['I answer whoever calls, and was never born. What am I?', 'echo'],
  ['I follow you by day and leave you at night. What am I?', 'shadow'],
];
const s = { phase: 'ready', at: 0, tries: 0 };
const root = document.getElementById('game');
root.style.cssText = 'box-sizing:border-box;max-width:480px;height:100%;margin:auto;padding:28px;font:22px/1.5 serif;color:#e8e4d9;background:radial-gradient(#3d405b,#14151f)';

function add(tag, text, style) {
  const e = root.appendChild(document.createElement(tag));
  e.textContent = text;
  e.style.cssText = style || '';
  return e;
}

function button(text, act) { add('button', text, 'font:inherit;padding:12px 18px;margin:8px 8px 8px 0;border-radius:8px;border:1px solid #e07a5f;background:#2b2d42;color:#f4f1de').addEventListener('click', act); }

function begin() {
  Object.assign(s, { phase: 'play', at: 0, tries: 0 });
  svc.track('start', {});
  draw();
}

function finish(outcome) {
  s.phase = 'over';
  s.outcome = outcome;
  svc.endGame({ outcome, score: 0 });
  draw();
}

function answer(word) {
  s.tries++;
  if (word.trim().toLowerCase() === riddles[s.at][1]) s.at++;
  if (s.at === riddles.length) finish('win');
  else draw();
}

function draw() {
  root.textContent = '';
  add('h1', 'The gate', 'color:#e07a5f');
  if (s.phase === 'ready') return button('Begin', begin);
  if (s.phase === 'over') {
    add('p', s.outcome === 'win' ? 'The gate opens without a sound.' : 'You walk home in the rain.');
    return button('Once more', begin);
  }
  add('p', riddles[s.at][0]);
  if (s.tries > 0) add('p', 'Tries so far: ' + s.tries, 'color:#81b29a');
  const field = root.appendChild(document.createElement('input'));
  field.style.cssText = 'font:inherit;padding:10px;width:90%';
  field.addEventListener('keydown', (e) => { if (e.key === 'Enter') answer(field.value); });
  button('Answer', () => answer(field.value));
  button('Turn back', () => finish('lose'));
  return field.focus();
}

svc.expose(() => s);
svc.ready(() => draw());
