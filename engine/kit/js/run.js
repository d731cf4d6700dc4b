// Runs a game: sixty steps a second, drawn as often as the screen can.
import { STEP, lerp } from './math.js';
import { begin, score, end, expose, variants } from './svc.js';
import { hud, clear, shade, screen } from './hud.js';
import { listen } from './input.js';
import { load, store } from './store.js';
import { mute, sfx } from './sfx.js';
import { stage, paper } from './stage.js';

// At most MOST steps are made up for in a frame; for REST steps after an end no press
// begins again; what moves more than JUMP in a step is not seen on its way; a run of more
// than LONGEST changes of its input is not kept, nor reported if its text is longer than TEXT.
const MOST = 6;
const REST = 24;
const JUMP = 40;
const LONGEST = 40000;
const TEXT = 30000;
const AXES = ['x', 'y', 'z'];
const NONE = new Map();
const page = { phase: 'ready', rest: REST, was: NONE, given: {} };

// recording is {seed, steps, inputs: [[step, input]]} of the newest run, or nothing.
export const recording = () => page.tape;

export function pause(on) { page.paused = on && page.phase === 'play'; }

function create(game, seed, given = page.given) {
  const tunables = Object.entries(game.about.tunables || {}).map(([name, t]) => [name, given[name] ?? t.value]);
  return game.create(seed, Object.fromEntries(tunables));
}

// tuned are the values of tunables that an experiment gives this player.
function tuned({ tunables = {} }, of) {
  const names = Object.keys(tunables).filter((name) => {
    const v = name in of && Number(of[name]);
    return v !== false && v >= tunables[name].min && v <= tunables[name].max;
  });
  return Object.fromEntries(names.map((name) => [name, Number(of[name])]));
}

// played plays a recorded run again, and returns its state and how many steps it took.
function played(game, { seed, steps, inputs, given }) {
  const s = create(game, seed, given);
  let i = 0;
  for (let at = -1; i < steps && !s.outcome; i++) {
    if (inputs[at + 1] && inputs[at + 1][0] === i) at++;
    game.step(s, inputs[at][1]);
  }
  return { s, steps: i };
}

// replay returns the state that recorded inputs lead to.
export function replay(game, recorded) { return played(game, recorded).s; }

// written is a run as text: of each input what is not as it was.
function written({ seed, steps, inputs }) {
  let was = {};
  let at = -1;
  const changes = inputs.map(([step, input]) => {
    const changed = Object.entries(input).filter(([k, v]) => JSON.stringify(v) !== JSON.stringify(was[k]));
    const change = [step - at, Object.fromEntries(changed)];
    was = input;
    at = step;
    return change;
  });
  const text = JSON.stringify({ v: 1, seed, steps, given: page.given, changes });
  return text.length > TEXT ? '' : text;
}

// again says what a run comes to that was written.
function again(game, run) {
  if (run.v !== 1) throw new Error('a run of another version');
  let input = {};
  let step = -1;
  const inputs = run.changes.map(([after, changed]) => {
    input = { ...input, ...changed };
    step += after;
    return [step, input];
  });
  const { s, steps } = played(game, { ...run, inputs });
  return { over: !!s.outcome, outcome: s.outcome, score: s.score || 0, steps };
}

// places are those of all that moves smoothly.
function places({ smooth = [] }, s) {
  const all = [].concat(...smooth.map((name) => s[name])).filter(Boolean);
  return new Map(all.map((o) => [o, AXES.map((axis) => o[axis])]));
}

// draw shows what moves smoothly between its last two places.
function draw(game, g, alpha) {
  const now = places(game, page.s);
  now.forEach((to, o) => to.forEach((v, i) => {
    const from = (page.was.get(o) || to)[i];
    if (Math.abs(v - from) < JUMP) o[AXES[i]] = lerp(from, v, alpha);
  }));
  try {
    game.draw(g, page.s, page.phase);
  } finally {
    now.forEach((to, o) => to.forEach((v, i) => { if (v !== undefined) o[AXES[i]] = v; }));
  }
}

// words are the texts around a run.
/** @param {{ text?: any, title: string, size: any }} about */
function words({ text = {}, title, size }) {
  const { phase, s } = page;
  const say = (role, y, high, said = text[role] ?? role) => hud.text(role, said, size.w / 2, size.h * y, high);
  const scored = s.score !== undefined;
  if (page.paused || phase === 'over') shade();
  if (phase === 'ready') {
    say('title', 0.2, 46, title);
    say('how', 0.4, 22);
    say('start', 0.8, 28);
  } else if (phase === 'over') {
    say('outcome', 0.3, 46, text[s.outcome]);
    if (scored) say('final', 0.45, 64, s.score);
    if (scored) say('best', 0.56, 24, `${text.best ?? 'best'} ${store.get('best', 0)}`);
    say('again', 0.8, 28);
  } else {
    hud.text('pause', 'II', 28, 28);
    if (scored && !hud.has('score')) hud.text('score', s.score, size.w / 2, 36, 40);
    if (page.paused) say('paused', 0.45, 46);
    if (page.paused) say(page.quiet ? 'silent' : 'sound', 0.8, 28);
  }
}

function step(game, input) {
  const { s, tape, last } = page;
  const before = s.score;
  const now = page.last = JSON.stringify(input);
  if (tape && now !== last && tape.inputs.push([tape.steps, JSON.parse(now)]) > LONGEST) page.tape = null;
  if (tape) tape.steps++;
  game.step(s, input);
  if (s.score !== before) score(s.score);
  if (!s.outcome) return;
  Object.assign(page, { phase: 'over', rest: 0 });
  store.set('best', Math.max(store.get('best', 0), s.score || 0));
  sfx(s.outcome === 'win' ? 'win' : 'lose');
  end(s.outcome, page.tape ? written(page.tape) : '');
}

function tick(game, input) {
  const press = input.tapped || input.pressed.length > 0;
  const corner = input.tapped && input.x < 56 && input.y < 56;
  if (page.paused && input.tapped && input.y > 0.7 * game.about.size.h) page.quiet = mute();
  else if (page.paused) pause(!press);
  else if (page.phase === 'play' && corner) pause(true);
  else if (page.phase === 'play') step(game, input);
  else if (++page.rest > REST && press) {
    const tape = { seed: Math.floor(Math.random() * 2 ** 32), steps: 0, inputs: [] };
    Object.assign(page, { phase: 'play', tape, last: '', s: create(game, tape.seed) });
    begin();
  }
}

export async function run(game) {
  const { about } = game;
  if (window.__svc_replay) { // nobody plays: a run that was played is to be played again
    window.__svc_replay((run) => again(game, run));
    return;
  }
  const below = stage(about.size);
  const top = stage(about.size);
  const over = paper(top);
  await load(game.assets);
  page.given = tuned(about, await variants());
  page.s = create(game, 1);
  const { g, wipe, show } = await game.view(below);
  if (game.setup) game.setup(g, page.s);
  const typed = (about.controls || []).includes('type');
  const take = listen(top.canvas, about.size, (key) => {
    const held = key === 'Escape' || (key === 'p' && !typed);
    const quiet = key === 'm' && !typed;
    if (held) pause(!page.paused);
    if (quiet) page.quiet = mute();
    return held || quiet;
  });
  document.addEventListener('visibilitychange', () => { if (document.hidden) pause(true); });
  let last = performance.now();
  let debt = 0;
  const frame = () => {
    requestAnimationFrame(frame);
    const now = performance.now();
    debt = Math.min(debt + (now - last) / 1000, MOST * STEP);
    last = now;
    for (; debt > 1e-6; debt -= STEP) {
      page.was = debt < 0.999 * STEP ? places(game, page.s) : NONE;
      tick(game, take());
    }
    if (window.__svc_blind) return;
    if (wipe) wipe();
    over.wipe();
    clear(over.g, about.size);
    draw(game, g, 1 + debt / STEP);
    words(about);
    if (show) show();
  };
  requestAnimationFrame(frame);
  expose(() => page.s, screen);
}
