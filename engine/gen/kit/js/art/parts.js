// Ears and tails of animals with four legs, by their kind.

const DARK = '#2a2233';
const PINK = '#ff9fb2';

// Ears on a head at x, y with the radius r. Those of the far side
// come first.
export const ears = {
  point: (b, o, x, y, r) => {
    for (const k of [0.75, -0.6]) {
      const at = x + k * r;
      b.poly([[at - r * 0.42, y - r * 0.5], [at + (k > 0 ? 3 : -3), y - r * 1.55], [at + r * 0.42, y - r * 0.55]],
        o.color);
      b.poly([[at - r * 0.2, y - r * 0.65], [at + (k > 0 ? 2 : -2), y - r * 1.2], [at + r * 0.2, y - r * 0.65]],
        o.color2, { line: 0, flat: true });
    }
  },
  round: (b, o, x, y, r) => {
    for (const k of [0.75, -0.7]) {
      b.oval(x + k * r, y - r * 0.75, r * 0.42, r * 0.42, o.color);
      b.oval(x + k * r, y - r * 0.75, r * 0.2, r * 0.2, o.color2, { line: 0 });
    }
  },
  big: (b, o, x, y, r) => {
    for (const k of [0.8, -0.9]) {
      b.oval(x + k * r, y - r * 0.8, r * 0.72, r * 0.72, o.color);
      b.oval(x + k * r, y - r * 0.8, r * 0.44, r * 0.44, PINK, { line: 0 });
    }
  },
  long: (b, o, x, y, r) => {
    for (const k of [0.42, -0.3]) {
      b.oval(x + k * r, y - r * 1.5, r * 0.32, r * 0.95, o.color, { rot: k * 0.5 });
      b.oval(x + k * r, y - r * 1.45, r * 0.14, r * 0.65, PINK, { rot: k * 0.5, line: 0 });
    }
  },
  side: (b, o, x, y, r) => {
    for (const k of [1.05, -1.05]) b.oval(x + k * r, y - r * 0.35, r * 0.42, r * 0.24, o.color, { rot: k * -0.3 });
  },
  flop: () => {}, // hangs in front of the head
  none: () => {},
};

export const tails = {
  long: (b, o, p) => b.limb((c) => {
    c.moveTo(p.back, 12);
    c.bezierCurveTo(p.back - 26, 16, p.back - 8, -18, p.back - 16, -26);
  }, 7, o.color),
  up: (b, o, p) => b.limb((c) => {
    c.moveTo(p.back + 4, 6);
    c.quadraticCurveTo(p.back - 14, 0, p.back - 12, -18);
  }, 8, o.color),
  bush: (b, o, p) => {
    b.shape(o.color, (c) => {
      c.moveTo(p.back + 6, 18);
      c.bezierCurveTo(p.back - 20, 30, p.back - 26, -6, p.back - 14, -26);
      c.bezierCurveTo(p.back - 4, -14, p.back + 4, -8, p.back + 10, 6);
      c.closePath();
    });
    b.shape(o.color2, (c) => {
      c.moveTo(p.back - 14, -26);
      c.bezierCurveTo(p.back - 21, -16, p.back - 22, -10, p.back - 20, -2);
      c.quadraticCurveTo(p.back - 8, -4, p.back - 3, -13);
      c.closePath();
    }, { line: 3 });
  },
  hair: (b, o, p) => b.shape(o.mane, (c) => {
    c.moveTo(p.back + 8, 0);
    c.bezierCurveTo(p.back - 18, -8, p.back - 20, 18, p.back - 14, 36);
    c.bezierCurveTo(p.back - 2, 26, p.back + 6, 18, p.back + 10, 8);
    c.closePath();
  }),
  tuft: (b, o, p) => {
    b.limb((c) => { c.moveTo(p.back + 3, 8); c.quadraticCurveTo(p.back - 14, 10, p.back - 11, 26); }, 5, o.color);
    b.oval(p.back - 11, 28, 6, 8, o.mane || DARK, { line: 3.5 });
  },
  curl: (b, o, p) => b.limb((c) => {
    c.moveTo(p.back + 4, 4);
    c.bezierCurveTo(p.back - 16, -2, p.back - 12, -16, p.back - 5, -10);
  }, 4, o.color),
  ball: (b, o, p) => b.oval(p.back - 1, 10, 9, 9, o.color2),
  thin: (b, o, p) => b.limb((c) => {
    c.moveTo(p.back + 4, 20);
    c.bezierCurveTo(p.back - 20, 24, p.back - 6, 2, p.back - 19, -4);
  }, 3.5, PINK),
  none: () => {},
};
