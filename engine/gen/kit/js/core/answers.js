// What games of questions share: the answers to choose from, by a tap, a number
// key, or arrow keys and enter.
import { W } from './field.js';
import { fit, wrap } from './text.js';

const GAP = 12;
const COLORS = ['#d8434e', '#2f7fd1', '#c98a00', '#2c9a58'];

// answers lays out n boxes between top and bottom.
/** @param {number} n @param {number} cols @param {number} top @param {number} bottom */
export function answers(n, cols, top, bottom) {
  const rows = Math.ceil(n / cols);
  const w = (W - 40 - (cols - 1) * GAP) / cols;
  const h = Math.min(96, (bottom - top - (rows - 1) * GAP) / rows);
  return {
    n, cols, w, h,
    boxes: Array.from({ length: n }, (_, i) => (
      { x: 20 + (i % cols) * (w + GAP), y: top + Math.floor(i / cols) * (h + GAP) }
    )),
  };
}

// chosen returns the number of the answer that the player gave in this step, -1
// for none. Arrow keys move s.cursor.
/** @param {GameState} s @param {any} g @param {GameInput} input */
export function chosen(s, g, input) {
  const digit = Number(input.key || 0);
  if (digit >= 1 && digit <= g.n) return digit - 1;
  if (input.move) {
    const on = s.cursor < 0 ? 0
      : s.cursor + { left: g.cols > 1 ? -1 : 0, right: g.cols > 1 ? 1 : 0, up: -g.cols, down: g.cols }[input.move];
    if (on >= 0 && on < g.n) s.cursor = on;
    return -1;
  }
  if (input.fire) return s.cursor;
  if (!input.tapped || input.x === null || input.y === null) return -1;
  s.cursor = -1;
  return g.boxes.findIndex((b) => input.x >= b.x && input.x <= b.x + g.w && input.y >= b.y && input.y <= b.y + g.h);
}

// drawAnswers shows them. given is the player's, -1 until there is one; then
// the right one is shown. numbers puts their keys beside them.
/**
 * @param {DrawList} d @param {GameState} s @param {any} g @param {string[]} texts
 * @param {number} right @param {number} given @param {number} [big]
 */
export function drawAnswers(d, s, g, texts, right, given, big) {
  g.boxes.forEach((b, i) => {
    const dim = given !== -1 && i !== right && i !== given;
    const color = given === -1 || dim ? COLORS[i] : i === right ? '#2c9a58' : '#8d2233';
    d.box(b.x, b.y + 5, g.w, g.h, 'shade', { radius: 16, alpha: dim ? 0.15 : 0.4 });
    d.box(b.x, b.y, g.w, g.h, color, {
      radius: 16, alpha: dim ? 0.3 : 1,
      stroke: given !== -1 && i === right ? '#ffffff' : i === s.cursor ? 'accent' : 'ink',
      width: i === s.cursor || (given !== -1 && i === right) ? 5 : 3,
    });
    const alpha = dim ? 0.45 : 1;
    d.disc(b.x + 26, b.y + g.h / 2, 15, '#ffffff', { alpha: dim ? 0.2 : 0.9 });
    if (given !== -1 && i === right) mark(d, b.x + 26, b.y + g.h / 2);
    else if (given === i) cross(d, b.x + 26, b.y + g.h / 2);
    else d.text(i + 1, b.x + 26, b.y + g.h / 2, 20, { color: '#20242e', alpha });
    lines(texts[i], g.w - 64, big || 27).forEach((l, k, all) =>
      d.text(l.text, b.x + 48 + (g.w - 64) / 2, b.y + g.h / 2 + (k - (all.length - 1) / 2) * l.size * 1.1, l.size,
        { color: '#ffffff', outline: '#20242e', alpha }));
  });
}

// lines breaks a text that is too long for one line of a width.
/** @param {string} text @param {number} width @param {number} size */
export function lines(text, width, size) {
  const whole = fit(text, size, width);
  const parts = whole >= Math.min(size, 23) ? [text] : wrap(text, Math.floor(width / 12.5));
  const even = Math.min(...parts.map((p) => fit(p, Math.min(size, 25), width)));
  return parts.map((p) => ({ text: p, size: parts.length > 1 ? even : whole }));
}

function mark(d, x, y) {
  d.line(x - 8, y, x - 2, y + 7, 5, '#2c9a58');
  d.line(x - 2, y + 7, x + 9, y - 7, 5, '#2c9a58');
}

function cross(d, x, y) {
  for (const k of [-1, 1]) d.line(x - 7, y - 7 * k, x + 7, y + 7 * k, 5, '#8d2233');
}
