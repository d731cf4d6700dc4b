// Brushes shared by all painters. A painter draws on a Canvas 2D context whose
// origin is the middle of the sprite and whose unit makes the sprite 100 high.

// shade mixes a #rrggbb colour with white (k > 0) or black (k < 0).
export function shade(hex, k) {
  const n = parseInt(hex.slice(1), 16);
  const to = k > 0 ? 255 : 0;
  const a = Math.abs(k);
  const part = (v) => Math.round(v + (to - v) * a);
  const mixed = (part(n >> 16) << 16) | (part((n >> 8) & 255) << 8) | part(n & 255);
  return '#' + mixed.toString(16).padStart(6, '0');
}

export function alpha(hex, a) {
  const n = parseInt(hex.slice(1), 16);
  return `rgba(${n >> 16},${(n >> 8) & 255},${n & 255},${a})`;
}

// brush wraps a context with filled and outlined shapes. ink is the outline's
// colour; every shape is filled with a soft gradient from light to dark.
export function brush(c, ink) {
  c.lineJoin = 'round';
  c.lineCap = 'round';
  const b = { c, ink, width: 5 };

  b.gradient = (color, top, bottom) => {
    const g = c.createLinearGradient(0, top, 0, bottom);
    g.addColorStop(0, shade(color, 0.28));
    g.addColorStop(0.55, color);
    g.addColorStop(1, shade(color, -0.22));
    return g;
  };
  // shape fills and outlines the path that trace draws.
  b.shape = (color, trace, opt) => {
    const o = opt || {};
    c.beginPath();
    trace(c);
    c.fillStyle = o.flat ? color
      : b.gradient(color, o.top === undefined ? -42 : o.top, o.bottom === undefined ? 42 : o.bottom);
    c.fill();
    if (o.line !== 0) {
      c.lineWidth = o.line || b.width;
      c.strokeStyle = ink;
      c.stroke();
    }
  };
  b.oval = (x, y, rx, ry, color, opt) =>
    b.shape(color, () => c.ellipse(x, y, rx, ry, (opt && opt.rot) || 0, 0, Math.PI * 2),
      Object.assign({ top: y - ry, bottom: y + ry }, opt));
  b.poly = (points, color, opt) => b.shape(color, () => {
    points.forEach((p, i) => (i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1])));
    c.closePath();
  }, opt);
  b.round = (x, y, w, h, r, color, opt) =>
    b.shape(color, () => c.roundRect(x, y, w, h, r), Object.assign({ top: y, bottom: y + h }, opt));
  b.star = (x, y, points, outer, inner, color, opt) => {
    const at = [];
    for (let i = 0; i < points * 2; i++) {
      const r = i % 2 ? inner : outer;
      const a = (i * Math.PI) / points - Math.PI / 2;
      at.push([x + Math.cos(a) * r, y + Math.sin(a) * r]);
    }
    b.poly(at, color, Object.assign({ top: y - outer, bottom: y + outer }, opt));
  };
  b.stroke = (trace, width, color) => {
    c.beginPath();
    trace(c);
    c.lineWidth = width;
    c.strokeStyle = color || ink;
    c.stroke();
  };
  // limb is a line with an outline: arms, tails, necks.
  b.limb = (trace, width, color) => {
    b.stroke(trace, width + b.width * 1.7);
    b.stroke(trace, width, color);
  };
  // within paints inside a path.
  b.within = (trace, paint) => {
    c.save();
    c.beginPath();
    trace(c);
    c.clip();
    paint();
    c.restore();
  };
  b.shine = (x, y, rx, ry, rot) => {
    c.beginPath();
    c.ellipse(x, y, rx, ry, rot === undefined ? -0.6 : rot, 0, Math.PI * 2);
    c.fillStyle = 'rgba(255,255,255,0.6)';
    c.fill();
  };
  b.eye = (x, y, r, look) => {
    b.oval(x, y, r, r * 1.12, '#ffffff', { flat: true, line: Math.max(2, r * 0.28) });
    b.oval(x + r * (look === undefined ? 0.3 : look), y + r * 0.08, r * 0.52, r * 0.58, '#1a1423',
      { flat: true, line: 0 });
    b.oval(x + r * 0.5, y - r * 0.22, r * 0.18, r * 0.18, '#ffffff', { flat: true, line: 0 });
  };
  return b;
}
