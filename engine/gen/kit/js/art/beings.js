// Beings: a body, and features in front of it and behind it. A noun of the
// brief becomes a body with features in Go; here they are only drawn.
import { animals } from './animals.js';
import { birds } from './birds.js';
import { creatures } from './creatures.js';
import { people } from './people.js';
import { vehicles } from './vehicles.js';
import { visitors } from './visitors.js';

// stands tells whether a body has feet or wheels at the very bottom. A hero's feet
// are where a round one ends.
export function stands(body) {
  return Boolean(animals[body] || birds[body] || creatures[body] || people[body] || visitors[body])
    || /^(train|tractor|tank|ship|truck|bus|firetruck|helicopter|.*bike)$/.test(body);
}

// hats are the features that a body of its own can wear.
const hats = ['hat', 'crown', 'cap', 'toque', 'santa', 'horn', 'horns'];

// whole are bodies that are drawn with all they have.
const whole = Object.assign({}, animals, birds, creatures, people, visitors, vehicles);

const bodies = {
  round: (b, o) => { b.oval(0, 2, 36, 34, o.color); b.shine(-14, -16, 9, 5); },
  egg: (b, o) => { b.oval(0, 2, 31, 40, o.color); b.shine(-12, -20, 7, 5); },
  snowman: (b, o) => {
    b.oval(1, 22, 31, 25, o.color);
    for (const y of [14, 24, 34]) b.oval(4, y, 3, 3, '#2a2233', { flat: true, line: 0 });
    for (const k of [-1, 1]) b.limb((c) => { c.moveTo(1 + k * 26, 14); c.lineTo(1 + k * 44, 0); }, 3.5, '#8a5a33');
    b.oval(1, -16, 24, 22, o.color);
    b.round(-24, -5, 50, 10, 5, '#e5383b', { line: 4 });
    b.round(12, 0, 11, 20, 3, '#e5383b', { line: 4 });
    b.round(-14, -52, 30, 22, 3, '#33303f');
    b.round(-24, -35, 50, 7, 3, '#33303f');
  },
  square: (b, o) => { b.round(-34, -32, 68, 68, 14, o.color); b.shine(-19, -21, 8, 4, 0); },
  blob: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-40, 34);
      c.bezierCurveTo(-46, -8, -26, -38, 0, -38);
      c.bezierCurveTo(26, -38, 46, -8, 40, 34);
      c.quadraticCurveTo(0, 42, -40, 34);
    });
    b.shine(-14, -20, 9, 5);
  },
  ghost: (b, o) => {
    b.shape(o.color, (c) => {
      c.moveTo(-34, 40);
      c.lineTo(-34, 0);
      c.bezierCurveTo(-34, -50, 34, -50, 34, 0);
      c.lineTo(34, 40);
      c.quadraticCurveTo(26, 26, 17, 38);
      c.quadraticCurveTo(8, 26, 0, 38);
      c.quadraticCurveTo(-8, 26, -17, 38);
      c.quadraticCurveTo(-26, 26, -34, 40);
    });
    b.shine(-14, -22, 8, 5);
  },
  fish: (b, o) => {
    b.shape(o.color2, (c) => {
      c.moveTo(-24, 0);
      c.lineTo(-48, -24);
      c.quadraticCurveTo(-40, 0, -48, 24);
      c.closePath();
    });
    b.shape(o.color, (c) => {
      c.moveTo(-30, 0);
      c.bezierCurveTo(-14, -40, 30, -38, 44, 0);
      c.bezierCurveTo(30, 38, -14, 40, -30, 0);
    });
    b.shape(o.color2, (c) => {
      c.moveTo(-6, -28);
      c.quadraticCurveTo(4, -46, 22, -42);
      c.lineTo(16, -26);
      c.closePath();
    }, { line: 4 });
    b.shine(6, -18, 10, 4);
  },
  cupcake: (b, o) => {
    b.poly([[-30, 8], [30, 8], [22, 44], [-22, 44]], o.color2, { top: 8, bottom: 44 });
    for (const x of [-15, 0, 15]) b.stroke((c) => { c.moveTo(x, 12); c.lineTo(x * 0.75, 40); }, 3.5);
    b.shape(o.color, (c) => {
      c.moveTo(-38, 12);
      c.bezierCurveTo(-50, -10, -30, -18, -28, -18);
      c.bezierCurveTo(-24, -38, -8, -32, 0, -46);
      c.bezierCurveTo(10, -34, 26, -36, 28, -18);
      c.bezierCurveTo(46, -12, 46, 8, 38, 12);
      c.quadraticCurveTo(0, 22, -38, 12);
    });
    b.oval(0, -45, 7, 7, '#e63946', { line: 4 });
    b.shine(-16, -20, 8, 4);
  },
  donut: (b, o) => {
    b.oval(0, 2, 40, 40, '#e2a75f');
    b.oval(0, -1, 37, 35, o.color);
    for (let i = 0; i < 9; i++) {
      b.stroke((c) => {
        const a = i * 0.7;
        c.moveTo(Math.cos(a) * 25, Math.sin(a) * 25);
        c.lineTo(Math.cos(a + 0.2) * 29, Math.sin(a + 0.2) * 29);
      }, 4, ['#fff', '#ffd93d', '#6bcbff'][i % 3]);
    }
  },
};

const behind = {
  tail: (b, o) => b.shape(o.color2, (c) => {
    c.moveTo(-26, 4);
    c.lineTo(-50, -12);
    c.lineTo(-46, 4);
    c.lineTo(-50, 18);
    c.closePath();
  }),
  longtail: (b, o) => b.stroke((c) => { c.moveTo(-28, 20); c.bezierCurveTo(-56, 26, -34, -8, -50, -18); }, 9, o.color2),
  bushtail: (b, o) => b.shape(o.color, (c) => {
    c.moveTo(-22, 26);
    c.bezierCurveTo(-60, 30, -58, -20, -40, -24);
    c.bezierCurveTo(-44, -6, -30, 2, -20, 8);
    c.closePath();
  }),
  catears: (b, o) => {
    for (const k of [-1, 1]) {
      b.poly([[k * 32, -8], [k * 30, -46], [k * 6, -28]], o.color);
      b.poly([[k * 27, -18], [k * 26, -36], [k * 14, -26]], o.color2, { line: 0 });
    }
  },
  bunnyears: (b, o) => {
    for (const k of [-1, 1]) {
      b.oval(k * 14, -36, 9, 20, o.color, { rot: k * 0.2 });
      b.oval(k * 14, -35, 4, 13, o.color2, { rot: k * 0.2, line: 0 });
    }
  },
  bearears: (b, o) => {
    for (const k of [-1, 1]) { b.oval(k * 26, -26, 13, 13, o.color); b.oval(k * 26, -26, 6, 6, o.color2, { line: 0 }); }
  },
  mouseears: (b, o) => {
    for (const k of [-1, 1]) {
      b.oval(k * 29, -27, 18, 18, o.color);
      b.oval(k * 29, -27, 10, 10, o.color2, { line: 0 });
    }
  },
  batwing: (b, o) => {
    for (const k of [-1, 1]) {
      b.shape(o.color2, (c) => {
        c.moveTo(k * 26, 0);
        c.lineTo(k * 46, -30);
        c.quadraticCurveTo(k * 46, -12, k * 50, 4);
        c.quadraticCurveTo(k * 40, 2, k * 38, 14);
        c.quadraticCurveTo(k * 30, 10, k * 24, 16);
        c.closePath();
      });
    }
  },
  butterfly: (b, o) => {
    for (const k of [-1, 1]) {
      b.oval(k * 28, -16, 22, 20, o.color2, { rot: k * 0.4 });
      b.oval(k * 24, 20, 15, 14, o.color2);
    }
  },
  antenna: (b, o) => {
    for (const k of [-1, 1]) {
      b.stroke((c) => { c.moveTo(k * 9, -28); c.quadraticCurveTo(k * 12, -42, k * 18, -44); }, 4);
      b.oval(k * 18, -44, 5, 5, o.color2, { line: 3 });
    }
  },
  aerial: (b, o) => {
    b.stroke((c) => { c.moveTo(0, -32); c.lineTo(0, -42); }, 5);
    b.oval(0, -44, 6, 6, o.color2, { line: 3 });
  },
  mane: (b, o) => b.star(0, 0, 12, 49, 38, o.color2),
  spikes: (b, o) => {
    for (const [x, y] of [[-40, -10], [-30, -28], [-12, -40], [8, -42]]) {
      b.poly([[x - 4, y + 14], [x - 8, y - 6], [x + 14, y + 2]], o.color2, { line: 3.5 });
    }
  },
  tentacles: (b, o) => {
    for (const x of [-24, -8, 8, 24]) {
      b.stroke((c) => { c.moveTo(x, 22); c.quadraticCurveTo(x - 6, 36, x + 4, 46); }, 12, o.ink);
    }
    for (const x of [-24, -8, 8, 24]) {
      b.stroke((c) => { c.moveTo(x, 22); c.quadraticCurveTo(x - 6, 36, x + 4, 46); }, 6, o.color);
    }
  },
  claws: (b, o) => {
    for (const k of [-1, 1]) {
      b.oval(k * 42, -18, 11, 13, o.color);
      b.poly([[k * 42, -18], [k * 38, -34], [k * 48, -34]], o.ink, { flat: true, line: 0 });
    }
  },
  shell: (b, o) => b.oval(-8, -6, 40, 34, o.color2),
  feet: (b, o) => { for (const x of [-13, 13]) b.oval(x, 38, 11, 6, o.color2); },
  cape: (b) => b.shape('#d8334a', (c) => {
    c.moveTo(-20, -10);
    c.quadraticCurveTo(-52, 4, -48, 36);
    c.quadraticCurveTo(-30, 28, -14, 30);
    c.closePath();
  }),
};

export function crown(b) {
  b.poly([[-20, -26], [-24, -48], [-10, -38], [0, -52], [10, -38], [24, -48], [20, -26]], '#ffd23f',
    { top: -52, bottom: -26, line: 4 });
}

const front = {
  belly: (b, o) => b.oval(4, 16, 20, 18, o.color2, { line: 0 }),
  wing: (b, o) => b.shape(o.color2, (c) => {
    c.moveTo(-6, 2);
    c.bezierCurveTo(-14, -12, -38, -12, -40, 6);
    c.bezierCurveTo(-34, 10, -36, 16, -28, 16);
    c.bezierCurveTo(-22, 24, -6, 20, -6, 2);
  }, { line: 4 }),
  beak: (b) => b.poly([[24, -2], [47, 6], [24, 16]], '#ff9d2e', { top: -4, bottom: 18, line: 4 }),
  bill: (b) => { b.oval(34, 8, 17, 7, '#ff9d2e', { line: 4 }); },
  crest: (b) => { for (const x of [-8, 2, 12]) b.oval(x, -34 - Math.abs(x - 2) * -0.3, 6, 8, '#e5383b', { line: 3 }); },
  horn: (b) => b.poly([[6, -28], [18, -52], [22, -24]], '#ffe08a', { line: 4 }),
  horns: (b) => {
    for (const k of [-1, 1]) b.poly([[k * 10, -28], [k * 26, -46], [k * 26, -20]], '#fff3d6', { line: 4 });
  },
  topeyes: (b, o) => { for (const k of [-1, 1]) { b.oval(k * 18, -30, 14, 14, o.color); b.eye(k * 18, -31, 10); } },
  stripes: (b) => {
    b.c.save();
    b.c.beginPath();
    b.c.ellipse(0, 2, 34, 32, 0, 0, 7);
    b.c.clip();
    for (const x of [-24, -4]) { b.c.fillStyle = '#2a2233'; b.c.fillRect(x, -40, 10, 84); }
    b.c.restore();
  },
  spots: (b, o) => {
    for (const [x, y, r] of [[-18, -8, 7], [-8, 18, 6], [-24, 12, 4]]) b.oval(x, y, r, r, o.color2, { line: 0 });
  },
  patches: (b) => {
    for (const k of [-1, 1]) b.oval(k * 13 + 4, -7, 13, 15, '#2a2233', { flat: true, line: 0, rot: k * 0.4 });
  },
  whiskers: (b) => {
    for (const k of [-1, 1]) {
      for (const y of [8, 15]) {
        b.stroke((c) => { c.moveTo(k * 18 + 4, y); c.lineTo(k * 44 + 2, y + (y - 11) * 0.8); }, 2.5);
      }
    }
  },
  snout: (b, o) => {
    b.oval(8, 13, 16, 12, o.color2, { line: 3.5 });
    for (const x of [3, 13]) b.oval(x, 13, 2.6, 4, '#3a2630', { flat: true, line: 0 });
  },
  muzzle: (b, o) => {
    b.oval(6, 14, 17, 13, o.color2, { line: 0 });
    b.oval(8, 7, 6, 4.5, '#2a2233', { flat: true, line: 0 });
  },
  band: (b) => {
    b.c.save();
    b.c.beginPath();
    b.c.ellipse(0, 2, 35, 33, 0, 0, 7);
    b.c.clip();
    b.c.fillStyle = '#e5383b';
    b.c.fillRect(-40, -26, 80, 12);
    b.c.restore();
    b.poly([[-34, -20], [-52, -30], [-48, -14]], '#e5383b', { line: 3 });
  },
  visor: (b) => { b.round(-8, -20, 42, 34, 15, '#243b55', { line: 4 }); b.shine(22, -12, 5, 3); },
  hat: (b, o) => { b.poly([[-26, -24], [8, -56], [24, -22]], o.color2); b.oval(0, -24, 34, 7, o.color2); },
  cap: (b, o) => {
    b.shape(o.color2, (c) => { c.moveTo(-30, -20); c.bezierCurveTo(-30, -52, 30, -52, 32, -20); c.closePath(); });
    b.shape(o.color2, (c) => {
      c.moveTo(10, -22);
      c.quadraticCurveTo(34, -30, 50, -18);
      c.quadraticCurveTo(34, -14, 10, -16);
      c.closePath();
    }, { line: 4 });
    b.oval(2, -43, 5, 4, '#ffffff', { line: 3 });
  },
  toque: (b, o) => {
    for (const x of [-18, 18, 0]) b.oval(x, -44, 17, 14, o.color2);
    b.round(-24, -40, 48, 20, 4, o.color2);
  },
  santa: (b) => {
    b.shape('#e5383b', (c) => {
      c.moveTo(-28, -22);
      c.quadraticCurveTo(-10, -58, 30, -36);
      c.lineTo(28, -20);
      c.closePath();
    });
    b.oval(32, -36, 7, 7, '#ffffff', { line: 3 });
    b.round(-34, -28, 66, 12, 6, '#ffffff', { line: 3.5 });
  },
  crown: (b) => crown(b),
  leaf: (b) => b.shape('#5fb84a', (c) => {
    c.moveTo(0, -30);
    c.quadraticCurveTo(6, -52, 26, -48);
    c.quadraticCurveTo(22, -30, 0, -30);
  }, { line: 4 }),
  pumpkin: (b) => {
    for (const k of [-1, 1]) {
      b.stroke((c) => { c.moveTo(k * 12, -30); c.quadraticCurveTo(k * 26, 2, k * 12, 34); }, 3, 'rgba(90,40,0,0.4)');
    }
  },
  carrot: (b) => b.poly([[14, 4], [42, 10], [14, 14]], '#ff8c2e', { line: 3 }),
};

function face(b, o) {
  const has = (f) => o.features.indexOf(f) >= 0;
  if (o.body === 'fish') { b.eye(22, -6, 9); b.stroke((c) => c.arc(32, 8, 7, 0.6, 2.2), 3.5); return; }
  if (o.body === 'snowman') {
    for (const x of [-5, 14]) b.eye(x, -19, 6.5);
    b.poly([[6, -13], [32, -9], [6, -6]], '#ff8c2e', { line: 3 });
    return;
  }
  if (has('oneeye')) b.eye(4, -6, 17); else { b.eye(-7, -7, 10); b.eye(18, -7, 10); }
  if (has('beak') || has('bill') || has('snout') || has('carrot')) return;
  if (has('fangs')) {
    b.stroke((c) => c.arc(5, 8, 12, 0.2, Math.PI - 0.2), 4);
    for (const x of [-1, 11]) b.poly([[x - 3.5, 17], [x + 3.5, 17], [x, 25]], '#ffffff', { flat: true, line: 1.5 });
  } else b.stroke((c) => c.arc(5, has('muzzle') ? 12 : 7, 9, 0.35, Math.PI - 0.35), 4);
  if (!has('muzzle')) {
    for (const k of [-1, 1]) b.oval(k * 18 + 5, 9, 5.5, 3.5, 'rgba(255,110,130,0.45)', { flat: true, line: 0 });
  }
}

export function being(b, o) {
  if (whole[o.body]) {
    const hat = whole[o.body](b, o);
    if (!hat) return;
    b.c.translate(hat[0], hat[1]);
    b.c.scale(hat[2], hat[2]);
    for (const f of o.features) if (hats.indexOf(f) >= 0) front[f](b, o);
    return;
  }
  for (const f of o.features) if (behind[f]) behind[f](b, o);
  bodies[o.body](b, o);
  for (const f of o.features) if (front[f] && f !== 'wing') front[f](b, o);
  if (o.features.indexOf('visor') < 0 || o.body !== 'round') face(b, o);
  else { b.eye(7, -4, 6); b.eye(23, -4, 6); }
  if (o.features.indexOf('wing') >= 0) front.wing(b, o);
}
