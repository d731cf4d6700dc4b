// Animals with bodies of their own, seen from the side and facing right. Each
// painter draws the whole animal and returns where a hat sits: x, y and a scale.
import { ears, tails } from './parts.js';
import { shade } from './paint.js';

const DARK = '#2a2233';

const smile = (b, x, y, r) => b.stroke((c) => c.arc(x, y, r, 0.3, 2.2), 3.5);
const nose = (b, x, y, rx, ry) => b.oval(x, y, rx, ry || rx * 0.75, DARK, { flat: true, line: 0 });

// beast is an animal on four legs. p: legs and their thickness, head [x, y, r],
// ears, tail, snout [x, y, rx, ry, tilt] and its colour.
function beast(b, o, p) {
  const [hx, hy, r] = p.head;
  const at = Object.assign({ back: -36 }, p);
  const from = p.belly || 16;
  const w = p.thick || 13;
  tails[p.tail || 'none'](b, o, at);
  (p.legs || [-26, -10, 8, 22]).forEach((x, i) => {
    const color = i % 2 ? shade(o.color, -0.16) : o.color;
    b.round(x - w / 2, from, w, 47 - from, 5, p.socks || color, { top: from, bottom: 58 });
    if (p.hooves) b.round(x - w / 2, 39, w, 8, 3, DARK, { flat: true, line: 0 });
  });
  if (p.neck) b.limb((c) => { c.moveTo(p.neck[0], p.neck[1]); c.lineTo(hx, hy); }, p.neck[2], o.color);
  const [bx, by, rx, ry] = p.body || [-4, 13, 33, 19];
  if (p.wool) {
    for (let i = 0; i < 9; i++) {
      b.oval(bx + Math.cos(i * 0.7) * rx * 0.8, by + Math.sin(i * 0.7) * ry * 0.75, 12, 12, o.color);
    }
    b.oval(bx, by, rx * 0.92, ry * 0.9, o.color, { line: 0 });
  } else {
    b.oval(bx, by, rx, ry, o.color);
  }
  if (p.coat) b.within((c) => c.ellipse(bx, by, rx - 2, ry - 2, 0, 0, 7), () => p.coat(b, o, bx, by));
  if (p.mane) p.mane(b, o, hx, hy, r);
  const face = p.face ? Object.assign({}, o, { color: p.face }) : o;
  ears[p.ears || 'none'](b, face, hx, hy, r);
  b.oval(hx, hy, r * 1.05, r, face.color);
  if (p.mark) b.within((c) => c.ellipse(hx, hy, r, r * 0.94, 0, 0, 7), () => p.mark(b, o, hx, hy, r));
  const [sx, sy, srx, sry, tilt] = p.snout || [hx + r * 0.55, hy + r * 0.42, r * 0.58, r * 0.44, 0];
  b.oval(sx, sy, srx, sry, p.muzzle || o.color2, { rot: tilt || 0, line: p.soft ? 0 : 3.5 });
  if (p.eyes === 1) b.eye(hx + r * 0.2, hy - r * 0.2, r * 0.34, 0.2);
  else for (const k of [-0.24, 0.62]) b.eye(hx + k * r, hy - r * 0.22, r * (p.wink || 0.31));
  return [hx - 2, hy + r * 0.1, r / 34];
}

// Painted in front of a head: flapping ears and faces.
const dots = (b, x, y, gap, r) => {
  for (const k of [-1, 1]) b.oval(x + k * gap, y, r, r * 1.4, 'rgba(40,20,40,0.75)', { flat: true, line: 0 });
};
const whiskers = (b, x, y) => {
  for (const k of [-1, 1]) {
    for (const q of [-1, 2]) b.stroke((c) => { c.moveTo(x + k * 7, y + q); c.lineTo(x + k * 22, y + q * 3 - 1); }, 2);
  }
};
const bars = (b, xs, y, h) => {
  for (const x of xs) b.poly([[x - 4, y - h], [x + 5, y - h], [x + 1, y + h * 0.7]], DARK, { flat: true, line: 0 });
};

const horse = (b, o) => {
  o.mane = o.color2;
  beast(b, o, {
    head: [20, -25, 15], neck: [14, 8, 21], body: [-8, 8, 30, 16], back: -34, legs: [-30, -20, 8, 17], thick: 9,
    belly: 12, hooves: true, tail: 'hair', eyes: 1,
    snout: [34, -14, 15, 10.5, 0.75], muzzle: o.color, ears: 'none',
    mane: () => {
      b.shape(o.mane, (c) => {
        c.moveTo(26, -44);
        c.bezierCurveTo(2, -46, -6, -24, -8, 0);
        c.bezierCurveTo(2, -2, 8, -10, 14, -24);
        c.closePath();
      });
      for (const x of [23, 14]) b.poly([[x - 4, -36], [x, -50], [x + 6, -36]], o.color, { line: 4 });
    },
  });
  b.shape(o.mane, (c) => {
    c.moveTo(14, -44);
    c.quadraticCurveTo(30, -42, 30, -30);
    c.quadraticCurveTo(20, -34, 14, -44);
  }, { line: 3 });
  nose(b, 41, -9, 2.6, 2);
  return [22, -24, 0.5];
};

export const animals = {
  horse: (b, o) => horse(b, o),
  unicorn: (b, o) => {
    const hat = horse(b, o);
    b.poly([[24, -38], [40, -60], [33, -34]], '#ffd23f', { line: 3.5, top: -60, bottom: -34 });
    b.stroke((c) => { c.moveTo(28, -44); c.lineTo(35, -41); c.moveTo(32, -50); c.lineTo(37, -48); }, 2);
    return hat;
  },
  dog: (b, o) => {
    const hat = beast(b, o, { head: [16, -16, 24], ears: 'flop', tail: 'up', thick: 14, soft: true });
    for (const [x, k] of [[-7, 1], [39, -1]]) b.oval(x, -14, 8, 17, shade(o.color, -0.3), { rot: k * 0.25 });
    nose(b, 32, -11, 6);
    smile(b, 28, -8, 8);
    b.shape('#ff6b81', (c) => {
      c.moveTo(25, 0);
      c.lineTo(34, 0);
      c.quadraticCurveTo(34, 10, 29.5, 10);
      c.quadraticCurveTo(25, 10, 25, 0);
    }, { line: 2.5 });
    return hat;
  },
  cat: (b, o) => {
    const hat = beast(b, o, { head: [15, -14, 24], ears: 'point', tail: 'long', thick: 11, soft: true });
    nose(b, 28, -9, 4);
    whiskers(b, 28, -4);
    smile(b, 26, -6, 6);
    return hat;
  },
  fox: (b, o) => {
    const hat = beast(b, o, {
      head: [14, -14, 22], ears: 'point', tail: 'bush', thick: 10, socks: '#4a2b22', back: -32,
      snout: [32, -5, 17, 9, 0.25], soft: true, mark: () => b.oval(16, 8, 26, 16, o.color2, { line: 0 }),
    });
    nose(b, 47, -2, 5);
    return hat;
  },
  wolf: (b, o) => {
    const hat = beast(b, o, {
      head: [14, -14, 22], ears: 'point', tail: 'bush', thick: 12, snout: [32, -5, 18, 11, 0.2],
      mark: () => b.oval(14, 6, 20, 10, o.color2, { line: 0 }),
    });
    nose(b, 47, -6, 6);
    b.stroke((c) => { c.moveTo(24, 2); c.lineTo(44, 2); }, 3);
    for (const x of [30, 38]) b.poly([[x - 3, 2], [x + 3, 2], [x, 9]], '#ffffff', { flat: true, line: 1.5 });
    return hat;
  },
  bear: (b, o) => {
    const hat = beast(b, o, {
      head: [14, -14, 25], ears: 'round', body: [-4, 14, 37, 23], thick: 17, back: -40, legs: [-28, -12, 10, 25],
      soft: true,
    });
    nose(b, 29, -9, 6.5);
    smile(b, 27, -5, 7);
    return hat;
  },
  panda: (b, o) => {
    const dark = Object.assign({}, o, { color: '#33303f', color2: '#33303f' });
    b.within((c) => c.rect(-60, -60, 120, 120), () => beast(b, dark, {
      head: [14, -14, 25], ears: 'round', body: [-4, 14, 37, 23], thick: 17, legs: [-28, -12, 10, 25],
    }));
    b.oval(-6, 11, 31, 20, o.color);
    b.oval(14, -14, 25, 24, o.color);
    for (const k of [-0.3, 0.65]) {
      b.oval(14 + k * 25, -17, 9, 10, '#33303f', { flat: true, line: 0, rot: k });
      b.eye(14 + k * 25, -18, 5.5);
    }
    nose(b, 24, -6, 5);
    smile(b, 22, -3, 6);
    return [12, -12, 0.72];
  },
  lion: (b, o) => {
    const hat = beast(b, o, {
      head: [15, -13, 20], ears: 'round', tail: 'tuft', thick: 14, soft: true, muzzle: '#fff1d0',
      mane: () => b.star(13, -12, 13, 37, 28, o.color2),
    });
    nose(b, 28, -9, 5.5);
    smile(b, 25, -5, 6);
    return hat;
  },
  tiger: (b, o) => {
    const hat = beast(b, o, {
      head: [15, -14, 24], ears: 'round', tail: 'long', thick: 14, soft: true,
      coat: () => bars(b, [-26, -13, 0, 13], 2, 16),
      mark: () => {
        bars(b, [6, 15, 24], -36, 11);
        for (const x of [-9, 39]) {
          b.poly([[x, -18], [x, -8], [x + (x < 0 ? 13 : -9), -13]], DARK, { flat: true, line: 0 });
        }
      },
    });
    for (const y of [-20, -9, 2]) b.stroke((c) => { c.moveTo(-55, y); c.lineTo(-46, y + 2); }, 4, DARK);
    nose(b, 28, -9, 5.5);
    smile(b, 25, -5, 6);
    return hat;
  },
  elephant: (b, o) => {
    beast(b, o, {
      head: [16, -12, 22], body: [-8, 8, 34, 25], back: -40, thick: 17, legs: [-28, -12, 8, 20], tail: 'tuft',
      belly: 20, snout: [20, -4, 12, 9], muzzle: o.color, soft: true, eyes: 1,
    });
    b.limb((c) => {
      c.moveTo(32, -10);
      c.bezierCurveTo(46, 4, 34, 26, 40, 36);
      c.quadraticCurveTo(44, 42, 50, 36);
    }, 12, o.color);
    b.poly([[26, 4], [31, 12], [42, 14], [34, 4]], '#fffaf0', { line: 3 });
    b.oval(2, -14, 17, 22, shade(o.color, -0.08));
    b.oval(2, -13, 10, 14, o.color2, { line: 0 });
    return [14, -12, 0.62];
  },
  reindeer: (b, o) => {
    beast(b, o, {
      head: [20, -18, 15], neck: [14, 10, 19], body: [-8, 10, 30, 16], back: -34, legs: [-30, -19, 7, 17], thick: 9,
      belly: 14, hooves: true, tail: 'ball', eyes: 1, ears: 'side', snout: [34, -9, 13, 9, 0.5],
      mane: () => {
        for (const [x, k] of [[12, -1], [26, 1]]) {
          b.limb((c) => {
            c.moveTo(x, -30);
            c.quadraticCurveTo(x + k * 10, -38, x + k * 8, -54);
            c.moveTo(x + k * 7, -40);
            c.lineTo(x + k * 18, -46);
            c.moveTo(x + k * 4, -35);
            c.lineTo(x - k * 4, -46);
          }, 4, '#e9c48f');
        }
      },
    });
    b.oval(44, -7, 6.5, 6.5, '#e5383b', { line: 3 });
    return [20, -18, 0.5];
  },
  koala: (b, o) => {
    const hat = beast(b, o, {
      head: [14, -12, 24], ears: 'big', body: [-4, 16, 33, 22], thick: 16, belly: 24, soft: true,
      legs: [-26, -12, 8, 20], snout: [27, -1, 12, 9],
    });
    b.oval(26, -6, 7, 10, '#33303f', { flat: true, line: 0 });
    smile(b, 26, 3, 5);
    return hat;
  },
  hamster: (b, o) => {
    const hat = beast(b, o, {
      head: [14, -2, 23], ears: 'round', body: [-8, 16, 32, 25], thick: 10, belly: 32, back: -38,
      legs: [-24, -10, 8, 18], soft: true, coat: () => b.oval(-2, 34, 26, 14, o.color2, { line: 0 }),
    });
    b.oval(28, 3, 3.5, 2.5, '#ff7a95', { flat: true, line: 0 });
    whiskers(b, 28, 8);
    smile(b, 26, 5, 5);
    return hat;
  },
  monkey: (b, o) => {
    if (!o.features || o.features.indexOf('notail') < 0) {
      b.limb((c) => {
        c.moveTo(-18, 28);
        c.bezierCurveTo(-58, 40, -52, -8, -36, -6);
        c.bezierCurveTo(-28, -4, -32, 8, -40, 6);
      }, 7, o.color);
    }
    for (const x of [-13, 11]) { b.limb((c) => { c.moveTo(x, 26); c.lineTo(x + (x < 0 ? -4 : 6), 43); }, 11, o.color); }
    b.oval(-1, 18, 20, 22, o.color);
    b.oval(2, 20, 12, 14, o.color2, { line: 0 });
    b.limb((c) => { c.moveTo(14, 8); c.quadraticCurveTo(34, 10, 40, -10); }, 9, o.color);
    b.limb((c) => { c.moveTo(-15, 8); c.quadraticCurveTo(-26, 18, -22, 28); }, 9, o.color);
    for (const k of [-1, 1]) {
      b.oval(1 + k * 26, -20, 11, 11, o.color);
      b.oval(1 + k * 26, -20, 5.5, 5.5, o.color2, { line: 0 });
    }
    b.oval(2, -20, 25, 23, o.color);
    b.oval(5, -12, 19, 14, o.color2, { line: 0 });
    for (const k of [-1, 1]) b.oval(5 + k * 8, -22, 9, 10, o.color2, { line: 0 });
    for (const k of [-1, 1]) b.eye(5 + k * 8, -21, 6);
    dots(b, 7, -12, 3, 1.6);
    smile(b, 6, -9, 9);
    return [2, -16, 0.7];
  },
  mouse: (b, o) => {
    const hat = beast(b, o, {
      head: [16, -4, 20], ears: 'big', body: [-10, 20, 30, 20], thick: 9, belly: 30, back: -34, legs: [-22, -10, 4, 14],
      tail: 'thin', soft: true, snout: [33, 4, 10, 8],
    });
    nose(b, 43, 2, 4.5);
    whiskers(b, 34, 8);
    return hat;
  },
  rabbit: (b, o) => {
    const hat = beast(b, o, {
      head: [14, -6, 21], ears: 'long', body: [-8, 20, 30, 21], thick: 12, belly: 28, legs: [-22, -8, 8, 18],
      tail: 'ball', back: -36, soft: true, muzzle: '#ffffff',
    });
    b.oval(27, -1, 4, 3, '#ff7a95', { flat: true, line: 0 });
    smile(b, 25, 1, 5);
    b.round(23, 8, 7, 7, 1.5, '#ffffff', { flat: true, line: 2 });
    return hat;
  },
  squirrel: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-14, 42);
      c.bezierCurveTo(-60, 40, -54, -50, -26, -46);
      c.bezierCurveTo(-4, -42, -14, -22, -26, -24);
      c.bezierCurveTo(-26, 0, -16, 10, -8, 20);
      c.closePath();
    });
    const hat = beast(b, o, {
      head: [14, -12, 20], ears: 'point', body: [0, 20, 20, 23], legs: [-8, 4, 10, 16], thick: 10, belly: 30,
      soft: true, coat: () => b.oval(10, 24, 12, 18, o.color2, { line: 0 }),
    });
    nose(b, 27, -6, 4);
    return hat;
  },
  cow: (b, o) => {
    const hat = beast(b, o, {
      head: [20, -14, 20], ears: 'side', body: [-8, 10, 34, 20], back: -40, thick: 12, hooves: true, tail: 'tuft',
      legs: [-32, -18, 8, 20], muzzle: '#ffb8c6', snout: [26, -2, 17, 11], wink: 0.27,
      coat: () => {
        for (const [x, y, q] of [[-28, 2, 13], [4, 12, 12], [-12, 26, 11]]) {
          b.oval(x, y, q * 1.2, q, DARK, { flat: true, line: 0 });
        }
      },
      mark: () => b.oval(6, -24, 14, 16, DARK, { flat: true, line: 0 }),
      mane: () => {
        for (const [x, k] of [[8, -1], [32, 1]]) {
          b.limb((c) => { c.moveTo(x, -28); c.quadraticCurveTo(x + k * 9, -34, x + k * 7, -44); }, 5, '#fff1d0');
        }
      },
    });
    dots(b, 27, -2, 7, 2.4);
    return hat;
  },
  pig: (b, o) => {
    const hat = beast(b, o, {
      head: [16, -6, 22], ears: 'point', body: [-6, 12, 34, 24], back: -39, thick: 13, belly: 24, hooves: true,
      tail: 'curl', snout: [31, 0, 12, 11],
    });
    dots(b, 32, 0, 4.5, 2.6);
    return hat;
  },
  sheep: (b, o) => {
    const hat = beast(b, o, {
      head: [24, -8, 16], ears: 'side', face: '#4a4452', body: [-8, 8, 36, 25], wool: true, socks: '#4a4452', thick: 9,
      belly: 26, legs: [-24, -12, 4, 14], snout: [30, 0, 9, 8], muzzle: '#5d5666', soft: true, wink: 0.34,
    });
    for (const x of [13, 22, 31]) b.oval(x, -23, 8, 7, o.color, { line: 3.5 });
    return hat;
  },
  camel: (b, o) => {
    beast(b, o, {
      head: [30, -28, 12], neck: [16, 12, 13], body: [-8, 10, 29, 16], back: -34, legs: [-28, -18, 6, 15], thick: 9,
      hooves: true, tail: 'tuft', eyes: 1, snout: [40, -23, 9, 7], muzzle: o.color, ears: 'round',
      mane: () => {
        for (const x of [-22, 2]) {
          b.shape(o.color, (c) => { c.moveTo(x - 12, 2); c.quadraticCurveTo(x, -40, x + 12, 2); c.closePath(); });
        }
        b.oval(-9, 9, 26, 12, o.color, { line: 0 });
      },
    });
    return [30, -28, 0.4];
  },
};
