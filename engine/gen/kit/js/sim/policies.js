// How automatic players act: from the number of the step, and for the skilled
// one from what the view says that an attentive player would do. An act is
//
//   {tap, hold, jump, left, right, up, duck, move, key, alt, x, y}
//
// all of it optional; null does nothing.

const MOVES = ['right', 'down', 'left', 'up'];

export const blind = {
  idle: () => null,
  hold: (i) => (i === 0 ? { tap: true, hold: true, right: true } : { hold: true, right: true }),
  mash: (i) =>
    ({
    tap: i % 8 === 0, jump: i % 8 === 0, left: Math.floor(i / 34) % 2 === 1, right: Math.floor(i / 34) % 2 === 0,
    move: i % 16 === 4 ? MOVES[Math.floor(i / 16) % 4] : '', x: sweep(i),
  }),
  periodic: (i) => ({ tap: i % 36 === 0, jump: i % 36 === 0, right: true }),
};

function sweep(i) { return i % 8 === 0 ? 240 + Math.round(Math.sin(i * 0.7) * 150) : undefined; }

const REST = 6; // steps between two taps of a player who is no machine

// skilled follows the view's act, but taps no oftener than ten times a second.
export function skilled(i, act, memory) {
  if (!act) return null;
  if (!act.tap && !act.jump && !act.move && !act.key && !act.alt) return act;
  if (i - memory.last < REST) return Object.assign({}, act, { tap: false, jump: false, move: '', key: '', alt: false });
  memory.last = i;
  return act;
}
