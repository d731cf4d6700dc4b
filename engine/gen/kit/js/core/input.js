// The player's input: mouse, touch, pen and keyboard, in the field's units.
//
//   pressed     something was pressed since the last step
//   jump        the same, but not a direction's button
//   down        something is held
//   x, y        where the pointer is or was; null after a key
//   left, right, up, duck   directions that are held
//   move        '' or the direction of an arrow key or a swipe since the last
//               step: 'left', 'right', 'up' or 'down'
//   tapped      a finger left the place that it had pressed, or fire was pressed
//   released    a finger left
//   fire        space or enter was pressed
//   alt         a right button, or a finger that stayed on its place
//   key         '' or the character that was typed
import { W, H, STRIP } from './world.js';
import { buttons } from './controls.js';

const KEYS = {
  ArrowLeft: 'left', a: 'left', A: 'left', ArrowRight: 'right', d: 'right', D: 'right',
  ArrowUp: 'up', w: 'up', W: 'up', ArrowDown: 'duck', s: 'duck', S: 'duck', ' ': 'fire', Enter: 'fire',
};
const DRAG = 16; // units that a finger moves until the stick has a direction
const SWIPE = 34; // units that make a swipe
const LONG = 24; // steps that a finger stays for the other button
const MOVES = { left: 'left', right: 'right', up: 'up', duck: 'down' };

// listen reads events on target; canvas() is the element whose box is the
// field. take() returns the input of the next step and forgets its presses.
export function listen(target, canvas, controls, hooks) {
  const none = {
    pressed: false, jump: false, move: '', tapped: false, released: false, fire: false, alt: false, key: '',
  };
  const now = Object.assign({ x: null, y: null }, none);
  const keys = {};
  const pointers = new Map(); // id to {x, y, fromX, fromY, button}
  const pads = buttons(controls);
  const many = controls === 'sides' || controls === 'type'; // two thumbs at once

  function place(e) {
    const box = canvas().getBoundingClientRect();
    return {
      x: Math.max(0, Math.min(W, ((e.clientX - box.left) / box.width) * W)),
      y: Math.max(0, Math.min(H + STRIP, ((e.clientY - box.top) / box.height) * (H + STRIP))),
    };
  }
  const padAt = (p) => {
    const b = pads.find((o) => (o.x - p.x) ** 2 + (o.y - p.y) ** 2 < (o.r * 1.25) ** 2);
    return b ? b.key : '';
  };

  target.addEventListener('pointerdown', (e) => {
    if (!canvas() || (e.isPrimary === false && pads.length === 0 && !many)) return;
    const p = place(e);
    if (hooks.tapped(p, e.pointerType === 'touch')) return;
    const button = padAt(p);
    now.x = p.x;
    now.y = p.y;
    if (e.button === 2) {
      now.alt = true;
      return;
    }
    pointers.set(e.pointerId, { x: p.x, y: p.y, fromX: p.x, fromY: p.y, button, swiped: false, steps: 0 });
    now.pressed = true;
    if (button === '' || button === 'up') now.jump = true;
    if (e.cancelable) e.preventDefault();
  }, { passive: false });
  target.addEventListener('pointermove', (e) => {
    if (!canvas()) return;
    const p = place(e);
    const held = pointers.get(e.pointerId);
    if (held) Object.assign(held, { x: p.x, y: p.y, button: held.button && padAt(p) });
    if (held && controls === 'swipe') swipe(held);
    if (held || controls === 'pointer' || controls === 'board') {
      now.x = p.x;
      now.y = p.y;
    }
  });
  function swipe(p) {
    const dx = p.x - p.fromX;
    const dy = p.y - p.fromY;
    if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE) return;
    now.move = Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? 'left' : 'right') : dy < 0 ? 'up' : 'down';
    Object.assign(p, { fromX: p.x, fromY: p.y, swiped: true });
  }
  const release = (e) => {
    const p = pointers.get(e.pointerId);
    if (p && e.type === 'pointerup') {
      now.released = true;
      now.tapped = !p.swiped && !p.long && Math.max(Math.abs(p.x - p.fromX), Math.abs(p.y - p.fromY)) < SWIPE;
    }
    if (e.pointerId === undefined) pointers.clear();
    else pointers.delete(e.pointerId);
  };
  target.addEventListener('contextmenu', (e) => e.preventDefault());
  for (const type of ['pointerup', 'pointercancel']) target.addEventListener(type, release);
  target.addEventListener('blur', () => {
    pointers.clear();
    for (const k of Object.keys(keys)) keys[k] = false;
  });

  target.addEventListener('keydown', (e) => {
    const typing = controls === 'type' && e.key.length === 1 && e.key !== ' ' && !e.ctrlKey && !e.metaKey;
    if (e.key.length === 1 || e.key === 'Backspace' || e.key === 'Enter') now.key = e.key;
    if (!typing && (e.key === 'm' || e.key === 'M')) hooks.mute();
    if (e.key === 'Escape' || (!typing && (e.key === 'p' || e.key === 'P'))) hooks.pause();
    if (typing && !e.repeat) now.pressed = true;
    const key = typing ? '' : KEYS[e.key];
    if (!key) return;
    e.preventDefault();
    if (e.repeat) return;
    keys[key] = now.pressed = true;
    now.move = MOVES[key] || now.move;
    now.fire = now.fire || key === 'fire';
    if (key === 'fire' || key === 'up') now.jump = true;
    now.x = controls === 'tap' && key === 'left' ? W * 0.25 : controls === 'tap' && key === 'right' ? W * 0.75 : null;
    now.y = null;
  });
  target.addEventListener('keyup', (e) => { if (KEYS[e.key]) keys[KEYS[e.key]] = false; });

  // stick is the direction of the first finger that was dragged far enough.
  function stick(dir) {
    if (controls !== 'stick') return false;
    for (const p of pointers.values()) {
      const dx = p.x - p.fromX;
      const dy = p.y - p.fromY;
      if (Math.max(Math.abs(dx), Math.abs(dy)) < DRAG) continue;
      return (Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? 'left' : 'right') : dy < 0 ? 'up' : 'duck') === dir;
    }
    return false;
  }
  // side is a finger on the left or the right half of the field.
  const side = (p) => (controls === 'sides' ? (p.x < W / 2 ? 'left' : 'right') : '');
  const held = (dir) =>
    Boolean(keys[dir]) || [...pointers.values()].some((p) => p.button === dir || side(p) === dir) || stick(dir);

  return {
    take() {
      for (const p of pointers.values()) {
        if (++p.steps !== LONG || Math.max(Math.abs(p.x - p.fromX), Math.abs(p.y - p.fromY)) >= DRAG) continue;
        p.long = controls === 'board';
        now.alt = now.alt || p.long;
      }
      const input = {
        ...now, tapped: now.tapped || now.fire,
        down: pointers.size > 0 || Object.keys(keys).some((k) => keys[k]),
        left: held('left'), right: held('right'), up: held('up'), duck: held('duck'),
      };
      Object.assign(now, none);
      return input;
    },
  };
}
