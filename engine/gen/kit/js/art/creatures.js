// What lives in the sea, crawls or buzzes, and dragons. They face right.
// Each painter returns where a hat sits: x, y and a scale.
import { shade } from './paint.js';

const DARK = '#2a2233';

const smile = (b, x, y, r) => b.stroke((c) => c.arc(x, y, r, 0.4, 2.3), 3.5);
const fluke = (b, color, x, y, k) => b.shape(color, (c) => {
  c.moveTo(x + 12 * k, y + 4 * k);
  c.bezierCurveTo(x, y - 2 * k, x - 4 * k, y - 16 * k, x - 20 * k, y - 20 * k);
  c.quadraticCurveTo(x - 6 * k, y - 2 * k, x - 18 * k, y + 14 * k);
  c.quadraticCurveTo(x, y + 14 * k, x + 14 * k, y + 8 * k);
  c.closePath();
}, { top: y - 20 * k, bottom: y + 14 * k });

export const creatures = {
  shark: (b, o) => {
    b.poly([[-12, -16], [-4, -46], [16, -16]], o.color);
    b.poly([[2, 14], [-14, 38], [18, 18]], o.color);
    b.shape(o.color, (c) => {
      c.moveTo(-28, 0);
      c.lineTo(-52, -34);
      c.quadraticCurveTo(-42, -4, -50, 24);
      c.closePath();
    });
    b.shape(o.color, (c) => {
      c.moveTo(-34, 0);
      c.bezierCurveTo(-12, -32, 30, -30, 52, -6);
      c.lineTo(36, 4);
      c.lineTo(46, 14);
      c.bezierCurveTo(20, 28, -16, 22, -34, 0);
    });
    b.within((c) => {
      c.moveTo(-34, 0);
      c.bezierCurveTo(-12, -32, 30, -30, 52, -6);
      c.lineTo(36, 4);
      c.lineTo(46, 14);
      c.bezierCurveTo(20, 28, -16, 22, -34, 0);
    }, () => b.oval(8, 22, 46, 15, '#f4f8fc', { line: 0 }));
    b.poly([[46, -3], [43, 5], [40, 0], [37, 7], [44, 12], [38, 3]], '#ffffff', { flat: true, line: 2 });
    for (const x of [12, 6, 0]) b.stroke((c) => { c.moveTo(x, -4); c.quadraticCurveTo(x - 4, 3, x, 9); }, 3);
    b.eye(28, -10, 6.5);
    b.stroke((c) => { c.moveTo(20, -20); c.lineTo(36, -14); }, 4);
    return [24, -14, 0.5];
  },
  whale: (b, o) => {
    b.stroke((c) => {
      c.moveTo(14, -22);
      c.lineTo(14, -36);
      c.moveTo(14, -36);
      c.quadraticCurveTo(8, -52, -4, -42);
      c.moveTo(14, -36);
      c.quadraticCurveTo(20, -52, 32, -42);
    }, 9);
    b.stroke((c) => {
      c.moveTo(14, -22);
      c.lineTo(14, -36);
      c.moveTo(14, -36);
      c.quadraticCurveTo(8, -52, -4, -42);
      c.moveTo(14, -36);
      c.quadraticCurveTo(20, -52, 32, -42);
    }, 4.5, '#9fe4ff');
    fluke(b, o.color, -40, -16, 0.9);
    const trace = (c) => {
      c.moveTo(-40, -14);
      c.bezierCurveTo(-26, 6, -18, -24, 14, -24);
      c.bezierCurveTo(46, -24, 54, 4, 48, 16);
      c.bezierCurveTo(40, 42, -6, 44, -22, 28);
      c.bezierCurveTo(-34, 16, -42, 2, -40, -14);
    };
    b.shape(o.color, trace);
    b.within(trace, () => {
      b.oval(26, 34, 48, 20, o.color2, { line: 0 });
      for (const y of [24, 31]) {
        b.stroke((c) => { c.moveTo(0, y); c.quadraticCurveTo(26, y + 5, 52, y - 4); }, 2.5, shade(o.color, -0.1));
      }
    });
    b.shape(o.color, (c) => {
      c.moveTo(2, 20);
      c.quadraticCurveTo(-4, 40, -16, 42);
      c.quadraticCurveTo(-14, 26, -6, 16);
      c.closePath();
    }, { line: 4 });
    b.eye(30, 0, 6.5);
    smile(b, 40, 6, 8);
    return [20, -6, 0.7];
  },
  dolphin: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-10, -20);
      c.quadraticCurveTo(-16, -40, -26, -46);
      c.quadraticCurveTo(-2, -44, 10, -24);
      c.closePath();
    });
    fluke(b, o.color, -38, 26, 0.85);
    const trace = (c) => {
      c.moveTo(-38, 30);
      c.bezierCurveTo(-34, -10, -4, -30, 20, -22);
      c.quadraticCurveTo(32, -18, 36, -8);
      c.quadraticCurveTo(48, -8, 54, 0);
      c.quadraticCurveTo(48, 6, 34, 4);
      c.bezierCurveTo(20, 18, -14, 14, -38, 30);
    };
    b.shape(o.color, trace);
    b.within(trace, () => b.shape(o.color2, (c) => {
      c.moveTo(54, 2);
      c.bezierCurveTo(30, 2, -4, 4, -30, 30);
      c.lineTo(40, 30);
      c.closePath();
    }, { line: 0 }));
    b.stroke(trace, 5);
    b.shape(o.color, (c) => {
      c.moveTo(12, 6);
      c.quadraticCurveTo(6, 26, -8, 30);
      c.quadraticCurveTo(-4, 16, 0, 6);
      c.closePath();
    }, { line: 4 });
    b.eye(24, -9, 5.5);
    b.stroke((c) => { c.moveTo(34, 0); c.quadraticCurveTo(42, 2, 50, 0); }, 2.5);
    return [20, -12, 0.5];
  },
  turtle: (b, o) => {
    for (const [x, y, r] of [[-26, 30, 0.4], [14, 32, -0.3]]) b.oval(x, y, 13, 10, o.color, { rot: r });
    b.poly([[-40, 16], [-54, 24], [-36, 26]], o.color, { line: 4 });
    b.limb((c) => { c.moveTo(20, 18); c.lineTo(34, 2); }, 15, o.color);
    b.oval(36, -6, 16, 15, o.color);
    b.eye(42, -9, 6);
    smile(b, 42, -2, 6);
    const dome = (c) => { c.moveTo(-42, 22); c.bezierCurveTo(-44, -44, 30, -44, 28, 22); c.closePath(); };
    b.shape(o.color2, dome);
    b.within(dome, () => {
      for (const [x, y] of [[-8, -12], [-30, 6], [15, 6], [-8, 14]]) {
        b.star(x, y, 3, 13, 11, shade(o.color2, 0.3), { line: 3 });
      }
    });
    b.round(-47, 17, 80, 11, 5, shade(o.color2, -0.25), { line: 4 });
    return [36, -4, 0.44];
  },
  crocodile: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-10, 4);
      c.quadraticCurveTo(-40, 2, -56, -16);
      c.quadraticCurveTo(-50, 22, -12, 28);
      c.closePath();
    });
    for (const x of [-24, -12, 0]) b.poly([[x - 7, 2], [x, -12], [x + 7, 2]], o.color2, { line: 3.5 });
    for (const x of [-14, 8]) b.round(x - 6, 20, 13, 18, 5, shade(o.color, -0.15));
    b.oval(-6, 14, 28, 15, o.color);
    b.oval(-6, 20, 20, 8, o.color2, { line: 0 });
    b.poly([[10, 10], [54, 8], [52, 18], [14, 26]], o.color);
    b.shape(o.color, (c) => {
      c.moveTo(2, 8);
      c.bezierCurveTo(0, -16, 16, -18, 22, -8);
      c.lineTo(50, -8);
      c.quadraticCurveTo(58, -2, 54, 4);
      c.lineTo(12, 10);
      c.closePath();
    });
    for (let x = 20; x < 52; x += 8) b.poly([[x, 4], [x + 7, 4], [x + 3.5, 11]], '#ffffff', { flat: true, line: 1.8 });
    for (let x = 24; x < 50; x += 8) b.poly([[x, 16], [x + 7, 16], [x + 3.5, 9]], '#ffffff', { flat: true, line: 1.8 });
    b.oval(12, -12, 9, 9, o.color, { line: 4 });
    b.eye(12, -13, 6.5);
    b.oval(49, -6, 2.5, 2, DARK, { flat: true, line: 0 });
    return [12, -8, 0.4];
  },
  snake: (b, o) => {
    const coil = (c) => {
      c.moveTo(-50, 38);
      c.bezierCurveTo(-20, 44, 34, 46, 34, 30);
      c.bezierCurveTo(34, 12, -32, 26, -32, 6);
      c.bezierCurveTo(-32, -14, 20, 4, 16, -24);
    };
    b.limb(coil, 16, o.color);
    b.c.save();
    b.c.setLineDash([5, 11]);
    b.stroke(coil, 7, o.color2);
    b.c.restore();
    b.stroke((c) => {
      c.moveTo(38, -24);
      c.lineTo(50, -22);
      c.lineTo(56, -27);
      c.moveTo(50, -22);
      c.lineTo(56, -17);
    }, 3.5, '#e5383b');
    b.oval(20, -28, 23, 17, o.color, { rot: 0.1 });
    for (const x of [14, 29]) b.eye(x, -35, 7);
    b.stroke((c) => { c.moveTo(22, -20); c.quadraticCurveTo(32, -16, 40, -22); }, 3);
    return [18, -28, 0.6];
  },
  dragon: (b, o) => {
    b.limb((c) => { c.moveTo(-14, 24); c.bezierCurveTo(-34, 40, -44, 26, -46, 8); }, 11, o.color);
    b.poly([[-54, 12], [-48, -8], [-38, 10]], o.color2, { line: 3.5 });
    b.shape(o.color2, (c) => {
      c.moveTo(2, 4);
      c.lineTo(-24, -46);
      c.quadraticCurveTo(-28, -32, -52, -34);
      c.quadraticCurveTo(-40, -20, -46, -6);
      c.quadraticCurveTo(-34, -10, -30, 4);
      c.quadraticCurveTo(-20, 0, -14, 12);
      c.closePath();
    });
    b.stroke((c) => { c.moveTo(-2, 4); c.lineTo(-24, -42); c.moveTo(-8, 6); c.lineTo(-34, -22); }, 3);
    for (const x of [-12, 10]) b.round(x - 8, 26, 17, 20, 6, x < 0 ? shade(o.color, -0.16) : o.color);
    b.limb((c) => { c.moveTo(8, 14); c.quadraticCurveTo(12, -4, 20, -18); }, 19, o.color);
    b.oval(0, 18, 26, 22, o.color);
    b.oval(9, 22, 14, 15, o.color2, { line: 0 });
    for (const y of [16, 23, 30]) b.stroke((c) => { c.moveTo(-2, y); c.lineTo(20, y); }, 2.5, shade(o.color, -0.1));
    for (const [x, y] of [[2, -8], [-4, 2]]) {
      b.poly([[x + 2, y - 8], [x - 10, y - 4], [x + 1, y + 5]], o.color2, { line: 3 });
    }
    for (const x of [10, 22]) b.poly([[x - 4, -36], [x - 10, -56], [x + 7, -38]], '#fff3d6', { line: 3.5 });
    b.oval(18, -26, 19, 16, o.color);
    b.oval(38, -20, 15, 11, o.color);
    b.oval(30, -22, 10, 8, o.color, { line: 0 });
    b.stroke((c) => { c.moveTo(26, -13); c.lineTo(50, -15); }, 3);
    for (const x of [34, 43]) b.poly([[x - 3, -14], [x + 3, -14], [x, -7]], '#ffffff', { flat: true, line: 1.8 });
    b.oval(46, -25, 2.4, 2, DARK, { flat: true, line: 0 });
    b.eye(22, -30, 7.5);
    return [16, -26, 0.54];
  },
  dinosaur: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-2, 0);
      c.quadraticCurveTo(-30, 6, -56, 26);
      c.quadraticCurveTo(-30, 40, -2, 32);
      c.closePath();
    });
    for (const [x, y] of [[-30, 6], [-16, -2], [-6, -16]]) {
      b.poly([[x - 7, y + 8], [x - 5, y - 10], [x + 8, y + 3]], o.color2, { line: 3.5 });
    }
    for (const x of [-12, 10]) {
      b.oval(x, 26, 12, 14, x < 0 ? shade(o.color, -0.16) : o.color);
      b.round(x - 7, 30, 14, 17, 4, x < 0 ? shade(o.color, -0.16) : o.color);
      b.round(x - 7, 41, 21, 7, 3, x < 0 ? shade(o.color, -0.16) : o.color, { line: 4 });
    }
    b.shape(o.color, (c) => {
      c.moveTo(-16, 10);
      c.bezierCurveTo(-14, -12, -8, -22, -4, -28);
      c.lineTo(26, -10);
      c.bezierCurveTo(28, 16, 18, 34, -2, 34);
      c.quadraticCurveTo(-16, 30, -16, 10);
    });
    b.oval(12, 14, 10, 17, o.color2, { line: 0 });
    b.shape(o.color, (c) => {
      c.moveTo(-10, -26);
      c.bezierCurveTo(-10, -52, 18, -52, 26, -44);
      c.lineTo(48, -40);
      c.quadraticCurveTo(54, -30, 50, -22);
      c.lineTo(22, -20);
      c.lineTo(46, -12);
      c.quadraticCurveTo(42, -4, 24, -5);
      c.quadraticCurveTo(-8, -4, -10, -26);
    });
    for (let x = 25; x < 48; x += 7) {
      b.poly([[x, -22], [x + 6, -22], [x + 3, -15]], '#ffffff', { flat: true, line: 1.8 });
    }
    b.limb((c) => { c.moveTo(20, 2); c.quadraticCurveTo(32, 4, 34, 12); }, 6, o.color);
    b.eye(12, -35, 7);
    b.oval(45, -34, 2.2, 2, DARK, { flat: true, line: 0 });
    return [8, -30, 0.56];
  },
  frog: (b, o) => {
    for (const k of [-1, 1]) {
      b.oval(1 + k * 28, 26, 16, 14, shade(o.color, -0.1), { rot: k * 0.5 });
      b.oval(1 + k * 35, 42, 15, 6, o.color, { line: 4 });
      b.limb((c) => { c.moveTo(1 + k * 13, 18); c.lineTo(1 + k * 12, 38); }, 9, o.color);
      b.oval(1 + k * 14, 43, 11, 5, o.color, { line: 4 });
    }
    b.oval(1, 12, 28, 26, o.color);
    b.oval(1, 20, 17, 16, o.color2, { line: 0 });
    for (const k of [-1, 1]) b.oval(1 + k * 18, -28, 15, 15, o.color);
    b.oval(1, -10, 34, 21, o.color);
    for (const k of [-1, 1]) { b.oval(1 + k * 18, -26, 11, 11, o.color, { line: 0 }); b.eye(1 + k * 18, -29, 10); }
    b.stroke((c) => { c.moveTo(-22, -6); c.quadraticCurveTo(1, 12, 24, -6); }, 4);
    return [1, -16, 0.9];
  },
  snail: (b, o) => {
    for (const [x, y] of [[30, -24], [44, -22]]) {
      b.limb((c) => { c.moveTo(x, 2); c.lineTo(x + 2, y); }, 4, o.color);
      b.eye(x + 2, y - 4, 6.5);
    }
    b.shape(o.color, (c) => {
      c.moveTo(-52, 42);
      c.quadraticCurveTo(-30, 26, 6, 28);
      c.bezierCurveTo(22, 26, 18, -4, 36, -6);
      c.bezierCurveTo(58, -4, 50, 42, 30, 42);
      c.closePath();
    });
    b.oval(-8, 4, 34, 33, o.color2);
    b.stroke((c) => {
      for (let a = 0; a < 13; a += 0.3) { const r = 26 - a * 2; c.lineTo(-8 + Math.cos(a) * r, 6 + Math.sin(a) * r); }
    }, 5, shade(o.color2, -0.35));
    smile(b, 40, 10, 6);
    return [36, -4, 0.4];
  },
  spider: (b, o) => {
    for (const k of [-1, 1]) {
      for (const [y, q, e] of [[-12, -34, -6], [-4, -18, 16], [6, -2, 34], [14, 14, 46]]) {
        b.limb((c) => { c.moveTo(k * 14, y); c.lineTo(k * 36, q); c.lineTo(k * (e > 40 ? 40 : 51), e); }, 4.5, o.color);
      }
    }
    b.oval(0, 14, 28, 27, o.color);
    b.poly([[-7, 8], [7, 8], [-7, 28], [7, 28]], '#ffffff', { flat: true, line: 0 });
    b.oval(0, -14, 21, 18, o.color);
    for (const [x, y, r] of [[-8, -16, 7.5], [8, -16, 7.5], [-17, -23, 4], [17, -23, 4]]) b.eye(x, y, r, 0.1);
    for (const k of [-1, 1]) b.poly([[k * 8, -2], [k * 2, -2], [k * 5, 8]], '#ffffff', { flat: true, line: 2 });
    return [0, -14, 0.62];
  },
  bee: (b, o) => {
    for (const [x, r] of [[-14, -0.5], [4, 0.1]]) b.oval(x, -30, 13, 20, o.color2, { rot: r, line: 4 });
    b.poly([[-42, 6], [-54, 12], [-42, 18]], DARK, { line: 3, flat: true });
    for (const x of [22, 34]) {
      b.stroke((c) => { c.moveTo(x, -16); c.quadraticCurveTo(x + 3, -34, x + 10, -36); }, 4);
      b.oval(x + 11, -36, 4.5, 4.5, DARK, { flat: true, line: 0 });
    }
    const egg = (c) => c.ellipse(-8, 10, 38, 28, 0, 0, 7);
    b.shape(o.color, egg);
    b.within(egg, () => { for (const x of [-36, -18, 0]) { b.c.fillStyle = DARK; b.c.fillRect(x, -40, 9, 90); } });
    b.stroke(egg, 5);
    b.oval(26, 2, 21, 21, o.color);
    for (const x of [22, 37]) b.eye(x, -1, 6.5);
    smile(b, 32, 6, 7);
    return [26, 4, 0.6];
  },
  ladybug: (b, o) => {
    for (const x of [-22, -4, 14]) b.stroke((c) => { c.moveTo(x, 26); c.lineTo(x - 3, 42); }, 5.5);
    for (const x of [28, 40]) {
      b.stroke((c) => { c.moveTo(x, -8); c.quadraticCurveTo(x + 2, -26, x + 10, -28); }, 4);
      b.oval(x + 10, -28, 4.5, 4.5, DARK, { flat: true, line: 0 });
    }
    b.oval(30, 6, 20, 20, DARK);
    const dome = (c) => { c.moveTo(-46, 30); c.bezierCurveTo(-46, -46, 28, -46, 28, 30); c.closePath(); };
    b.shape(o.color, dome);
    b.within(dome, () => {
      for (const [x, y, r] of [[-28, 6, 8], [-10, -12, 8], [-8, 18, 8], [12, 4, 7]]) {
        b.oval(x, y, r, r, DARK, { flat: true, line: 0 });
      }
    });
    for (const x of [32, 43]) b.eye(x, 2, 6.5);
    return [32, 6, 0.5];
  },
  octopus: (b, o) => {
    for (const [x, k] of [[-26, -1], [-10, -1], [10, 1], [26, 1]]) {
      b.limb((c) => {
        c.moveTo(x * 0.7, 8);
        c.bezierCurveTo(x, 26, x + k * 4, 42, x + k * 18, 36);
        c.quadraticCurveTo(x + k * 22, 30, x + k * 16, 28);
      }, 9, o.color);
    }
    b.shape(o.color, (c) => {
      c.moveTo(-30, 14);
      c.bezierCurveTo(-50, -60, 50, -60, 30, 14);
      c.quadraticCurveTo(0, 28, -30, 14);
    });
    for (const [x, y, r] of [[-16, -28, 5], [-6, -36, 4], [20, -30, 4]]) b.oval(x, y, r, r, o.color2, { line: 0 });
    for (const x of [-11, 13]) b.eye(x, -8, 9.5);
    b.oval(2, 9, 5, 5, DARK, { flat: true, line: 0 });
    return [0, -16, 0.94];
  },
  crab: (b, o) => {
    for (const k of [-1, 1]) {
      for (const [y, q] of [[16, 30], [22, 42]]) {
        b.limb((c) => { c.moveTo(k * 22, y); c.lineTo(k * 38, q - 8); c.lineTo(k * 44, q); }, 5, o.color);
      }
      b.limb((c) => { c.moveTo(k * 24, 4); c.quadraticCurveTo(k * 42, 2, k * 40, -16); }, 7, o.color);
      b.shape(o.color, (c) => {
        c.moveTo(k * 34, -16);
        c.bezierCurveTo(k * 20, -34, k * 28, -48, k * 38, -50);
        c.lineTo(k * 37, -34);
        c.lineTo(k * 50, -44);
        c.bezierCurveTo(k * 58, -30, k * 50, -14, k * 34, -16);
      });
      b.stroke((c) => { c.moveTo(k * 11, -6); c.lineTo(k * 11, -20); }, 5);
      b.eye(k * 11, -24, 8);
    }
    b.oval(0, 12, 35, 23, o.color);
    b.stroke((c) => c.arc(0, 12, 12, 0.4, 2.7), 4);
    for (const [x, y] of [[-22, 4], [22, 4]]) b.oval(x, y, 4, 3, o.color2, { line: 0 });
    return [0, 8, 0.8];
  },
};
