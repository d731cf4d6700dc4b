// A player inside the page: it sees window.__svc_state(), acts as the game's player
// says, which window.__svc_acts is, and makes the events that fingers and keys make.
import { blind, skilled } from './policies.js';

const KEYS = { left: 'ArrowLeft', right: 'ArrowRight', up: 'ArrowUp', duck: 'ArrowDown' };
const ARROWS = { left: 'ArrowLeft', right: 'ArrowRight', up: 'ArrowUp', down: 'ArrowDown' };
const unseeing = Object.assign({ rest: blind.idle }, blind);
const look = () => (window.__svc_view || window.__svc_state)();
const held = {};
let touching = false;

function pointer(type, x, y, field, button) {
  const canvas = document.querySelector('canvas');
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent(type, {
    bubbles: true, cancelable: true, isPrimary: true, pointerId: 1, button: button || 0,
    clientX: box.left + (x / field.w) * box.width, clientY: box.top + (y / field.h) * box.height,
  }));
}

function key(name, down) {
  window.dispatchEvent(new KeyboardEvent(down ? 'keydown' : 'keyup', { key: name, bubbles: true, cancelable: true }));
}

function perform(act, s) {
  const a = act || {};
  for (const dir of Object.keys(KEYS)) {
    if (Boolean(a[dir]) === Boolean(held[dir])) continue;
    held[dir] = Boolean(a[dir]);
    key(KEYS[dir], held[dir]);
  }
  const x = a.x === undefined ? s.field.w / 2 : a.x;
  const y = a.y === undefined ? s.field.h / 2 : a.y;
  if ((s.controls === 'pointer' || touching && a.hold) && a.x !== undefined) pointer('pointermove', x, y, s.field);
  if (a.hold && !touching) pointer('pointerdown', x, y, s.field);
  else if (!a.hold && touching) pointer('pointerup', x, y, s.field);
  touching = Boolean(a.hold);
  if (a.move) {
    key(ARROWS[a.move], true);
    key(ARROWS[a.move], false);
  }
  if (a.key) {
    key(a.key, true);
    key(a.key, false);
  }
  if (a.alt) pointer('pointerdown', x, y, s.field, 2);
  if (a.jump && s.controls !== 'tap') {
    key(' ', true);
    key(' ', false);
  } else if (a.tap && !a.hold) {
    pointer('pointerdown', x, y, s.field);
    pointer('pointerup', x, y, s.field);
  }
}

// acts is what the game's own player does now.
function acts(s) {
  if (window.__svc_acts && s.view && s.view.state) return window.__svc_acts.act(s.view.state);
  return s.view && s.view.act;
}

// pass lets frames pass unseen while a policy plays, until the phase changes.
async function pass(policy, frames) {
  const phase = look().phase;
  const memory = { last: -99 };
  // A frame is composed for every few steps, and only the last is drawn.
  const stride = policy === 'idle' ? 6 : 2; // one that rests is compared with one that plays
  window.__clock.draw(false);
  for (let i = 0; i < frames; i += stride) {
    const s = look();
    if (s.phase !== phase) break;
    if (phase === 'play') perform(policy === 'skilled' ? skilled(i, acts(s), memory) : unseeing[policy](i), s);
    window.__clock.step(Math.min(stride, frames - i));
    if (i % 120 === 0) await window.__clock.breathe();
  }
  perform(null, look());
  return told();
}

// run does the same and shows one more frame.
async function run(policy, frames) {
  await pass(policy, frames);
  window.__clock.draw(true);
  window.__clock.step(1);
  await window.__clock.painted();
  return told();
}

function told() {
  const s = window.__svc_state();
  delete s.view;
  return s;
}

window.__player = { run, pass };
