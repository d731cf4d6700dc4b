// Birds, which face right. Each painter returns where a hat sits: x, y and a scale.
import { shade } from './paint.js';

const BEAK = '#ff9d2e';

const legs = (b, xs, from, to) => {
  for (const x of xs) {
    b.stroke((c) => {
      c.moveTo(x, from);
      c.lineTo(x, to - 1);
      c.lineTo(x + 9, to);
      c.moveTo(x, to - 2);
      c.lineTo(x - 4, to);
    }, 8);
    b.stroke((c) => { c.moveTo(x, from); c.lineTo(x, to - 1); c.lineTo(x + 8, to); }, 4, BEAK);
  }
};
const wing = (b, color, x, y, k) => b.shape(color, (c) => {
  c.moveTo(x + 16 * k, y - 6 * k);
  c.bezierCurveTo(x + 4 * k, y - 16 * k, x - 22 * k, y - 8 * k, x - 30 * k, y + 2 * k);
  c.lineTo(x - 20 * k, y + 5 * k);
  c.lineTo(x - 24 * k, y + 11 * k);
  c.lineTo(x - 12 * k, y + 11 * k);
  c.bezierCurveTo(x + 2 * k, y + 16 * k, x + 18 * k, y + 8 * k, x + 16 * k, y - 6 * k);
}, { line: 4, top: y - 14 * k, bottom: y + 16 * k });

export const birds = {
  duck: (b, o) => {
    legs(b, [-6, 8], 32, 46);
    b.shape(o.color, (c) => {
      c.moveTo(-48, -4);
      c.bezierCurveTo(-30, 6, -18, 0, -4, 2);
      c.lineTo(34, 4);
      c.bezierCurveTo(34, 30, 16, 38, -6, 38);
      c.bezierCurveTo(-34, 38, -46, 18, -48, -4);
    });
    b.oval(18, -16, 20, 20, o.color);
    b.oval(20, 4, 12, 10, o.color, { line: 0 });
    b.shape(BEAK, (c) => {
      c.moveTo(32, -20);
      c.quadraticCurveTo(44, -20, 52, -12);
      c.quadraticCurveTo(44, -4, 32, -6);
      c.closePath();
    }, { line: 4 });
    b.stroke((c) => { c.moveTo(36, -12); c.lineTo(48, -12); }, 2);
    b.eye(22, -21, 6.5);
    wing(b, o.color2, -10, 16, 0.8);
    return [16, -14, 0.58];
  },
  chicken: (b, o) => {
    legs(b, [-8, 8], 30, 47);
    for (const [x, y] of [[-38, -22], [-46, -10]]) b.oval(x, y, 8, 17, shade(o.color, -0.12), { rot: -0.5 });
    b.shape(o.color, (c) => {
      c.moveTo(-40, -14);
      c.bezierCurveTo(-26, 4, -8, 2, 2, -20);
      c.lineTo(30, -16);
      c.bezierCurveTo(40, 18, 22, 36, -4, 36);
      c.bezierCurveTo(-30, 36, -42, 14, -40, -14);
    });
    for (const [x, y] of [[8, -44], [17, -48], [26, -43]]) b.oval(x, y, 6.5, 8, '#e5383b', { line: 3.5 });
    b.oval(17, -24, 18, 18, o.color);
    b.oval(13, -9, 15, 10, o.color, { line: 0 });
    b.oval(33, -8, 5, 8, '#e5383b', { line: 3 });
    b.poly([[32, -27], [50, -20], [32, -14]], BEAK, { line: 4, top: -27, bottom: -14 });
    b.eye(22, -27, 6);
    wing(b, o.color2, -8, 12, 0.85);
    return [16, -20, 0.54];
  },
  eagle: (b, o) => {
    for (const [x1, x2, y] of [[-16, -52, -2], [-12, -44, 8]]) {
      b.poly([[x1, y], [x2, y + 12], [x2 + 4, y + 24], [x1, y + 16]], shade(o.color, -0.2));
    }
    b.shape(shade(o.color, -0.12), (c) => {
      c.moveTo(4, 0);
      c.quadraticCurveTo(6, -34, -22, -52);
      c.lineTo(-24, -42);
      c.lineTo(-36, -46);
      c.lineTo(-36, -34);
      c.lineTo(-46, -34);
      c.quadraticCurveTo(-40, -4, -16, 12);
      c.closePath();
    });
    b.oval(-2, 10, 27, 19, o.color, { rot: -0.25 });
    legs(b, [0, 12], 26, 40);
    b.shape('#ffffff', (c) => {
      c.moveTo(4, -2);
      c.bezierCurveTo(2, -32, 38, -34, 38, -10);
      c.quadraticCurveTo(32, 4, 22, 8);
      c.lineTo(18, 2);
      c.lineTo(12, 6);
      c.closePath();
    });
    b.shape('#ffc93c', (c) => {
      c.moveTo(33, -18);
      c.quadraticCurveTo(52, -18, 49, 2);
      c.quadraticCurveTo(44, -4, 34, -4);
      c.closePath();
    }, { line: 4 });
    b.eye(25, -13, 6);
    b.stroke((c) => { c.moveTo(16, -22); c.lineTo(32, -18); }, 4);
    return [20, -12, 0.5];
  },
  parrot: (b, o) => {
    for (const [x, q] of [[-30, o.color2], [-22, '#ffd23f'], [-15, o.color]]) {
      b.poly([[-14, 20], [-2, 28], [x, 54], [x - 9, 48]], q, { line: 4 });
    }
    b.round(-30, 34, 60, 8, 4, '#8a5a33');
    b.shape(o.color, (c) => {
      c.moveTo(-16, -14);
      c.bezierCurveTo(-28, 16, -14, 36, 6, 36);
      c.bezierCurveTo(28, 32, 28, 6, 24, -14);
      c.closePath();
    });
    b.oval(6, -22, 23, 22, o.color);
    b.oval(15, -22, 13, 13, '#ffffff', { line: 0 });
    b.shape('#3a3244', (c) => {
      c.moveTo(24, -32);
      c.bezierCurveTo(46, -32, 46, -8, 36, -2);
      c.quadraticCurveTo(36, -12, 25, -12);
      c.closePath();
    }, { line: 4 });
    for (const [x, y] of [[-6, -44], [2, -48]]) b.oval(x, y, 4.5, 9, '#ffd23f', { rot: -0.4, line: 3 });
    b.eye(15, -24, 6.5);
    b.shape(o.color2, (c) => {
      c.moveTo(2, -6);
      c.bezierCurveTo(-24, -4, -30, 20, -20, 36);
      c.bezierCurveTo(0, 28, 10, 12, 2, -6);
    }, { line: 4 });
    b.stroke((c) => { c.moveTo(-18, 16); c.quadraticCurveTo(-8, 18, 0, 12); }, 4, '#ffd23f');
    return [4, -20, 0.66];
  },
  penguin: (b, o) => {
    for (const x of [-12, 14]) b.oval(x, 43, 13, 6, BEAK, { line: 4 });
    for (const k of [-1, 1]) b.oval(1 + k * 29, 12, 7, 20, o.color, { rot: -k * 0.45 });
    b.shape(o.color, (c) => {
      c.moveTo(1, -46);
      c.bezierCurveTo(34, -46, 34, -6, 34, 14);
      c.bezierCurveTo(34, 48, -32, 48, -32, 14);
      c.bezierCurveTo(-32, -6, -32, -46, 1, -46);
    });
    b.shape(o.color2, (c) => {
      c.moveTo(4, -18);
      c.bezierCurveTo(16, -38, 32, -22, 24, -4);
      c.bezierCurveTo(34, 20, 24, 40, 4, 40);
      c.bezierCurveTo(-18, 40, -26, 20, -16, -4);
      c.bezierCurveTo(-24, -22, -8, -38, 4, -18);
    }, { line: 0 });
    for (const x of [-6, 15]) b.eye(x, -18, 6.5);
    b.poly([[-3, -8], [14, -8], [6, 3]], BEAK, { line: 3.5, top: -8, bottom: 4 });
    return [2, -16, 0.82];
  },
  owl: (b, o) => {
    for (const x of [-10, 12]) b.oval(x, 44, 9, 5, BEAK, { line: 3.5 });
    b.shape(o.color, (c) => {
      c.moveTo(-34, -48);
      c.quadraticCurveTo(-18, -36, 1, -38);
      c.quadraticCurveTo(20, -36, 36, -48);
      c.bezierCurveTo(42, 8, 38, 44, 1, 44);
      c.bezierCurveTo(-36, 44, -40, 8, -34, -48);
    });
    b.oval(1, 22, 21, 20, o.color2, { line: 0 });
    for (const [x, y] of [[-8, 14], [2, 14], [12, 14], [-3, 24], [7, 24], [2, 33]]) {
      b.stroke((c) => c.arc(x, y, 4, 0.3, 2.8), 2.5, shade(o.color, -0.2));
    }
    for (const k of [-1, 1]) {
      b.shape(shade(o.color, -0.18), (c) => {
        c.moveTo(1 + k * 34, -8);
        c.bezierCurveTo(1 + k * 44, 14, 1 + k * 36, 34, 1 + k * 20, 38);
        c.quadraticCurveTo(1 + k * 26, 14, 1 + k * 34, -8);
      }, { line: 4 });
    }
    for (const x of [-13, 15]) { b.oval(x, -16, 16, 16, o.color2, { line: 3.5 }); b.eye(x, -16, 10, 0.15); }
    b.poly([[-5, -10], [7, -10], [1, 4]], BEAK, { line: 3.5, top: -10, bottom: 4 });
    return [1, -18, 0.9];
  },
};
