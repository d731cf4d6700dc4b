// What a player does, as plain data for each step.
const WAYS = {
  ArrowLeft: 'left', a: 'left', ArrowRight: 'right', d: 'right', ArrowUp: 'up', w: 'up', ArrowDown: 'down', s: 'down',
  ' ': 'action', Enter: 'action',
};
const DRAG = 24;

// listen returns what takes the input of the next step. page(key) takes keys for itself;
// a finger has a direction once it moved as far as DRAG.
export function listen(canvas, { w, h }, page) {
  const keys = new Set();
  const fingers = new Map();
  const now = { pressed: [], tapped: false, released: false, x: w / 2, y: h / 2 };
  const press = (name) => { if (name && !now.pressed.includes(name)) now.pressed.push(name); };
  const low = (e) => (e.key.length === 1 ? e.key.toLowerCase() : e.key);
  const on = (type, f) => addEventListener(type, f, { passive: false });

  function point(e) {
    const box = canvas.getBoundingClientRect();
    now.x = Math.round(((e.clientX - box.left) / box.width) * w * 8) / 8;
    now.y = Math.round(((e.clientY - box.top) / box.height) * h * 8) / 8;
    const f = fingers.get(e.pointerId);
    if (!f) return;
    Object.assign(f, { x: now.x, y: now.y });
    const [dx, dy] = [f.x - f.fromX, f.y - f.fromY];
    if (Math.max(Math.abs(dx), Math.abs(dy)) < DRAG) return;
    const way = Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? 'left' : 'right') : dy < 0 ? 'up' : 'down';
    if (way !== f.way) press(way);
    Object.assign(f, { way, fromX: f.x, fromY: f.y });
  }
  function lift(e) {
    if (fingers.delete(e.pointerId)) now.released = true;
  }
  on('pointermove', point);
  on('pointerdown', (e) => {
    e.preventDefault();
    point(e);
    now.tapped = true;
    fingers.set(e.pointerId, { x: now.x, y: now.y, fromX: now.x, fromY: now.y });
  });
  on('pointerup', lift);
  on('pointercancel', lift);
  on('keydown', (e) => {
    const key = low(e);
    if (WAYS[key]) e.preventDefault();
    if (e.repeat || page(key)) return;
    keys.add(key);
    press(key);
    press(WAYS[key]);
  });
  on('keyup', (e) => keys.delete(low(e)));
  on('blur', () => {
    keys.clear();
    fingers.clear();
  });

  return () => {
    const down = [...fingers.values()];
    const held = [...now.pressed, ...down.map((f) => f.way), ...[...keys].map((key) => WAYS[key])];
    const input = { ...now, fingers: down.map(({ x, y }) => ({ x, y })) };
    for (const name of ['left', 'right', 'up', 'down', 'action']) input[name] = held.includes(name);
    Object.assign(now, { pressed: [], tapped: false, released: false });
    return input;
  };
}
