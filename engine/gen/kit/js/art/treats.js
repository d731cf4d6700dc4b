// Treats: what is collected to be eaten, and small things that people name.
import { shade } from './paint.js';

const leaf = (b, x, y, rot) => b.oval(x, y, 13, 7, '#5fb84a', { rot, line: 3.5 });

export const treats = {
  honey: (b, o) => {
    b.round(-32, -22, 64, 64, 20, '#e9b872');
    b.within((c) => c.roundRect(-30, -20, 60, 60, 18), () => b.shape(o.color, (c) => {
      c.moveTo(-34, -24);
      c.lineTo(34, -24);
      c.lineTo(34, 0);
      c.quadraticCurveTo(24, 26, 14, 2);
      c.quadraticCurveTo(4, -8, -4, 8);
      c.quadraticCurveTo(-14, 34, -24, 4);
      c.lineTo(-34, 0);
    }, { line: 3 }));
    b.round(-36, -40, 72, 20, 8, '#c98a45');
    b.shine(-18, -10, 5, 9, 0.2);
  },
  egg: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(0, -44);
      c.bezierCurveTo(30, -40, 46, 42, 0, 42);
      c.bezierCurveTo(-46, 42, -30, -40, 0, -44);
    });
    for (const [x, y] of [[-10, 6], [12, -8], [8, 22]]) {
      b.oval(x, y, 4, 4, shade(o.color, -0.2), { flat: true, line: 0 });
    }
    b.shine(-12, -14, 6, 9, 0.3);
  },
  pizza: (b) => {
    b.poly([[-40, -30], [40, -30], [0, 46]], '#ffd166');
    for (const [x, y] of [[-14, -12], [14, -8], [0, 16]]) b.oval(x, y, 8, 8, '#d7372f', { line: 2.5 });
    b.round(-46, -44, 92, 20, 10, '#d9964b');
  },
  burger: (b, o) => {
    b.round(-40, 18, 80, 24, 12, o.color);
    b.round(-44, 4, 88, 16, 8, '#6b3a1e');
    b.poly([[-46, -4], [46, -4], [34, 10], [18, 0], [0, 11], [-18, 0], [-34, 10]], '#6fcf5a', { line: 3.5 });
    b.shape(o.color, (c) => {
      c.moveTo(-42, -4);
      c.bezierCurveTo(-42, -54, 42, -54, 42, -4);
      c.closePath();
    });
    for (const [x, y] of [[-16, -24], [4, -30], [20, -20]]) {
      b.oval(x, y, 4, 2.5, '#fff1d0', { rot: 0.5, flat: true, line: 0 });
    }
  },
  cherry: (b, o) => {
    b.stroke((c) => {
      c.moveTo(-18, 10);
      c.quadraticCurveTo(-10, -24, 12, -42);
      c.quadraticCurveTo(24, -20, 22, 4);
    }, 5, '#4d8f3a');
    leaf(b, 22, -38, 0.3);
    for (const [x, y] of [[-19, 20], [21, 14]]) {
      b.oval(x, y, 20, 20, o.color);
      b.shine(x - 7, y - 8, 4, 6, 0.4);
    }
  },
  strawberry: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(0, -26);
      c.bezierCurveTo(52, -42, 44, 20, 0, 46);
      c.bezierCurveTo(-44, 20, -52, -42, 0, -26);
    });
    for (const [x, y] of [[-18, -6], [0, 2], [18, -6], [-10, 18], [10, 18]]) {
      b.oval(x, y, 2.6, 4, '#ffe08a', { flat: true, line: 0 });
    }
    for (const r of [-0.9, 0, 0.9]) leaf(b, r * 18, -34 - (r ? 0 : 5), r * 0.7 + (r ? 0 : 1.57));
  },
  key: (b, o) => {
    b.round(-6, -6, 12, 50, 4, o.color);
    for (const y of [18, 32]) b.round(4, y, 18, 10, 3, o.color, { line: 4 });
    b.oval(0, -22, 22, 22, o.color);
    b.oval(0, -22, 9, 9, shade(o.color, -0.55), { flat: true, line: 3 });
  },
  candle: (b, o) => {
    b.round(-15, -10, 30, 52, 6, o.color);
    b.oval(0, -10, 15, 5, shade(o.color, 0.4), { line: 3 });
    b.stroke((c) => { c.moveTo(0, -10); c.lineTo(0, -20); }, 4);
    b.shape('#ffb02e', (c) => {
      c.moveTo(0, -48);
      c.bezierCurveTo(18, -26, 10, -14, 0, -14);
      c.bezierCurveTo(-10, -14, -18, -26, 0, -48);
    });
    b.oval(0, -21, 4, 7, '#fff3b0', { flat: true, line: 0 });
  },
  bone: (b, o) => {
    b.c.save();
    b.c.rotate(-0.7);
    for (const x of [-32, 32]) for (const y of [-10, 10]) b.oval(x, y, 12, 12, o.color);
    b.round(-30, -9, 60, 18, 6, o.color);
    b.round(-28, -6, 56, 12, 4, o.color, { line: 0 });
    b.c.restore();
  },
  milk: (b, o) => {
    b.poly([[-20, -44], [20, -44], [20, -32], [30, -14], [30, 44], [-30, 44], [-30, -14], [-20, -32]], o.color);
    b.round(-30, 0, 60, 24, 2, '#5aa9e6', { line: 3 });
    b.round(-22, -50, 44, 12, 4, '#e63946');
  },
  book: (b, o) => {
    b.round(-34, -42, 68, 84, 6, o.color);
    b.round(-24, 26, 58, 12, 2, '#fff6e0', { line: 3 });
    b.round(-14, -28, 38, 14, 3, shade(o.color, 0.55), { line: 3 });
    b.stroke((c) => { c.moveTo(-24, -40); c.lineTo(-24, 26); }, 3);
  },
  crown: (b, o) => {
    b.poly([[-42, 34], [-46, -26], [-22, 0], [0, -40], [22, 0], [46, -26], [42, 34]], o.color);
    for (const [x, color] of [[-22, '#e63946'], [0, '#3a86ff'], [22, '#e63946']]) {
      b.oval(x, 20, 7, 7, color, { line: 3 });
    }
  },
};
