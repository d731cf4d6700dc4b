// Things: what is avoided and what is collected. Each painter has a name that
// a noun of the brief maps to.
import { shade } from './paint.js';
import { treats } from './treats.js';
import { vehicles } from './vehicles.js';

const angry = (b, y, k) => {
  for (const s of [-1, 1]) {
    b.oval(s * 11 * k, y, 7.5 * k, 8 * k, '#ffffff', { flat: true, line: 2.5 });
    b.oval(s * 9 * k, y + 2 * k, 3.6 * k, 4 * k, '#1a1423', { flat: true, line: 0 });
    b.stroke((c) => { c.moveTo(s * 20 * k, y - 13 * k); c.lineTo(s * 4 * k, y - 6 * k); }, 4.5 * k);
  }
};

const jag = (b, n, r, depth, color) => {
  b.poly(Array.from({ length: n }, (_, i) => {
    const a = (i / n) * Math.PI * 2;
    const q = r - ((i * 7919) % 5) * depth;
    return [Math.cos(a) * q, Math.sin(a) * q];
  }), color);
};

export const hazards = {
  spikeball: (b, o) => {
    b.star(0, 0, 10, 47, 30, shade(o.color, -0.35));
    b.oval(0, 0, 30, 30, o.color);
    angry(b, -2, 1);
    b.stroke((c) => c.arc(0, 21, 9, Math.PI + 0.4, -0.4), 4);
  },
  spike: (b, o) => { for (const x of [-28, 0, 28]) b.poly([[x - 17, 44], [x, x ? -14 : -42], [x + 17, 44]], o.color); },
  rock: (b, o) => {
    jag(b, 10, 45, 2.6, o.color);
    b.oval(-12, 6, 8, 6, shade(o.color, -0.25), { line: 0 });
    b.oval(16, -14, 6, 5, shade(o.color, -0.25), { line: 0 });
    b.oval(12, 18, 5, 4, shade(o.color, -0.25), { line: 0 });
    b.shine(-20, -22, 9, 5);
  },
  cactus: (b, o) => {
    for (const k of [-1, 1]) {
      b.round(k * 30 - 8, -22 + k * 8, 16, 34, 8, o.color);
      b.round(Math.min(0, k * 30), k * 4 + 2, 30, 14, 6, o.color);
    }
    b.round(-14, -44, 28, 90, 14, o.color);
    for (const y of [-28, -8, 12, 30]) {
      b.stroke((c) => {
        c.moveTo(-5, y);
        c.lineTo(-5, y + 6);
        c.moveTo(6, y + 5);
        c.lineTo(6, y + 11);
      }, 3, shade(o.color, 0.5));
    }
  },
  bomb: (b, o) => {
    b.stroke((c) => { c.moveTo(16, -26); c.quadraticCurveTo(24, -44, 36, -38); }, 6, '#c79a5b');
    b.star(38, -38, 6, 11, 5, '#ffb02e', { line: 2.5 });
    b.round(6, -36, 20, 14, 4, shade(o.color, -0.2));
    b.oval(0, 8, 36, 36, o.color);
    b.shine(-14, -10, 8, 5);
    angry(b, 6, 0.9);
  },
  ghost: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-34, 42);
      c.lineTo(-34, -2);
      c.bezierCurveTo(-34, -52, 34, -52, 34, -2);
      c.lineTo(34, 42);
      c.lineTo(17, 28);
      c.lineTo(0, 42);
      c.lineTo(-17, 28);
      c.closePath();
    });
    angry(b, -6, 1.1);
    b.oval(0, 16, 8, 9, '#1a1423', { flat: true, line: 0 });
  },
  invader: (b, o) => {
    for (const k of [-1, 1]) {
      b.stroke((c) => { c.moveTo(k * 12, -22); c.lineTo(k * 24, -44); }, 6);
      b.oval(k * 25, -44, 6, 6, shade(o.color, 0.4), { line: 3 });
    }
    for (const k of [-1, 1]) {
      b.round(k * 40 - 8, -12, 16, 32, 7, shade(o.color, -0.2));
      b.round(k * 20 - 9, 18, 18, 26, 6, shade(o.color, -0.2));
    }
    b.round(-36, -28, 72, 56, 16, o.color);
    angry(b, -4, 1.1);
    b.stroke((c) => { c.moveTo(-14, 16); c.lineTo(-7, 11); c.lineTo(0, 16); c.lineTo(7, 11); c.lineTo(14, 16); }, 3.5);
  },
  bug: (b, o) => {
    for (const k of [-1, 1]) {
      for (const y of [-14, 4, 22]) b.stroke((c) => { c.moveTo(k * 22, y); c.lineTo(k * 42, y + 6); }, 5);
    }
    b.oval(0, 4, 32, 34, o.color);
    b.stroke((c) => { c.moveTo(0, -6); c.lineTo(0, 36); }, 3);
    for (const [x, y] of [[-15, 16], [15, 16], [-13, 30], [13, 30]]) {
      b.oval(x, y, 4.5, 4.5, '#1a1423', { flat: true, line: 0 });
    }
    b.oval(0, -22, 22, 16, shade(o.color, -0.5));
    angry(b, -22, 0.8);
  },
  shark: (b, o) => {
    b.shape(shade(o.color, -0.15), (c) => { c.moveTo(-6, -22); c.lineTo(10, -48); c.lineTo(18, -18); c.closePath(); });
    b.shape(o.color, (c) => {
      c.moveTo(-46, 2);
      c.bezierCurveTo(-24, -34, 24, -32, 36, -2);
      c.lineTo(50, -20);
      c.lineTo(48, 22);
      c.lineTo(36, 6);
      c.bezierCurveTo(22, 30, -24, 30, -46, 2);
    });
    b.poly([[-36, 8], [-10, 18], [-8, 8]], '#ffffff', { flat: true, line: 3 });
    b.eye(-20, -6, 6, -0.3);
  },
  jelly: (b, o) => {
    for (const x of [-22, -8, 8, 22]) {
      b.stroke((c) => { c.moveTo(x, 4); c.bezierCurveTo(x - 10, 20, x + 10, 28, x - 2, 46); }, 5, shade(o.color, 0.25));
    }
    b.shape(o.color, (c) => {
      c.moveTo(-38, 8);
      c.bezierCurveTo(-38, -52, 38, -52, 38, 8);
      c.quadraticCurveTo(20, 16, 0, 8);
      c.quadraticCurveTo(-20, 16, -38, 8);
    });
    angry(b, -10, 0.9);
  },
  asteroid: (b, o) => {
    jag(b, 12, 46, 2.4, o.color);
    for (const [x, y, r] of [[-16, -10, 10], [14, 12, 12], [16, -20, 6], [-12, 22, 6]]) {
      b.oval(x, y, r, r, shade(o.color, -0.35), { line: 0 });
      b.oval(x + 2, y + 2, r * 0.75, r * 0.75, shade(o.color, -0.15), { line: 0 });
    }
  },
  fire: (b) => {
    b.shape('#f4511e', (c) => {
      c.moveTo(0, -48);
      c.bezierCurveTo(10, -24, 40, -8, 34, 20);
      c.bezierCurveTo(30, 48, -30, 48, -34, 20);
      c.bezierCurveTo(-36, 2, -20, -6, -20, -22);
      c.bezierCurveTo(-6, -18, 0, -32, 0, -48);
    });
    b.shape('#ffca28', (c) => {
      c.moveTo(2, -12);
      c.bezierCurveTo(10, 4, 22, 10, 18, 24);
      c.bezierCurveTo(14, 40, -16, 40, -18, 24);
      c.bezierCurveTo(-18, 10, 0, 6, 2, -12);
    }, { line: 0 });
    angry(b, 16, 0.7);
  },
  crate: (b, o) => {
    b.round(-42, -42, 84, 84, 8, o.color);
    b.round(-30, -30, 60, 60, 4, shade(o.color, -0.18), { line: 3 });
    b.stroke((c) => { c.moveTo(-28, 28); c.lineTo(28, -28); }, 9, o.color);
  },
  log: (b, o) => {
    b.round(-46, -26, 92, 52, 22, o.color);
    b.oval(-28, 0, 16, 22, shade(o.color, 0.4));
    b.oval(-28, 0, 8, 11, shade(o.color, 0.15), { line: 2.5 });
    b.stroke((c) => { c.moveTo(0, -10); c.lineTo(30, -10); c.moveTo(6, 10); c.lineTo(36, 10); }, 3);
  },
  cone: (b, o) => {
    b.round(-40, 30, 80, 14, 6, shade(o.color, -0.2));
    b.poly([[-26, 32], [-7, -44], [7, -44], [26, 32]], o.color);
    b.poly([[-18, 4], [-12, -18], [12, -18], [18, 4]], '#ffffff', { flat: true, line: 0 });
  },
  tree: (b, o) => {
    b.round(-9, 24, 18, 22, 4, '#8a5a34');
    for (const [y, w] of [[30, 38], [8, 31], [-14, 23]]) {
      b.poly([[-w, y], [0, y - 32], [w, y]], shade(o.color, (30 - y) / 160));
    }
  },
  truck: vehicles.trucktop,
  snowman: (b) => {
    b.oval(0, 20, 32, 27, '#eaf4ff');
    b.oval(0, -22, 22, 21, '#ffffff');
    angry(b, -26, 0.75);
    b.poly([[-2, -18], [22, -12], [-2, -9]], '#ff8c2e', { line: 2.5 });
  },
  icicle: (b) => {
    for (const [x, w, y] of [[-26, 15, 20], [2, 19, 46], [29, 13, 10]]) {
      b.poly([[x - w, -44], [x + w, -44], [x, y]], '#a9e2ff');
    }
  },
  laser: (b, o) => {
    b.round(-44, -14, 88, 28, 14, shade(o.color, -0.4));
    b.round(-34, -6, 68, 12, 6, shade(o.color, 0.5), { line: 0 });
  },
  bat: (b, o) => {
    for (const k of [-1, 1]) {
      b.shape(shade(o.color, -0.2), (c) => {
        c.moveTo(k * 14, -6);
        c.lineTo(k * 48, -28);
        c.quadraticCurveTo(k * 42, -4, k * 48, 14);
        c.quadraticCurveTo(k * 34, 6, k * 30, 20);
        c.quadraticCurveTo(k * 20, 10, k * 12, 18);
        c.closePath();
      });
    }
    for (const k of [-1, 1]) b.poly([[k * 18, -12], [k * 16, -34], [k * 3, -20]], o.color);
    b.oval(0, 2, 23, 22, o.color);
    angry(b, -2, 0.8);
  },
};

export const pickups = {
  ...treats,
  coin: (b, o) => {
    b.oval(0, 0, 38, 42, shade(o.color, -0.12));
    b.oval(0, 0, 27, 31, o.color, { line: 3 });
    b.star(0, 0, 5, 18, 8, shade(o.color, 0.5), { line: 0 });
    b.shine(-14, -22, 8, 5);
  },
  star: (b, o) => { b.star(0, 2, 5, 47, 22, o.color); b.shine(-9, -14, 7, 4); },
  gem: (b, o) => {
    b.poly([[-40, -12], [-22, -38], [22, -38], [40, -12], [0, 44]], o.color);
    b.poly([[-40, -12], [-14, -12], [0, 44]], shade(o.color, -0.2), { flat: true, line: 0 });
    b.poly([[14, -12], [-14, -12], [-22, -38], [22, -38]], shade(o.color, 0.35), { flat: true, line: 0 });
    b.stroke((c) => {
      c.moveTo(-40, -12);
      c.lineTo(40, -12);
      c.moveTo(-14, -12);
      c.lineTo(0, 44);
      c.lineTo(14, -12);
    }, 3);
  },
  heart: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(0, 40);
      c.bezierCurveTo(-60, -2, -40, -46, -14, -38);
      c.quadraticCurveTo(-3, -34, 0, -22);
      c.quadraticCurveTo(3, -34, 14, -38);
      c.bezierCurveTo(40, -46, 60, -2, 0, 40);
    });
    b.shine(-20, -20, 8, 6);
  },
  apple: (b, o) => {
    b.stroke((c) => { c.moveTo(0, -24); c.quadraticCurveTo(2, -38, 8, -44); }, 6);
    b.shape('#5fb84a', (c) => {
      c.moveTo(4, -32);
      c.quadraticCurveTo(20, -52, 36, -40);
      c.quadraticCurveTo(24, -24, 4, -32);
    }, { line: 4 });
    b.shape(o.color, (c) => {
      c.moveTo(0, -24);
      c.bezierCurveTo(-50, -44, -50, 40, -12, 42);
      c.quadraticCurveTo(0, 37, 12, 42);
      c.bezierCurveTo(50, 40, 50, -44, 0, -24);
    });
    b.shine(-20, -6, 7, 10, 0.3);
  },
  banana: (b) => b.shape('#ffdd45', (c) => {
    c.moveTo(-34, -30);
    c.bezierCurveTo(-24, 20, 14, 36, 44, 16);
    c.bezierCurveTo(36, 48, -36, 46, -44, -24);
    c.closePath();
  }),
  carrot: (b) => {
    for (const k of [-1, 0, 1]) {
      b.oval(24 + k * 9, -34 + Math.abs(k) * 6, 6, 15, '#5fb84a', { rot: 0.5 + k * 0.5, line: 3.5 });
    }
    b.shape('#ff8c2e', (c) => {
      c.moveTo(30, -26);
      c.quadraticCurveTo(20, 20, -38, 44);
      c.quadraticCurveTo(-26, -16, 10, -34);
      c.closePath();
    });
  },
  fish: (b, o) => {
    b.poly([[22, 0], [46, -22], [46, 22]], shade(o.color, -0.2));
    b.oval(-6, 0, 36, 24, o.color);
    b.eye(-24, -5, 7, -0.3);
    b.shine(0, -12, 9, 4, 0);
  },
  candy: (b, o) => {
    for (const k of [-1, 1]) b.poly([[k * 24, 0], [k * 48, -20], [k * 44, 0], [k * 48, 20]], shade(o.color, 0.3));
    b.oval(0, 0, 29, 27, o.color);
    b.c.save();
    b.c.beginPath();
    b.c.ellipse(0, 0, 26, 24, 0, 0, 7);
    b.c.clip();
    for (const x of [-18, 2, 22]) b.stroke((c) => { c.moveTo(x - 10, 30); c.lineTo(x + 10, -30); }, 7, '#ffffff');
    b.c.restore();
    b.shine(-10, -12, 6, 4);
  },
  donut: (b, o) => {
    b.oval(0, 0, 42, 42, '#e2a75f');
    b.oval(0, -2, 38, 36, o.color, { line: 3 });
    b.oval(0, 0, 13, 13, '#fff1dc', { flat: true });
    for (let i = 0; i < 8; i++) {
      b.stroke((c) => {
        const a = i * 0.8;
        c.moveTo(Math.cos(a) * 23, Math.sin(a) * 23);
        c.lineTo(Math.cos(a + 0.25) * 28, Math.sin(a + 0.25) * 28);
      }, 4.5, ['#ffffff', '#ffd93d', '#6bcbff'][i % 3]);
    }
  },
  cookie: (b) => {
    b.oval(0, 0, 42, 42, '#d9a05b');
    for (const [x, y] of [[-16, -14], [14, -18], [2, 6], [-20, 16], [20, 18]]) {
      b.oval(x, y, 6.5, 6, '#5b3418', { flat: true, line: 0 });
    }
    b.shine(-22, -24, 8, 4);
  },
  cheese: (b) => {
    b.poly([[-44, 22], [-44, -4], [36, -32], [44, -4], [44, 22]], '#ffd23f');
    b.stroke((c) => { c.moveTo(-44, -2); c.lineTo(44, -4); }, 3);
    for (const [x, y, r] of [[-20, 10, 6], [8, 8, 8], [30, 12, 4]]) {
      b.oval(x, y, r, r, '#e0a92a', { flat: true, line: 2.5 });
    }
  },
  flower: (b, o) => {
    for (let i = 0; i < 6; i++) b.oval(Math.cos(i * 1.047) * 25, Math.sin(i * 1.047) * 25, 17, 17, o.color);
    b.oval(0, 0, 16, 16, '#ffd93d');
  },
  acorn: (b) => {
    b.stroke((c) => { c.moveTo(0, -30); c.lineTo(4, -46); }, 6);
    b.shape('#c98a45', (c) => {
      c.moveTo(-28, -8);
      c.quadraticCurveTo(-24, 34, 0, 46);
      c.quadraticCurveTo(24, 34, 28, -8);
      c.closePath();
    });
    b.shape('#7a4a22', (c) => {
      c.moveTo(-36, -6);
      c.quadraticCurveTo(-34, -36, 0, -36);
      c.quadraticCurveTo(34, -36, 36, -6);
      c.closePath();
    });
  },
  gift: (b, o) => {
    b.round(-36, -14, 72, 56, 6, o.color);
    b.round(-42, -26, 84, 20, 6, shade(o.color, 0.15));
    b.round(-8, -26, 16, 68, 2, '#ffffff', { line: 3 });
    for (const k of [-1, 1]) b.oval(k * 14, -35, 13, 9, '#ffffff', { rot: k * 0.5, line: 4 });
  },
  bolt: (b, o) => b.poly([[8, -48], [-30, 8], [-4, 8], [-12, 48], [30, -12], [4, -12]], o.color),
  snowflake: (b) => {
    for (const [w, col] of [[13, b.ink], [7, '#dff4ff']]) {
      for (let i = 0; i < 3; i++) {
        b.stroke((c) => {
          const a = i * 1.047;
          const x = Math.cos(a) * 40;
          const y = Math.sin(a) * 40;
          c.moveTo(-x, -y);
          c.lineTo(x, y);
          for (const k of [-1, 1]) {
            for (const q of [-1, 1]) {
              c.moveTo(k * x * 0.6, k * y * 0.6);
              c.lineTo(k * Math.cos(a + q * 0.45) * 38, k * Math.sin(a + q * 0.45) * 38);
            }
          }
        }, w, col);
      }
    }
  },
  balloon: (b, o) => {
    b.stroke((c) => { c.moveTo(0, 24); c.quadraticCurveTo(8, 36, 0, 48); }, 3);
    b.oval(0, -12, 32, 36, o.color);
    b.poly([[-6, 22], [6, 22], [0, 14]], o.color, { line: 3 });
    b.shine(-12, -28, 6, 10, 0.3);
  },
  bubble: (b, o) => {
    b.c.globalAlpha = 0.75;
    b.oval(0, 0, 42, 42, o.color);
    b.c.globalAlpha = 1;
    b.shine(-16, -18, 10, 7);
    b.shine(18, 18, 5, 3);
  },
  mole: (b) => {
    b.shape('#9a6b43', (c) => { c.moveTo(-38, 46); c.bezierCurveTo(-44, -60, 44, -60, 38, 46); c.closePath(); });
    b.oval(0, 14, 20, 15, '#e9c39b', { line: 0 });
    b.oval(0, 4, 8, 6, '#e5688a', { line: 3 });
    b.eye(-13, -14, 8, 0);
    b.eye(13, -14, 8, 0);
    for (const x of [-5, 5]) b.round(x - 5, 18, 10, 12, 2, '#ffffff', { flat: true, line: 2.5 });
  },
  mushroom: (b, o) => {
    b.round(-18, 0, 36, 44, 14, '#fff1dc');
    b.shape(o.color, (c) => {
      c.moveTo(-46, 8);
      c.bezierCurveTo(-46, -58, 46, -58, 46, 8);
      c.quadraticCurveTo(0, 20, -46, 8);
    });
    for (const [x, y, r] of [[-20, -12, 8], [6, -24, 9], [24, -4, 6]]) {
      b.oval(x, y, r, r, '#ffffff', { flat: true, line: 0 });
    }
  },
  planet: (b, o) => {
    b.oval(0, 0, 30, 30, o.color);
    b.stroke((c) => c.ellipse(0, 2, 47, 13, -0.3, -0.3, Math.PI + 0.3), 9);
    b.stroke((c) => c.ellipse(0, 2, 47, 13, -0.3, -0.3, Math.PI + 0.3), 4.5, shade(o.color, 0.55));
    b.shine(-10, -14, 6, 4);
  },
};
