// Fingers and keys: the events that a mouse, a finger and a keyboard make, at the
// element that lies there.
import { place, buttons } from './eyes.js';

const KEYS = { left: 'ArrowLeft', right: 'ArrowRight', up: 'ArrowUp', down: 'ArrowDown', duck: 'ArrowDown' };
const CODES = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, ' ': 32, Enter: 13, Escape: 27, Backspace: 8, Tab: 9, Shift: 16 };
const held = {};
const listens = new Set(); // types of events that someone listens to
let finger = null; // where one is down, and on what
let counts = 0;

const lasting = (target) => target === window || target === document || target === document.body || target instanceof HTMLCanvasElement;
export const listeners = () => counts;

export function install() {
  const known = new WeakMap();
  const add = EventTarget.prototype.addEventListener;
  const remove = EventTarget.prototype.removeEventListener;
  const of = (target) => {
    const t = target || window;
    if (!known.has(t)) known.set(t, new Map());
    return known.get(t);
  };
  const key = (type, options) => type + (options === true || (options && options.capture) ? '!' : '');
  EventTarget.prototype.addEventListener = function listen(type, callback, options) {
    listens.add(type);
    if (callback && lasting(this || window)) {
      const mine = of(this);
      const k = key(type, options);
      if (!mine.has(k)) mine.set(k, new Set());
      if (!mine.get(k).has(callback)) counts++;
      mine.get(k).add(callback);
    }
    return add.call(this || window, type, callback, options);
  };
  EventTarget.prototype.removeEventListener = function ignore(type, callback, options) {
    const mine = of(this).get(key(type, options));
    if (mine && mine.delete(callback)) counts--;
    return remove.call(this || window, type, callback, options);
  };
}

// point is a place of the game's box, in shares of it, on the page.
export function point(x, y) {
  const r = place();
  return { x: r.left + x * r.width, y: r.top + y * r.height };
}

const at = (p) => document.elementFromPoint(p.x, p.y) || document.querySelector('canvas') || document.body;

function fire(target, type, p, button) {
  const touchy = !listens.has('pointerdown') && !listens.has('mousedown') && !listens.has('click');
  const common = {
    bubbles: true, cancelable: true, composed: true, view: window, clientX: p.x, clientY: p.y, screenX: p.x, screenY: p.y, button: /move$/.test(type) ? -1 : button,
    buttons: finger ? (button === 2 ? 2 : 1) : 0, detail: 1,
  };
  const going = target.dispatchEvent(new PointerEvent('pointer' + type, Object.assign({ pointerId: 1, isPrimary: true, pointerType: 'mouse', width: 1, height: 1, pressure: finger ? 0.5 : 0 }, common)));
  if (touchy) touch(target, { down: 'touchstart', move: 'touchmove', up: 'touchend' }[type], p);
  else if (going) target.dispatchEvent(new MouseEvent('mouse' + type, Object.assign(common, { button: Math.max(0, common.button) })));
}

function touch(target, type, p) {
  if (type === 'touchmove' && !finger) return;
  const one = new Touch({ identifier: 1, target, clientX: p.x, clientY: p.y, pageX: p.x, pageY: p.y });
  const list = type === 'touchend' ? [] : [one];
  target.dispatchEvent(new TouchEvent(type, { bubbles: true, cancelable: true, touches: list, targetTouches: list, changedTouches: [one] }));
}

export function move(p) { fire(finger ? finger.target : at(p), 'move', p, finger ? finger.button : 0); }

export function down(p, button) {
  if (finger) return;
  const target = at(p);
  fire(target, 'move', p, 0);
  finger = { target, button: button || 0 };
  fire(target, 'down', p, finger.button);
  const field = target.closest && target.closest('input, textarea, select, button, [tabindex]');
  if (field) field.focus();
}

export function up(p) {
  if (!finger) return;
  const { target, button } = finger;
  finger = null;
  fire(target, 'up', p, button);
  const init = { bubbles: true, cancelable: true, composed: true, view: window, clientX: p.x, clientY: p.y, button, detail: 1 };
  if (!target.isConnected) return;
  target.dispatchEvent(button === 2 ? new MouseEvent('contextmenu', init) : new MouseEvent('click', init));
}

export function tap(p, button) {
  down(p, button);
  up(p);
}

export function key(name, isDown) {
  const upper = name.length === 1 ? name.toUpperCase() : name;
  const code = CODES[name] || upper.charCodeAt(0);
  const init = {
    key: name, code: name === ' ' ? 'Space' : name.length === 1 ? (/\d/.test(name) ? 'Digit' : 'Key') + upper : name,
    keyCode: code, which: code, bubbles: true, cancelable: true, composed: true, view: window,
  };
  const target = document.activeElement || document.body;
  const going = target.dispatchEvent(new KeyboardEvent(isDown ? 'keydown' : 'keyup', init));
  if (isDown && going) write(target, name);
}

// write does what a key does to a field of text.
function write(target, name) {
  if (name.length === 1) target.dispatchEvent(new KeyboardEvent('keypress', { key: name, keyCode: name.charCodeAt(0), bubbles: true, cancelable: true }));
  if (!/^(INPUT|TEXTAREA)$/.test(target.tagName)) return;
  if (name === 'Enter' && target.form) target.form.requestSubmit();
  if (name === 'Backspace') target.value = target.value.slice(0, -1);
  else if (name.length === 1) target.value += name;
  else return;
  target.dispatchEvent(new Event('input', { bubbles: true }));
}

export function press(name) {
  key(name, true);
  key(name, false);
}

function hold(name, on) {
  if (Boolean(held[name]) === on) return;
  held[name] = on;
  key(name, on);
}

// perform does what a policy or a player says; x and y are of a field w by h.
export function perform(act, w, h) {
  const a = act || {};
  for (const way of ['left', 'right', 'up', 'duck']) hold(KEYS[way], Boolean(a[way]));
  const p = point(Number.isFinite(a.x) ? a.x / w : 0.5, Number.isFinite(a.y) ? a.y / h : 0.5);
  if (Number.isFinite(a.x)) move(p);
  if (a.hold && !finger) down(p);
  else if (!a.hold && finger) up(p);
  if (KEYS[a.move]) press(KEYS[a.move]);
  if (a.key) press(String(a.key));
  if (a.alt) tap(p, 2);
  if (a.tap && !a.hold) tap(p);
  else if (a.jump && !a.hold) press(' ');
}

// replay does one input of a check.
export function replay(input) {
  let p = point(input.x === undefined ? 0.5 : input.x, input.y === undefined ? 0.5 : input.y);
  if (typeof input.tap === 'string') {
    const found = buttons().find((b) => b.text === input.tap) || buttons().find((b) => b.text.includes(input.tap));
    if (!found) return;
    p = found;
  }
  if (input.move) move(p);
  if (input.down) down(p);
  if (input.up) up(p);
  if (input.tap) tap(p);
  if (input.alt) tap(p, 2);
  if (input.key) key(input.key, true);
  if (input.keyUp) key(input.keyUp, false);
  for (const letter of input.text || '') press(letter);
}
