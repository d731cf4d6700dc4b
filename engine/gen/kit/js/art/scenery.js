// Scenery: the sky and two layers that tile sideways. Everything repeats after
// 480 pixels, so that a layer can drift for ever.
import { shade, alpha } from './paint.js';
import { landmarks } from './landmarks.js';
import { W, H, TAU, noise, ridge, each, triangle, disc } from './ground.js';

const layers = {
  hills: (c, y, color) => ridge(c, y, [[1, 34, 0.4], [2, 18, 2]], color),
  mountains: (c, y, color) => {
    each(4, (x, r) => {
      const h = 150 + r * 110;
      c.fillStyle = color;
      triangle(c, x, y + 60, 130, h);
      c.fillStyle = alpha('#ffffff', 0.55);
      triangle(c, x, y + 60 - h * 0.74, 130 * 0.26, h * 0.26);
    });
    ridge(c, y + 50, [[2, 10, 1]], color);
  },
  dunes: (c, y, color) => {
    ridge(c, y, [[1, 30, 1], [3, 6, 0]], color);
    ridge(c, y + 70, [[1, 22, 4], [2, 9, 1]], shade(color, -0.08));
  },
  city: (c, y, color) => {
    each(9, (x, r, i) => {
      const h = 90 + r * 210;
      const w = 44 + noise(i + 9) * 26;
      c.fillStyle = shade(color, (noise(i + 3) - 0.5) * 0.16);
      c.fillRect(x - w / 2, y + 90 - h, w, H);
      if (i % 3 === 0) c.fillRect(x - 2, y + 60 - h, 4, 34);
      c.fillStyle = alpha('#ffe9a3', 0.5);
      for (let wy = y + 104 - h; wy < y + 190; wy += 22) {
        for (let wx = x - w / 2 + 8; wx < x + w / 2 - 10; wx += 15) {
          if (noise(Math.round(((wx % W) + W) % W) * 0.37 + wy) > 0.45) c.fillRect(wx, wy, 7, 10);
        }
      }
    });
  },
  trees: (c, y, color) => {
    ridge(c, y + 40, [[2, 10, 1]], shade(color, 0.08));
    each(8, (x, r) => {
      const h = 100 + r * 80;
      c.fillStyle = shade(color, -0.3);
      c.fillRect(x - 5, y + 30, 10, 54);
      c.fillStyle = shade(color, r * 0.14 - 0.07);
      for (let k = 0; k < 3; k++) triangle(c, x, y + 60 - k * h * 0.28, 46 - k * 9, h * 0.5);
    });
  },
  bushes: (c, y, color) => {
    each(9, (x, r) => {
      disc(c, x, y + 60, 52 + r * 26, color);
      disc(c, x - 12, y + 46, 24 + r * 12, shade(color, 0.1));
    });
    ridge(c, y + 80, [[2, 6, 0]], color);
  },
  waves: (c, y, color) => {
    for (let k = 0; k < 3; k++) ridge(c, y + k * 52, [[3 + k, 9, k * 2], [1, 8, k]], shade(color, -0.09 * k));
  },
  reef: (c, y, color) => {
    ridge(c, y + 80, [[1, 20, 0], [3, 8, 2]], color);
    each(7, (x, r, i) => {
      c.strokeStyle = shade(color, r * 0.3 - 0.1);
      c.lineCap = 'round';
      c.lineWidth = 13;
      for (const [dx, dy] of [[-26, 60], [0, 100 + r * 60], [26, 70]]) {
        c.beginPath();
        c.moveTo(x, y + 110);
        c.quadraticCurveTo(x + dx, y + 80, x + dx + (i % 2 ? 8 : -8), y + 90 - dy);
        c.stroke();
      }
    });
  },
  candy: (c, y, color) => {
    ridge(c, y + 60, [[1, 26, 1], [2, 14, 3]], color);
    each(5, (x, r) => {
      const top = y - 10 - r * 90;
      c.fillStyle = '#ffffff';
      c.fillRect(x - 4, top, 8, 130 + r * 90);
      const s = 27 + r * 12;
      disc(c, x, top, s, shade(color, 0.3));
      c.strokeStyle = shade(color, -0.12);
      c.lineWidth = 6;
      c.beginPath();
      for (let a = 0; a < 12; a += 0.3) c.lineTo(x + Math.cos(a) * a * s * 0.075, top + Math.sin(a) * a * s * 0.075);
      c.stroke();
    });
  },
  planets: (c, y, color) => {
    each(3, (x, r, i) => {
      const py = 150 + noise(i + 60) * 330;
      const s = 26 + r * 38;
      const g = c.createRadialGradient(x - s * 0.4, py - s * 0.4, s * 0.1, x, py, s);
      g.addColorStop(0, shade(color, 0.35));
      g.addColorStop(1, shade(color, -0.35));
      disc(c, x, py, s, g);
      if (i % 2 === 0) {
        c.strokeStyle = alpha('#ffffff', 0.3);
        c.lineWidth = 5;
        c.beginPath();
        c.ellipse(x, py, s * 1.6, s * 0.4, -0.35, 0, TAU);
        c.stroke();
      }
    });
  },
  craters: (c, y, color) => {
    const at = ridge(c, y + 70, [[1, 16, 0], [2, 10, 2]], color);
    each(6, (x, r) => {
      c.fillStyle = shade(color, -0.22);
      c.beginPath();
      c.ellipse(x, at(((x % W) + W) % W) + 34 + r * 40, 26 + r * 18, 8 + r * 5, 0, 0, TAU);
      c.fill();
    });
  },
  snow: (c, y, color) => {
    each(6, (x, r) => {
      c.fillStyle = shade(color, -0.28);
      for (let k = 0; k < 3; k++) triangle(c, x, y + 70 - k * 34, 44 - k * 10, 62);
      c.fillStyle = '#ffffff';
      for (let k = 0; k < 3; k++) triangle(c, x, y + 8 - k * 34 + 14, 16 - k * 3, 22);
      return r;
    });
    ridge(c, y + 62, [[1, 18, 2], [2, 8, 0]], '#f4faff');
  },
  grid: (c, y, color) => {
    c.strokeStyle = alpha(color, 0.75);
    c.lineWidth = 2;
    for (let k = 0; k < 11; k++) {
      const ly = y + 20 + k * k * 3.4;
      c.beginPath();
      c.moveTo(0, ly);
      c.lineTo(W, ly);
      c.stroke();
    }
    for (let x = 0; x <= W; x += 60) { c.beginPath(); c.moveTo(x, y + 20); c.lineTo(x, H); c.stroke(); }
  },
  graves: (c, y, color) => {
    ridge(c, y + 76, [[1, 18, 0], [2, 8, 3]], color);
    each(6, (x, r, i) => {
      c.fillStyle = shade(color, i % 2 ? 0.16 : -0.2);
      if (i % 3 === 2) {
        c.fillRect(x - 5, y - 40 - r * 60, 10, 150);
        c.lineWidth = 6;
        c.strokeStyle = c.fillStyle;
        for (const [dx, dy] of [[34, -30], [-30, -50], [22, -66]]) {
          c.beginPath();
          c.moveTo(x, y + 10 + dy * 0.5);
          c.lineTo(x + dx, y + dy - 20);
          c.stroke();
        }
      } else {
        c.beginPath();
        c.roundRect(x - 22, y + 16, 44, 90, [22, 22, 0, 0]);
        c.fill();
      }
    });
  },
};

// paintSky paints a field of w by h.
export function paintSky(c, g, w, h) {
  const grad = c.createLinearGradient(0, 0, 0, h);
  grad.addColorStop(0, g.palette.bg);
  grad.addColorStop(1, g.palette.bg2);
  c.fillStyle = grad;
  c.fillRect(0, 0, w, h);
  const orb = g.scene.orb;
  if (orb === 'sun' || orb === 'moon') {
    const color = orb === 'sun' ? '#fff3b0' : '#f2f4ff';
    c.save();
    c.translate(-noise(81) * 90, noise(82) * 70 - 20); // where it stands in this game
    const glow = c.createRadialGradient(w - 110, 150, 20, w - 110, 150, 190);
    glow.addColorStop(0, alpha(color, 0.75));
    glow.addColorStop(1, alpha(color, 0));
    c.fillStyle = glow;
    c.fillRect(0, -60, w + 100, h + 60);
    disc(c, w - 110, 150, 46, color);
    if (orb === 'moon') {
      for (const [x, y, r] of [[-122, 138, 9], [-96, 158, 12], [-114, 172, 6]]) {
        disc(c, w + x, y, r, shade(color, -0.12));
      }
    }
    c.restore();
  }
  if (orb === 'rays') {
    for (let i = 0; i < w / 80; i++) {
      c.fillStyle = alpha('#ffffff', 0.06);
      c.beginPath();
      c.moveTo(40 + i * 80, -10);
      c.lineTo(90 + i * 80, -10);
      c.lineTo(10 + i * 92, h);
      c.lineTo(-70 + i * 92, h);
      c.fill();
    }
  }
  if (g.scene.stars) {
    for (let i = 0; i < 90; i++) {
      disc(c, noise(i) * w, noise(i + 500) * h * 0.85, 0.6 + noise(i + 900) * 1.4,
        alpha('#ffffff', 0.25 + noise(i + 70) * 0.6));
    }
  }
  if (g.scene.clouds) for (let i = 0; i < 5; i++) {
    const x = noise(i + 20) * w;
    const y = 90 + noise(i + 30) * 260;
    for (const [dx, dy, r] of [[-30, 6, 20], [0, -4, 28], [28, 4, 22], [52, 10, 13]]) {
      disc(c, x + dx, y + dy, r, alpha('#ffffff', 0.5));
    }
  }
}

export function paintLayer(c, kind, y, color) { (layers[kind] || landmarks[kind])(c, y, color); }

export function paintMote(b, kind) {
  const c = b.c;
  if (kind === 'snow' || kind === 'dust') disc(c, 0, 0, 34, 'rgba(255,255,255,0.9)');
  else if (kind === 'star') b.star(0, 0, 4, 46, 11, '#ffffff', { line: 0, flat: true });
  else if (kind === 'bubble') {
    c.lineWidth = 7;
    c.strokeStyle = 'rgba(255,255,255,0.8)';
    c.beginPath();
    c.arc(0, 0, 36, 0, TAU);
    c.stroke();
    b.shine(-13, -13, 8, 5);
  } else if (kind === 'leaf') b.shape('#9bc53d', () => {
    c.moveTo(-40, 10);
    c.quadraticCurveTo(-10, -40, 40, -14);
    c.quadraticCurveTo(14, 34, -40, 10);
  }, { line: 0 });
  else if (kind === 'petal') b.oval(0, 0, 36, 20, '#ffc2dc', { line: 0, rot: 0.5 });
  else if (kind === 'ember') disc(c, 0, 0, 28, '#ffb347');
  else if (kind === 'sprinkle') b.round(-34, -11, 68, 22, 11, '#ffffff', { flat: true, line: 0 });
  else disc(c, 0, 0, 20, 'rgba(255,255,255,0.7)');
}
