// Texts over the game, each with the role by which tests find it.
const FONT = 'px "Trebuchet MS", "Segoe UI", Verdana, "DejaVu Sans", sans-serif';
let pen;
let field;
let boxes = [];

export const hud = {
  text(role, text, x, y, size = 24, color = '#fff') {
    if (!pen) return;
    const high = Math.max(18, size);
    const wide = 2 * Math.min(x, field.w - x) - 40;
    const lines = [];
    Object.assign(pen, { font: 'bold ' + high + FONT, fillStyle: color, lineWidth: high / 5 });
    for (const word of String(text).split(' ')) {
      const longer = lines[0] + ' ' + word;
      if (lines.length > 0 && pen.measureText(longer).width < wide) lines[0] = longer;
      else lines.unshift(word);
    }
    lines.reverse().forEach((line, i) => {
      const w = pen.measureText(line).width;
      const middle = y + (i - (lines.length - 1) / 2) * high * 1.2;
      pen.strokeText(line, x, middle);
      pen.fillText(line, x, middle);
      boxes.push({ role, text: line, size: high, x: x - w / 2, y: middle - high / 2, w, h: high });
    });
  },
  has: (role) => boxes.some((b) => b.role === role),
};

export const screen = () => ({ hud: boxes, sprites: [], field });

// shade darkens what is drawn below.
export function shade() {
  pen.fillStyle = '#0b1020b0';
  pen.fillRect(0, 0, field.w, field.h);
}

// clear begins a frame.
export function clear(g, size) {
  [pen, field, boxes] = [g, size, []];
  Object.assign(g, { textAlign: 'center', textBaseline: 'middle', lineJoin: 'round', strokeStyle: '#0b1020' });
}
