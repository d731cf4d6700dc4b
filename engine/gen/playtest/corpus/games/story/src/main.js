// The lamp: a story of choices, in DOM; it has two ends and no points.
const svc = window.svc;
const scenes = {
  door: ['The lighthouse is dark. The door stands ajar.', [['Go in', 'stairs'], ['Walk around it', 'shed']], '#1f3550'],
  shed: ['Behind it is a shed. There is oil in a can.', [['Take the oil', 'oil'], ['Leave it', 'door']], '#3a3f2c'],
  oil: ['The can is heavy, and full.', [['Back to the door', 'full']], '#4a3a20'],
  full: ['With the can in hand you stand at the door.', [['Climb the stairs', 'light']], '#1f3550'],
  stairs: ['The stairs are long. Up there is a lamp without oil.', [['Wait for the morning', 'wreck'], ['Go down again', 'door']], '#2c2340'],
  light: ['The lamp burns. A ship turns away from the rocks.', 'win', '#6b5a1e'],
  wreck: ['In the night you hear wood break on stone.', 'lose', '#401f1f'],
};
const s = { phase: 'ready', scene: 'door', steps: 0 };
const root = document.getElementById('game');
root.style.cssText = 'box-sizing:border-box;max-width:480px;height:100%;margin:auto;padding:28px;font:22px/1.5 serif;color:#f3ead2';

function start() {
  s.phase = 'play';
  s.scene = 'door';
  s.steps = 0;
  svc.track('start', {});
}

function finish(outcome) {
  s.phase = 'over';
  svc.endGame({ outcome: outcome, score: 0 });
}

function go(name) {
  if (s.phase !== 'play') return;
  s.scene = name;
  s.steps++;
  const next = scenes[name][1];
  if (typeof next === 'string') finish(next);
}

function choice(text, then) {
  const b = document.createElement('button');
  b.textContent = text;
  b.style.cssText = 'display:block;width:100%;margin:14px 0;padding:14px;border:2px solid #d8b65a;border-radius:10px;background:#2a2018;color:#f3ead2;font:inherit';
  b.addEventListener('click', () => { act(then); });
  root.appendChild(b);
}

function act(then) {
  then();
  draw();
}

function say(text, style) {
  const p = document.createElement('p');
  p.textContent = text;
  p.style.cssText = style || '';
  root.appendChild(p);
}

function again() {
  start();
}

function draw() {
  const scene = scenes[s.scene];
  root.textContent = '';
  root.style.background = scene[2];
  say('The lamp', 'font-size:34px;color:#d8b65a;margin:0');
  if (s.phase === 'ready') return choice('Begin', start);
  say(scene[0]);
  if (s.phase === 'over') {
    say('The end.', 'color:#9fd0c0');
    return choice('Read again', again);
  }
  return scene[1].forEach((c) => choice(c[0], () => go(c[1])));
}

svc.expose(() => s);
svc.ready(() => draw());
