// The player's input: mouse, touch, pen and keyboard, in the field's units.
//
//   pressed     something was pressed since the last step
//   jump        the same, but not a direction's button
//   down        something is held
//   x, y        where the pointer is or was; null after a key
//   left, right, up, duck   directions that are held
import { W, H } from './world.js';
import { buttons } from './controls.js';

const KEYS = {
  ArrowLeft: 'left', a: 'left', A: 'left', ArrowRight: 'right', d: 'right', D: 'right',
  ArrowUp: 'up', w: 'up', W: 'up', ArrowDown: 'duck', s: 'duck', S: 'duck', ' ': 'fire', Enter: 'fire',
};
const DRAG = 16; // units that a finger moves until the stick has a direction

// listen reads events on target; canvas() is the element whose box is the
// field. take() returns the input of the next step and forgets its presses.
export function listen(target, canvas, controls, hooks) {
  const now = { pressed: false, jump: false, x: null, y: null };
  const keys = {};
  const pointers = new Map(); // id to {x, y, fromX, fromY, button}
  const pads = buttons(controls);

  function place(e) {
    const box = canvas().getBoundingClientRect();
    return {
      x: Math.max(0, Math.min(W, ((e.clientX - box.left) / box.width) * W)),
      y: Math.max(0, Math.min(H, ((e.clientY - box.top) / box.height) * H)),
    };
  }
  const padAt = (p) => {
    const b = pads.find((o) => (o.x - p.x) ** 2 + (o.y - p.y) ** 2 < (o.r * 1.25) ** 2);
    return b ? b.key : '';
  };

  target.addEventListener('pointerdown', (e) => {
    if (!canvas() || (e.isPrimary === false && pads.length === 0)) return;
    const p = place(e);
    if (hooks.tapped(p, e.pointerType === 'touch')) return;
    const button = padAt(p);
    pointers.set(e.pointerId, { x: p.x, y: p.y, fromX: p.x, fromY: p.y, button });
    now.x = p.x;
    now.y = p.y;
    now.pressed = true;
    if (button === '' || button === 'up') now.jump = true;
    if (e.cancelable) e.preventDefault();
  }, { passive: false });
  target.addEventListener('pointermove', (e) => {
    if (!canvas()) return;
    const p = place(e);
    const held = pointers.get(e.pointerId);
    if (held) Object.assign(held, { x: p.x, y: p.y, button: held.button && padAt(p) });
    if (held || controls === 'pointer') {
      now.x = p.x;
      now.y = p.y;
    }
  });
  const release = (e) => { if (e.pointerId === undefined) pointers.clear(); else pointers.delete(e.pointerId); };
  for (const type of ['pointerup', 'pointercancel']) target.addEventListener(type, release);
  target.addEventListener('blur', () => {
    pointers.clear();
    for (const k of Object.keys(keys)) keys[k] = false;
  });

  target.addEventListener('keydown', (e) => {
    if (e.key === 'm' || e.key === 'M') hooks.mute();
    if (e.key === 'p' || e.key === 'P' || e.key === 'Escape') hooks.pause();
    const key = KEYS[e.key];
    if (!key) return;
    e.preventDefault();
    if (e.repeat) return;
    keys[key] = now.pressed = true;
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
  const held = (dir) => Boolean(keys[dir]) || [...pointers.values()].some((p) => p.button === dir) || stick(dir);

  return {
    take() {
      const input = {
        pressed: now.pressed, jump: now.jump, x: now.x, y: now.y,
        down: pointers.size > 0 || Object.keys(keys).some((k) => keys[k]),
        left: held('left'), right: held('right'), up: held('up'), duck: held('duck'),
      };
      now.pressed = now.jump = false;
      return input;
    },
  };
}
