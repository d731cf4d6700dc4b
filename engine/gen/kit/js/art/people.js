// People: a head, a body with arms and legs, and what tells who they are. They
// face right. Each painter returns where a hat sits: x, y and a scale.
import { shade } from './paint.js';

const SKIN = '#ffd0a8';
const DARK = '#2a2233';
const GOLD = '#ffd23f';

// person draws someone. p: skin, coat, legs, hair, gown (a dress or robe instead
// of legs), back (behind), hand (what the right one holds), bare (no face).
function person(b, p) {
  const skin = p.skin || SKIN;
  if (p.back) p.back();
  if (p.gown) b.shape(p.gown, (c) => {
    c.moveTo(-10, 6);
    c.bezierCurveTo(-14, 24, -26, 34, -29, 47);
    c.quadraticCurveTo(0, 52, 29, 47);
    c.bezierCurveTo(26, 34, 14, 24, 10, 6);
    c.closePath();
  }, { top: 0, bottom: 50 });
  else for (const x of [-9, 9]) b.round(x - 7, 26, 15, 21, 5, p.legs || DARK, { top: 20, bottom: 50 });
  b.limb((c) => { c.moveTo(-13, 11); c.quadraticCurveTo(-24, 18, -24, 28); }, 9, p.sleeve || p.coat);
  if (!p.gown) b.round(-17, 4, 34, 28, 10, p.coat);
  if (p.belt) b.round(-17, 22, 34, 7, 2, p.belt, { line: 3 });
  if (p.chest) p.chest();
  if (p.hand) p.hand();
  b.limb((c) => { c.moveTo(13, 11); c.quadraticCurveTo(24, 14, 29, 10); }, 9, p.sleeve || p.coat);
  b.oval(31, 9, 6, 6, p.glove || skin, { line: 3.5 });
  b.oval(-24, 30, 6, 6, p.glove || skin, { line: 3.5 });
  if (p.hair) p.hair();
  b.oval(2, -16, 25, 23, skin);
  if (!p.bare) {
    for (const x of [-3, 15]) b.eye(x, -16, p.eye || 6.5);
    if (!p.mute) b.stroke((c) => c.arc(7, -9, 8, 0.4, 2.6), 3.5);
    for (const x of [-9, 20]) b.oval(x, -7, 4.5, 3, 'rgba(255,110,130,0.4)', { flat: true, line: 0 });
  }
  if (p.front) p.front();
  return [2, -12, 0.72];
}

const beard = (b, color) => b.shape(color, (c) => {
  c.moveTo(-20, -10);
  c.quadraticCurveTo(4, -4, 26, -10);
  c.bezierCurveTo(26, 10, 14, 24, 5, 28);
  c.bezierCurveTo(-8, 22, -20, 10, -20, -10);
}, { line: 4 });
const crown = (b, y) => {
  b.poly([[-18, y], [-23, y - 22], [-10, y - 12], [2, y - 26], [14, y - 12], [27, y - 22], [22, y]], GOLD,
    { top: y - 26, bottom: y, line: 4 });
  for (const [x, c] of [[-8, '#e5383b'], [2, '#3a86ff'], [12, '#e5383b']]) {
    b.oval(x, y - 5, 3, 3, c, { flat: true, line: 0 });
  }
};
const cape = (b, color, wide) => b.shape(color, (c) => {
  c.moveTo(-8, 2);
  c.quadraticCurveTo(-30, 10, -46 - (wide || 0), 44);
  c.quadraticCurveTo(-10, 34, 24 + (wide || 0), 46);
  c.quadraticCurveTo(22, 16, 12, 2);
  c.closePath();
});
const sword = (b) => {
  b.poly([[28, 6], [31, -38], [35, -46], [39, -38], [36, 6]], '#e8eef7', { line: 3.5, top: -46, bottom: 6 });
  b.round(22, 2, 20, 6, 3, GOLD, { line: 3 });
};
const pointed = (b, color, band) => {
  b.shape(color, (c) => {
    c.moveTo(-22, -26);
    c.bezierCurveTo(-12, -40, -6, -50, -16, -58);
    c.bezierCurveTo(8, -56, 20, -44, 25, -26);
    c.closePath();
  }, { top: -58, bottom: -22 });
  b.oval(2, -26, 35, 7.5, color);
  b.stroke((c) => { c.moveTo(-19, -31); c.quadraticCurveTo(2, -26, 22, -31); }, 5, band);
};
const shirt = (b, o, p) => person(b, Object.assign({ coat: o.color2, skin: o.color }, p));
const locks = (b, color, long) => b.shape(color, (c) => {
  c.moveTo(-24, -8);
  c.bezierCurveTo(-32, -50, 36, -50, 29, -6);
  c.lineTo(30, long);
  c.quadraticCurveTo(16, long + 4, 14, -6);
  c.lineTo(-12, -6);
  c.quadraticCurveTo(-14, long + 6, -30, long);
  c.closePath();
});
const fringe = (b, color) => b.shape(color, (c) => {
  c.moveTo(-24, -14);
  c.bezierCurveTo(-26, -46, 28, -48, 28, -16);
  c.quadraticCurveTo(20, -32, 6, -33);
  c.quadraticCurveTo(-12, -30, -24, -14);
}, { line: 4 });

export const people = {
  knight: (b, o) => person(b, {
    coat: o.color, legs: shade(o.color, -0.3), glove: o.color, skin: o.color, bare: true, hand: () => sword(b),
    chest: () => { b.poly([[0, 8], [7, 14], [0, 28], [-7, 14]], o.color2, { line: 3 }); },
    front: () => {
      b.shape(o.color2, (c) => {
        c.moveTo(4, -36);
        c.bezierCurveTo(-6, -60, -38, -52, -36, -22);
        c.bezierCurveTo(-28, -34, -14, -38, 4, -36);
      });
      b.round(-6, -25, 34, 15, 5, '#1f1b2b', { flat: true, line: 4 });
      for (const x of [3, 16]) b.oval(x, -17, 3.5, 4.5, '#ffffff', { flat: true, line: 0 });
      for (const x of [4, 11, 18]) b.stroke((c) => { c.moveTo(x, -5); c.lineTo(x, 2); }, 3);
      b.shape(o.color2, (c) => {
        c.moveTo(-40, 12);
        c.quadraticCurveTo(-26, 12, -12, 12);
        c.quadraticCurveTo(-12, 36, -26, 43);
        c.quadraticCurveTo(-40, 36, -40, 12);
      });
      b.stroke((c) => { c.moveTo(-26, 16); c.lineTo(-26, 38); c.moveTo(-36, 23); c.lineTo(-16, 23); }, 4, '#ffffff');
    },
  }),
  princess: (b, o) => person(b, {
    coat: o.color2, gown: o.color2, sleeve: shade(o.color2, 0.4), skin: o.color,
    hair: () => locks(b, '#f2b134', 22),
    front: () => { fringe(b, '#f2b134'); crown(b, -32); },
  }),
  queen: (b, o) => people.princess(b, o),
  king: (b, o) => person(b, {
    coat: o.color2, gown: o.color2, skin: o.color,
    back: () => cape(b, '#8f2fb0', 4),
    chest: () => { for (const y of [18, 32]) b.oval(1, y + 6, 3, 3, GOLD, { line: 2 }); },
    mute: true,
    front: () => { beard(b, '#b0713a'); crown(b, -32); },
  }),
  wizard: (b, o) => person(b, {
    coat: o.color2, gown: o.color2, skin: o.color, mute: true,
    hand: () => {
      b.limb((c) => { c.moveTo(33, 46); c.lineTo(33, -22); }, 5, '#8a5a33');
      b.oval(33, -28, 9, 9, '#5fe0ff');
      b.shine(30, -31, 3, 2);
    },
    front: () => { beard(b, '#f4f4fa'); pointed(b, o.color2, GOLD); b.star(3, -42, 5, 8, 3.5, GOLD, { line: 0 }); },
  }),
  witch: (b, o) => person(b, {
    coat: '#3a2a4d', gown: '#3a2a4d', skin: o.color,
    hair: () => locks(b, '#e07a2e', 10),
    hand: () => {
      b.limb((c) => { c.moveTo(30, -30); c.lineTo(33, 26); }, 5, '#8a5a33');
      b.poly([[26, 24], [40, 22], [47, 47], [24, 47]], '#e9b44c', { line: 4 });
    },
    front: () => { b.poly([[8, -12], [20, -4], [9, -4]], o.color, { line: 3 }); pointed(b, o.color2, '#8be04e'); },
  }),
  ninja: (b, o) => person(b, {
    coat: o.color, legs: o.color, skin: o.color, glove: o.color, belt: '#e5383b', bare: true,
    back: () => {
      b.limb((c) => {
        c.moveTo(-24, -22);
        c.quadraticCurveTo(-38, -30, -46, -22);
        c.moveTo(-24, -20);
        c.quadraticCurveTo(-36, -14, -46, -8);
      }, 6, '#e5383b');
      b.limb((c) => { c.moveTo(-30, 26); c.lineTo(-10, -4); }, 5, '#c9d1dc');
    },
    hand: () => b.star(38, 4, 4, 14, 5, '#dfe6f0', { line: 3 }),
    front: () => {
      b.round(-18, -24, 42, 17, 8, o.color2, { line: 3.5 });
      for (const x of [-4, 14]) {
        b.eye(x, -15, 6);
        b.stroke((c) => { c.moveTo(x + (x < 0 ? -8 : 8), -25); c.lineTo(x + (x < 0 ? 5 : -5), -20); }, 4);
      }
      b.stroke((c) => { c.moveTo(-22, -29); c.lineTo(26, -29); }, 8, '#e5383b');
    },
  }),
  pirate: (b, o) => person(b, {
    coat: '#c0392b', legs: '#3a3147', skin: o.color, belt: '#6b4a2b',
    hand: () => {
      b.shape('#e8eef7', (c) => {
        c.moveTo(30, 6);
        c.quadraticCurveTo(52, -8, 44, -38);
        c.quadraticCurveTo(36, -14, 26, 0);
        c.closePath();
      }, { line: 3.5 });
    },
    front: () => {
      b.stroke((c) => { c.moveTo(-22, -24); c.lineTo(24, -10); }, 3.5, DARK);
      b.oval(15, -15, 8, 8, DARK, { flat: true, line: 0 });
      b.shape(DARK, (c) => {
        c.moveTo(-34, -20);
        c.bezierCurveTo(-36, -40, -16, -34, -12, -46);
        c.quadraticCurveTo(2, -58, 16, -46);
        c.bezierCurveTo(20, -34, 40, -40, 38, -20);
        c.quadraticCurveTo(2, -34, -34, -20);
      }, { line: 4 });
      b.stroke((c) => { c.moveTo(-32, -22); c.quadraticCurveTo(2, -36, 36, -22); }, 3, GOLD);
      b.oval(2, -42, 6, 5.5, '#ffffff', { flat: true, line: 0 });
      for (const k of [-1, 1]) b.oval(2 + k * 2.4, -43, 1.5, 1.8, DARK, { flat: true, line: 0 });
    },
  }),
  astronaut: (b, o) => {
    const hat = person(b, {
      coat: o.color, legs: o.color, skin: o.color, glove: o.color2, bare: true, belt: '#9aa7bd',
      back: () => b.round(-32, -2, 24, 34, 8, '#9aa7bd'),
      chest: () => {
        b.round(-9, 8, 18, 10, 3, '#5d6878', { line: 3 });
        b.oval(-4, 13, 2, 2, '#ff5d73', { flat: true, line: 0 });
        b.oval(3, 13, 2, 2, '#5fe08a', { flat: true, line: 0 });
      },
    });
    b.oval(2, -18, 29, 27, o.color);
    b.round(-13, -35, 42, 32, 16, '#243b55', { line: 4 });
    b.c.globalAlpha = 0.9;
    for (const x of [3, 19]) b.eye(x, -18, 6);
    b.c.globalAlpha = 1;
    b.shine(22, -29, 6, 3, 0.5);
    return hat;
  },
  zombie: (b, o) => person(b, {
    coat: '#6b7a8f', legs: '#54462f', skin: o.color, mute: true, eye: 7,
    hand: () => {
      b.limb((c) => { c.moveTo(12, 12); c.lineTo(44, 4); }, 9, o.color);
      b.oval(46, 3, 6, 6, o.color, { line: 3.5 });
    },
    sleeve: o.color,
    chest: () => { b.poly([[-17, 32], [-9, 24], [-2, 32], [6, 23], [17, 32]], '#54462f', { flat: true, line: 0 }); },
    front: () => {
      b.round(-4, -6, 22, 9, 3, '#3a1f2b', { flat: true, line: 3 });
      for (const x of [0, 10]) b.poly([[x - 3, -5], [x + 3, -5], [x, 0]], '#ffffff', { flat: true, line: 0 });
      b.stroke((c) => { c.moveTo(-16, -30); c.lineTo(-4, -26); c.moveTo(-12, -32); c.lineTo(-13, -24); }, 3);
      b.shape('#3d4a2f', (c) => {
        c.moveTo(-20, -28);
        c.lineTo(-12, -44);
        c.lineTo(-4, -36);
        c.lineTo(4, -46);
        c.lineTo(12, -36);
        c.lineTo(20, -42);
        c.lineTo(24, -26);
        c.quadraticCurveTo(4, -40, -20, -28);
      }, { line: 3.5 });
    },
  }),
  vampire: (b, o) => person(b, {
    coat: '#2a2233', skin: o.color, mute: true,
    back: () => {
      cape(b, o.color2, 2);
      b.shape('#2a2233', (c) => {
        c.moveTo(-34, -16);
        c.lineTo(-14, 14);
        c.lineTo(16, 14);
        c.lineTo(38, -16);
        c.quadraticCurveTo(24, 6, 2, 8);
        c.quadraticCurveTo(-20, 6, -34, -16);
      });
    },
    chest: () => b.poly([[-6, 6], [8, 6], [1, 24]], '#ffffff', { flat: true, line: 3 }),
    front: () => {
      b.shape('#221a2c', (c) => {
        c.moveTo(-24, -14);
        c.bezierCurveTo(-28, -48, 32, -48, 28, -14);
        c.quadraticCurveTo(22, -28, 14, -32);
        c.lineTo(5, -22);
        c.lineTo(-6, -32);
        c.quadraticCurveTo(-18, -28, -24, -14);
      }, { line: 4 });
      b.stroke((c) => c.arc(7, -9, 9, 0.3, 2.7), 3.5);
      for (const x of [2, 12]) b.poly([[x - 3, -2], [x + 3, -2], [x, 6]], '#ffffff', { flat: true, line: 1.5 });
    },
  }),
  skeleton: (b, o) => person(b, {
    coat: o.color, legs: o.color, skin: o.color, bare: true,
    chest: () => {
      b.round(-17, 4, 34, 28, 10, '#2b2638', { flat: true, line: 0 });
      for (const y of [10, 18, 26]) {
        b.stroke((c) => { c.moveTo(-12, y); c.quadraticCurveTo(0, y + 4, 12, y); }, 4, o.color);
      }
      b.stroke((c) => { c.moveTo(0, 4); c.lineTo(0, 32); }, 5, o.color);
    },
    front: () => {
      for (const x of [-6, 13]) b.oval(x, -18, 7, 8, '#2b2638', { flat: true, line: 0 });
      b.poly([[1, -10], [7, -10], [4, -4]], '#2b2638', { flat: true, line: 0 });
      for (const x of [-6, 1, 8, 15]) b.stroke((c) => { c.moveTo(x, -2); c.lineTo(x, 5); }, 2.5);
    },
  }),
  superhero: (b, o) => person(b, {
    coat: o.color, legs: o.color, glove: '#e5383b', belt: o.color2,
    back: () => cape(b, '#e5383b', 4),
    chest: () => b.star(0, 14, 5, 9, 4, o.color2, { line: 0 }),
    hair: () => {},
    front: () => {
      b.shape(o.color, (c) => {
        c.moveTo(-23, -18);
        c.quadraticCurveTo(2, -34, 27, -18);
        c.quadraticCurveTo(24, -6, 14, -8);
        c.lineTo(6, -12);
        c.lineTo(-4, -8);
        c.quadraticCurveTo(-20, -6, -23, -18);
      }, { line: 3.5 });
      for (const x of [-3, 15]) b.eye(x, -16, 5.5);
      b.shape('#3a2a22', (c) => {
        c.moveTo(-22, -26);
        c.bezierCurveTo(-16, -48, 24, -48, 26, -26);
        c.quadraticCurveTo(4, -38, -22, -26);
      }, { line: 4 });
    },
  }),
  chef: (b, o) => shirt(b, o, {
    legs: '#54627a',
    chest: () => { for (const y of [12, 22]) b.oval(0, y, 2.4, 2.4, DARK, { flat: true, line: 0 }); },
    front: () => {
      b.stroke((c) => { c.moveTo(-2, -8); c.quadraticCurveTo(7, -12, 16, -8); }, 5, '#5b3a22');
      for (const x of [-13, 17, 2]) b.oval(x, -46, 15, 12, '#ffffff');
      b.round(-19, -44, 42, 17, 4, '#ffffff');
    },
  }),
  santa: (b, o) => person(b, {
    coat: '#e5383b', legs: '#b3202c', glove: DARK, skin: o.color, belt: DARK, mute: true,
    front: () => {
      beard(b, '#ffffff');
      b.shape('#e5383b', (c) => {
        c.moveTo(-24, -26);
        c.quadraticCurveTo(-10, -62, 36, -44);
        c.lineTo(26, -24);
        c.closePath();
      });
      b.oval(37, -43, 7, 7, '#ffffff', { line: 3 });
      b.round(-27, -32, 56, 12, 6, '#ffffff', { line: 3.5 });
    },
  }),
  elf: (b, o) => person(b, {
    coat: o.color2, legs: '#b3402c', skin: o.color, belt: GOLD,
    hair: () => {
      for (const k of [-1, 1]) b.poly([[2 + k * 22, -10], [2 + k * 42, -26], [2 + k * 22, -22]], o.color, { line: 4 });
    },
    front: () => pointed(b, o.color2, '#e5383b'),
  }),
  kid: (b, o) => shirt(b, o, {
    legs: '#3b4a6b',
    front: () => {
      b.shape('#e5383b', (c) => { c.moveTo(-24, -24); c.bezierCurveTo(-24, -52, 28, -52, 28, -24); c.closePath(); });
      b.shape('#e5383b', (c) => {
        c.moveTo(8, -26);
        c.quadraticCurveTo(30, -32, 44, -21);
        c.quadraticCurveTo(28, -18, 8, -21);
        c.closePath();
      }, { line: 4 });
    },
  }),
  farmer: (b, o) => person(b, {
    coat: '#d1495b', legs: '#3b5b8f', skin: o.color,
    chest: () => b.round(-11, 12, 22, 20, 3, '#3b5b8f', { line: 3 }),
    hand: () => {
      b.limb((c) => { c.moveTo(34, 46); c.lineTo(34, -16); }, 4, '#8a5a33');
      for (const k of [-7, 0, 7]) b.stroke((c) => { c.moveTo(34 + k, -16); c.lineTo(34 + k, -32); }, 4);
      b.stroke((c) => { c.moveTo(27, -16); c.lineTo(41, -16); }, 4);
    },
    front: () => {
      b.shape('#e9c46a', (c) => { c.moveTo(-16, -30); c.quadraticCurveTo(2, -62, 20, -30); c.closePath(); });
      b.oval(2, -29, 34, 7, '#e9c46a');
    },
  }),
  fairy: (b, o) => person(b, {
    coat: '#ff8fc7', gown: '#ff8fc7', skin: o.color,
    back: () => {
      for (const k of [-1, 1]) {
        b.oval(k * 30, -2, 18, 22, o.color2, { rot: k * 0.6 });
        b.oval(k * 26, 26, 12, 14, o.color2, { rot: -k * 0.5 });
      }
    },
    hair: () => locks(b, '#ffcf5c', 6),
    hand: () => {
      b.limb((c) => { c.moveTo(32, 14); c.lineTo(38, -18); }, 3, '#8a5a33');
      b.star(39, -26, 5, 11, 5, GOLD, { line: 3 });
    },
    front: () => fringe(b, '#ffcf5c'),
  }),
  mermaid: (b, o) => person(b, {
    coat: o.color, sleeve: o.color, gown: o.color2, skin: o.color,
    back: () => b.shape(o.color2, (c) => {
      c.moveTo(0, 44);
      c.lineTo(-30, 56);
      c.quadraticCurveTo(-38, 40, -24, 36);
      c.lineTo(24, 36);
      c.quadraticCurveTo(38, 40, 30, 56);
      c.closePath();
    }),
    hair: () => locks(b, '#e4572e', 24),
    chest: () => {
      for (const x of [-7, 7]) b.oval(x, 12, 6, 5, '#c77dff', { line: 2.5 });
      for (const [x, y] of [[-8, 30], [6, 28], [0, 38], [13, 39], [-16, 40]]) {
        b.stroke((c) => c.arc(x, y, 4, 0.2, 2.9), 2.2, shade(o.color2, -0.3));
      }
    },
    front: () => { fringe(b, '#e4572e'); b.star(-14, -34, 5, 8, 4, '#ffb703', { line: 2.5 }); },
  }),
};
