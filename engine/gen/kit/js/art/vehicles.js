// What drives, sails and flies. All face right but those that are seen from above
// or from behind.
import { shade } from './paint.js';

const GLASS = '#bdeaff';
const TYRE = '#2a2a35';
const LAMP = '#fff4b8';
const RED = '#ff5d5d';

const wheel = (b, x, y, r) => {
  b.oval(x, y, r, r, TYRE);
  b.oval(x, y, r * 0.4, r * 0.4, '#d8dde6', { flat: true, line: 0 });
};
const lamp = (b, x, y) => b.oval(x, y, 4.5, 4.5, LAMP, { flat: true, line: 2.5 });
const car = (b, o) => {
  b.shape(GLASS, (c) => { c.moveTo(-24, -8); c.lineTo(-14, -30); c.lineTo(14, -30); c.lineTo(26, -8); c.closePath(); });
  b.stroke((c) => { c.moveTo(0, -28); c.lineTo(0, -10); }, 4);
  b.round(-46, -10, 92, 30, 12, o.color);
  lamp(b, 40, 2);
  for (const x of [-25, 25]) wheel(b, x, 22, 13);
};

export const vehicles = {
  car: (b, o) => car(b, o),
  rocket: (b, o) => {
    b.poly([[-40, -12], [-58, 0], [-40, 12]], '#ffb02e', { line: 4 });
    b.poly([[-18, -16], [-40, -34], [-38, -8]], o.color2);
    b.poly([[-18, 16], [-40, 34], [-38, 8]], o.color2);
    b.shape(o.color, (c) => {
      c.moveTo(-38, -16);
      c.bezierCurveTo(-10, -30, 26, -24, 48, 0);
      c.bezierCurveTo(26, 24, -10, 30, -38, 16);
      c.closePath();
    });
    b.oval(10, 0, 11, 11, GLASS);
    b.shine(7, -5, 4, 3);
  },
  ufo: (b, o) => {
    b.oval(0, -10, 22, 22, GLASS);
    b.oval(0, 10, 46, 17, o.color);
    for (const x of [-28, 0, 28]) b.oval(x, 13, 5, 5, o.color2, { flat: true, line: 2.5 });
    for (const x of [-7, 9]) b.eye(x, -12, 7);
    b.shine(-8, -20, 6, 4);
  },
  plane: (b, o) => {
    b.poly([[-40, -4], [-52, -30], [-34, -26], [-24, -4]], o.color2);
    b.shape(o.color, (c) => {
      c.moveTo(-44, -8);
      c.quadraticCurveTo(20, -26, 46, 2);
      c.quadraticCurveTo(20, 22, -40, 12);
      c.closePath();
    });
    b.poly([[-8, 4], [14, 4], [-8, 34], [-24, 34]], o.color2);
    b.oval(20, -5, 9, 7, GLASS, { line: 3.5 });
  },
  cartop: (b, o) => {
    for (const [x, y] of [[-24, -24], [24, -24], [-24, 24], [24, 24]]) {
      b.round(x - 7, y - 11, 14, 22, 5, TYRE, { line: 3 });
    }
    b.round(-23, -44, 46, 88, 18, o.color);
    b.round(-16, -20, 32, 16, 6, GLASS, { line: 3 });
    b.round(-15, 18, 30, 11, 5, GLASS, { line: 3 });
    b.round(-15, -2, 30, 18, 5, shade(o.color, 0.2), { line: 0 });
    b.oval(-14, -39, 5, 4, LAMP, { flat: true, line: 2 });
    b.oval(14, -39, 5, 4, LAMP, { flat: true, line: 2 });
  },
  biketop: (b, o) => {
    b.round(-6, -50, 12, 26, 6, TYRE, { line: 3 });
    b.round(-7, 24, 14, 26, 6, TYRE, { line: 3 });
    b.limb((c) => { c.moveTo(-24, -14); c.quadraticCurveTo(0, -30, 24, -14); }, 5, '#c9d1dc');
    b.round(-11, -34, 22, 66, 10, o.color);
    b.oval(0, -36, 6, 4, LAMP, { flat: true, line: 2 });
    for (const x of [-1, 1]) b.limb((c) => { c.moveTo(17 * x, 8); c.lineTo(22 * x, -14); }, 8, '#3a4256');
    b.oval(0, 9, 22, 12, '#3a4256', { line: 3 });
    b.oval(0, 2, 12, 12, o.color, { line: 3 });
    b.oval(0, -4, 8, 4, GLASS, { flat: true, line: 2 });
  },
  carback: (b, o) => {
    for (const x of [-33, 33]) b.round(x - 10, 12, 20, 30, 7, TYRE);
    b.shape(o.color, (c) => {
      c.moveTo(-30, -6);
      c.lineTo(-22, -34);
      c.lineTo(22, -34);
      c.lineTo(30, -6);
      c.closePath();
    });
    b.poly([[-22, -9], [-17, -27], [17, -27], [22, -9]], GLASS, { line: 4 });
    b.round(-44, -8, 88, 36, 13, o.color);
    for (const x of [-33, 33]) b.oval(x, 4, 8, 6, RED, { line: 3 });
    b.round(-13, 8, 26, 12, 4, '#fffaf0', { line: 3 });
  },
  boat: (b, o) => {
    b.stroke((c) => { c.moveTo(0, 10); c.lineTo(0, -44); }, 6);
    b.shape('#ffffff', (c) => { c.moveTo(6, -42); c.quadraticCurveTo(40, -22, 34, 2); c.lineTo(6, 2); c.closePath(); });
    b.shape(o.color2, (c) => {
      c.moveTo(-6, -34);
      c.quadraticCurveTo(-28, -16, -26, 2);
      c.lineTo(-6, 2);
      c.closePath();
    });
    b.shape(o.color, (c) => {
      c.moveTo(-46, 8);
      c.lineTo(46, 8);
      c.quadraticCurveTo(38, 38, 18, 38);
      c.lineTo(-22, 38);
      c.quadraticCurveTo(-40, 36, -46, 8);
    });
  },
  trucktop: (b, o) => {
    for (const [x, y] of [[-27, -26], [27, -26], [-27, 26], [27, 26]]) {
      b.round(x - 7, y - 11, 14, 22, 5, TYRE, { line: 3 });
    }
    b.round(-27, -46, 54, 62, 7, o.color);
    b.round(-24, 16, 48, 30, 12, shade(o.color, -0.25));
    b.round(-18, 28, 36, 11, 5, GLASS, { line: 3 });
  },
  taxi: (b, o) => {
    car(b, o);
    b.round(-12, -41, 24, 11, 3, LAMP, { line: 4 });
    for (let i = 0; i < 10; i++) b.round(-40 + i * 8, i % 2 ? 4 : 8, 8, 4, 0, '#2a2233', { flat: true, line: 0 });
  },
  police: (b, o) => {
    car(b, o);
    b.round(-12, -38, 12, 9, 3, '#e5383b', { line: 3.5 });
    b.round(0, -38, 12, 9, 3, '#3a86ff', { line: 3.5 });
    b.round(-22, -8, 40, 26, 3, '#ffffff', { line: 0, flat: true });
    b.star(-2, 5, 5, 9, 4, '#ffd23f', { line: 2.5 });
  },
  truck: (b, o) => {
    b.round(-50, -34, 60, 52, 5, shade(o.color, 0.55));
    for (const y of [-20, -6]) b.stroke((c) => { c.moveTo(-44, y); c.lineTo(4, y); }, 3);
    b.shape(o.color, (c) => {
      c.moveTo(12, 20);
      c.lineTo(12, -22);
      c.lineTo(34, -22);
      c.lineTo(48, -2);
      c.lineTo(50, 20);
      c.closePath();
    });
    b.poly([[22, -2], [22, -15], [32, -15], [40, -2]], GLASS, { line: 3.5 });
    b.round(-50, 14, 100, 9, 3, TYRE, { line: 4 });
    lamp(b, 46, 10);
    for (const x of [-36, -10, 32]) wheel(b, x, 27, 12);
  },
  bus: (b, o) => {
    b.round(-50, -34, 100, 56, 9, o.color);
    for (const x of [-43, -21, 1]) b.round(x, -25, 18, 18, 3, GLASS, { line: 3.5 });
    b.round(24, -25, 16, 44, 3, GLASS, { line: 3.5 });
    b.round(-47, 0, 68, 7, 2, '#ffffff', { line: 0, flat: true });
    lamp(b, 45, 8);
    for (const x of [-28, 20]) wheel(b, x, 24, 12);
  },
  firetruck: (b, o) => {
    vehicles.truck(b, o);
    b.limb((c) => { c.moveTo(-46, -40); c.lineTo(20, -46); }, 4, '#dfe6f0');
    b.oval(24, -26, 6, 5, '#3a86ff', { line: 3 });
  },
  tank: (b, o) => {
    b.limb((c) => { c.moveTo(8, -18); c.lineTo(52, -24); }, 8, shade(o.color, -0.2));
    b.shape(o.color, (c) => {
      c.moveTo(-26, -6);
      c.lineTo(-20, -30);
      c.quadraticCurveTo(0, -36, 16, -28);
      c.lineTo(22, -6);
      c.closePath();
    });
    b.round(-14, -40, 18, 8, 4, shade(o.color, -0.2));
    b.poly([[-48, -8], [48, -8], [52, 14], [-52, 14]], o.color);
    b.star(-2, 3, 5, 9, 4, '#ffffff', { line: 0 });
    b.round(-50, 10, 100, 30, 15, TYRE);
    for (const x of [-34, -12, 12, 34]) b.oval(x, 25, 9, 9, '#8b93a3', { line: 3 });
  },
  train: (b, o) => {
    for (const [x, y, r] of [[16, -46, 8], [4, -50, 6]]) b.oval(x, y, r, r, '#f4f6ff', { line: 3 });
    b.poly([[18, -20], [16, -38], [36, -38], [34, -20]], shade(o.color, -0.35));
    b.round(-50, -36, 40, 52, 4, o.color);
    b.round(-54, -43, 48, 10, 4, shade(o.color, -0.35));
    b.round(-42, -26, 22, 18, 3, GLASS, { line: 3.5 });
    b.round(-14, -18, 60, 34, 12, o.color);
    b.round(0, -18, 7, 34, 0, '#ffd23f', { line: 3 });
    b.oval(44, -1, 7, 7, LAMP, { line: 3.5 });
    b.round(-50, 12, 96, 9, 2, shade(o.color, -0.35), { line: 4 });
    b.poly([[40, 20], [56, 42], [32, 42]], '#d8dde6', { line: 4 });
    for (const [x, r] of [[-32, 14], [-2, 11], [22, 11]]) wheel(b, x, 44 - r, r);
  },
  tractor: (b, o) => {
    b.stroke((c) => { c.moveTo(26, -14); c.lineTo(26, -38); }, 7);
    b.shape(GLASS, (c) => { c.moveTo(-30, 4); c.lineTo(-26, -36); c.lineTo(2, -36); c.lineTo(4, 4); c.closePath(); });
    b.round(-34, -42, 42, 9, 4, o.color);
    b.round(-10, -12, 58, 28, 8, o.color);
    lamp(b, 44, -2);
    wheel(b, -24, 18, 27);
    wheel(b, 32, 29, 16);
  },
  ship: (b, o) => {
    for (const [x, k] of [[-14, 1], [16, 0.82]]) {
      b.stroke((c) => { c.moveTo(x, 14); c.lineTo(x, -46 * k); }, 6);
      b.shape('#fffaf0', (c) => {
        c.moveTo(x - 14, -38 * k);
        c.lineTo(x + 12, -38 * k);
        c.quadraticCurveTo(x + 22, -18, x + 14, 4);
        c.lineTo(x - 16, 4);
        c.quadraticCurveTo(x - 6, -18, x - 14, -38 * k);
      });
    }
    b.poly([[-14, -50], [-32, -45], [-14, -40]], '#e5383b', { line: 3.5 });
    b.shape(o.color, (c) => {
      c.moveTo(-50, -4);
      c.lineTo(-36, 10);
      c.lineTo(34, 12);
      c.lineTo(54, 0);
      c.bezierCurveTo(48, 30, 36, 42, 20, 42);
      c.lineTo(-24, 42);
      c.bezierCurveTo(-44, 38, -50, 20, -50, -4);
    });
    b.stroke((c) => { c.moveTo(-42, 22); c.lineTo(44, 22); }, 3, shade(o.color, -0.4));
    for (const x of [-24, -6, 12, 30]) b.oval(x, 30, 4, 4, '#2a2233', { flat: true, line: 0 });
  },
  submarine: (b, o) => {
    b.limb((c) => { c.moveTo(4, -20); c.lineTo(4, -42); c.lineTo(16, -42); }, 6, o.color);
    b.round(-16, -28, 30, 20, 6, shade(o.color, -0.12));
    b.poly([[-40, 8], [-56, -14], [-50, 8], [-56, 30]], o.color2, { line: 4 });
    b.round(-46, -14, 94, 46, 23, o.color);
    for (const x of [-18, 6, 30]) { b.oval(x, 6, 9, 9, GLASS, { line: 4 }); b.shine(x - 3, 3, 3, 2); }
  },
  helicopter: (b, o) => {
    b.stroke((c) => { c.moveTo(6, -24); c.lineTo(6, -38); }, 6);
    b.round(-46, -43, 102, 7, 3.5, '#c9d1dc', { line: 3.5 });
    b.poly([[-8, -8], [-52, -14], [-52, -4], [-10, 14]], o.color);
    b.oval(-50, -9, 4, 15, '#c9d1dc', { line: 3.5 });
    b.stroke((c) => {
      c.moveTo(-8, 24);
      c.lineTo(-8, 38);
      c.moveTo(22, 24);
      c.lineTo(22, 38);
      c.moveTo(-24, 39);
      c.lineTo(40, 39);
      c.quadraticCurveTo(46, 38, 46, 33);
    }, 5);
    b.shape(o.color, (c) => {
      c.moveTo(-24, -6);
      c.bezierCurveTo(-14, -32, 30, -30, 42, -4);
      c.bezierCurveTo(50, 14, 36, 28, 8, 28);
      c.bezierCurveTo(-18, 28, -30, 14, -24, -6);
    });
    b.shape(GLASS, (c) => {
      c.moveTo(16, -22);
      c.bezierCurveTo(34, -20, 44, -4, 43, 6);
      c.lineTo(16, 6);
      c.closePath();
    }, { line: 4 });
    b.round(-16, -14, 22, 16, 4, GLASS, { line: 3.5 });
  },
  bike: (b, o) => {
    for (const x of [-27, 27]) {
      b.stroke((c) => c.arc(x, 20, 20, 0, 7), 10);
      b.stroke((c) => c.arc(x, 20, 20, 0, 7), 3.5, '#8b93a3');
      b.oval(x, 20, 4, 4, TYRE, { flat: true, line: 0 });
    }
    const frame = (c) => {
      c.moveTo(-27, 20);
      c.lineTo(-14, -12);
      c.lineTo(16, -12);
      c.lineTo(0, 22);
      c.closePath();
      c.moveTo(0, 22);
      c.lineTo(-18, -22);
      c.moveTo(27, 20);
      c.lineTo(13, -28);
    };
    b.limb(frame, 5, o.color);
    b.round(-30, -28, 24, 8, 4, TYRE);
    b.limb((c) => { c.moveTo(8, -32); c.quadraticCurveTo(26, -40, 28, -28); }, 4, '#c9d1dc');
    b.oval(0, 22, 6, 6, '#c9d1dc', { line: 3 });
  },
  motorbike: (b, o) => {
    b.limb((c) => { c.moveTo(30, 22); c.lineTo(14, -28); c.lineTo(2, -32); }, 5, '#c9d1dc');
    for (const x of [-29, 30]) wheel(b, x, 24, 19);
    b.shape(o.color, (c) => {
      c.moveTo(-44, -2);
      c.quadraticCurveTo(-30, -16, -12, -4);
      c.bezierCurveTo(0, -20, 18, -18, 24, -8);
      c.lineTo(10, 22);
      c.lineTo(-16, 22);
      c.closePath();
    });
    b.round(-34, -12, 28, 9, 4, TYRE);
    lamp(b, 22, -20);
    b.oval(-4, 16, 9, 8, '#8b93a3', { line: 3.5 });
  },
};
