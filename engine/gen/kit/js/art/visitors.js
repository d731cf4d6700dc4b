// Those who are no people but look like them: they stand on two legs and face right.
// Each painter returns where a hat sits: x, y and a scale.
import { shade } from './paint.js';

export const visitors = {
  robot: (b, o) => {
    for (const x of [-14, 12]) { b.round(x - 5, 24, 10, 14, 2, '#5d6878'); b.round(x - 9, 36, 20, 11, 5, o.color); }
    for (const [x, k] of [[-24, -1], [26, 1]]) {
      b.limb((c) => { c.moveTo(x, 8); c.lineTo(x + k * 10, 16); c.lineTo(x + k * 9, 24); }, 6, '#5d6878');
      b.round(x + k * 9 - 7, 22, 14, 10, 4, o.color2);
    }
    b.round(-22, -2, 46, 31, 7, o.color);
    b.round(-11, 5, 24, 14, 3, '#233047', { line: 3 });
    for (const [x, c] of [[-4, '#ff5d73'], [2, '#ffd23f'], [8, '#5fe08a']]) {
      b.oval(x, 12, 2.6, 2.6, c, { flat: true, line: 0 });
    }
    b.stroke((c) => { c.moveTo(1, -40); c.lineTo(1, -52); }, 5);
    b.oval(1, -52, 6, 6, o.color2, { line: 3.5 });
    for (const x of [-32, 26]) b.round(x, -30, 8, 16, 3, o.color2);
    b.round(-26, -42, 54, 38, 10, o.color);
    b.round(-17, -34, 38, 18, 8, '#233047', { line: 3.5 });
    for (const x of [-6, 12]) b.oval(x, -25, 5, 6, '#7cf5ff', { flat: true, line: 0 });
    b.stroke((c) => { c.moveTo(-8, -10); c.lineTo(12, -10); }, 3.5);
    return [1, -22, 0.74];
  },
  alien: (b, o) => {
    for (const k of [-1, 1]) {
      b.limb((c) => { c.moveTo(k * 8 + 1, -36); c.quadraticCurveTo(k * 12, -48, k * 20, -48); }, 4, o.color);
      b.oval(k * 21, -48, 6, 6, o.color2, { line: 3.5 });
    }
    for (const x of [-7, 9]) b.round(x - 5, 28, 11, 19, 5, o.color);
    for (const k of [-1, 1]) {
      b.limb((c) => { c.moveTo(k * 9, 12); c.quadraticCurveTo(k * 26, 12, k * 27, 28); }, 6, o.color);
    }
    b.round(-13, 4, 27, 30, 11, shade(o.color, -0.12));
    b.shape(o.color, (c) => {
      c.moveTo(1, 12);
      c.bezierCurveTo(-46, -8, -40, -46, 1, -44);
      c.bezierCurveTo(42, -46, 48, -8, 1, 12);
    });
    for (const k of [-1, 1]) {
      b.oval(2 + k * 15, -16, 8.5, 13, '#17132a', { flat: true, line: 0, rot: -k * 0.5 });
      b.oval(0 + k * 15, -21, 3, 4, '#ffffff', { flat: true, line: 0 });
    }
    b.stroke((c) => c.arc(2, 0, 5, 0.3, 2.8), 3);
    return [1, -20, 0.76];
  },
};
