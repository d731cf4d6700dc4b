// Landmarks: far layers that a brief names beside its place, such as a castle.
import { shade, alpha } from './paint.js';
import { W, H, TAU, ridge, each, triangle, disc } from './ground.js';

const hills = (c, y, color) => ridge(c, y + 40, [[1, 22, 0.4], [2, 12, 2]], color);

function tower(c, x, base, w, h, color, roof) {
  c.fillStyle = color;
  c.fillRect(x - w / 2, base - h, w, h + 60);
  for (let k = 0; k < 3; k++) c.fillRect(x - w / 2 - 4 + k * (w / 2 - 1), base - h - 12, w / 3, 14);
  c.fillStyle = roof;
  if (w < 50) triangle(c, x, base - h - 6, w * 0.72, 70);
  c.fillStyle = alpha('#ffe9a3', 0.75);
  c.beginPath();
  c.roundRect(x - 5, base - h + 26, 10, 20, [5, 5, 0, 0]);
  c.fill();
}

const water = (c, y) => {
  const g = c.createLinearGradient(0, y, 0, y + 160);
  g.addColorStop(0, '#8fd6f2');
  g.addColorStop(1, '#2f86bd');
  c.fillStyle = g;
  c.fillRect(0, y, W, H - y);
  c.fillStyle = alpha('#ffffff', 0.45);
  each(7, (x, r) => c.fillRect(x - 24, y + 10 + r * 90, 30 + r * 30, 3));
};

export const landmarks = {
  castle: (c, y, color) => {
    hills(c, y, color);
    const wall = shade(color, -0.22);
    const roof = '#c0455a';
    c.fillStyle = wall;
    c.fillRect(130, y - 60, 220, 160);
    for (let k = 0; k < 9; k++) c.fillRect(132 + k * 25, y - 74, 15, 16);
    tower(c, 240, y, 72, 170, shade(wall, 0.08), roof);
    const towers = [[128, 130], [352, 130], [196, 200], [286, 200]];
    for (const [x, h] of towers) tower(c, x, y, 44, h, shade(wall, -0.06), roof);
    c.fillStyle = shade(wall, -0.4);
    c.beginPath();
    c.roundRect(218, y + 4, 44, 80, [22, 22, 0, 0]);
    c.fill();
    ridge(c, y + 66, [[1, 10, 1], [2, 6, 0]], shade(color, 0.06));
  },
  pyramid: (c, y, color) => {
    for (const [x, h] of [[120, 170], [330, 240]]) {
      c.fillStyle = shade(color, 0.16);
      triangle(c, x, y + 60, h * 0.8, h);
      c.fillStyle = shade(color, -0.16);
      c.beginPath();
      c.moveTo(x, y + 60 - h);
      c.lineTo(x + h * 0.8, y + 60);
      c.lineTo(x + h * 0.2, y + 60);
      c.fill();
    }
    ridge(c, y + 50, [[1, 12, 1]], color);
  },
  barn: (c, y, color) => {
    hills(c, y, color);
    c.fillStyle = '#b5413a';
    c.fillRect(170, y - 50, 140, 110);
    c.fillStyle = '#7d2b2b';
    c.beginPath();
    for (const [x, h] of [[156, 48], [186, 96], [240, 126], [294, 96], [324, 48]]) c.lineTo(x, y - h);
    c.fill();
    c.strokeStyle = '#fff4e0';
    c.lineWidth = 5;
    c.strokeRect(216, y - 8, 48, 60);
    c.beginPath();
    c.moveTo(216, y - 8);
    c.lineTo(264, y + 52);
    c.moveTo(264, y - 8);
    c.lineTo(216, y + 52);
    c.stroke();
    ridge(c, y + 56, [[2, 8, 0]], shade(color, 0.05));
  },
  rainbow: (c, y, color) => {
    c.lineWidth = 15;
    ['#ff5d5d', '#ff9f43', '#ffe14d', '#5fd068', '#4aa8ff', '#b06bff'].forEach((hue, i) => {
      c.strokeStyle = alpha(hue, 0.8);
      c.beginPath();
      c.arc(240, y + 50, 205 - i * 15, Math.PI, TAU);
      c.stroke();
    });
    hills(c, y, color);
  },
  river: (c, y, color) => { hills(c, y - 40, color); water(c, y + 30); },
  lake: (c, y, color) => { hills(c, y - 40, color); water(c, y + 30); },
  island: (c, y, color) => {
    water(c, y - 10);
    c.fillStyle = '#f2d9a0';
    c.beginPath();
    c.ellipse(240, y + 46, 170, 46, 0, 0, TAU);
    c.fill();
    for (const [x, tilt] of [[190, -26], [270, 34]]) {
      c.strokeStyle = '#8a5a34';
      c.lineWidth = 12;
      c.beginPath();
      c.moveTo(x, y + 30);
      c.quadraticCurveTo(x + tilt * 0.2, y - 50, x + tilt, y - 110);
      c.stroke();
      for (const [dx, dy] of [[-46, 6], [46, 6], [-30, -26], [30, -26], [0, 20]]) {
        c.strokeStyle = shade('#3f9b54', dx > 0 ? 0.1 : -0.1);
        c.beginPath();
        c.moveTo(x + tilt, y - 110);
        c.quadraticCurveTo(x + tilt + dx * 0.6, y - 132 + dy * 0.4, x + tilt + dx, y - 104 + dy);
        c.stroke();
      }
      disc(c, x + tilt, y - 104, 8, '#6b4226');
    }
    return color;
  },
};
