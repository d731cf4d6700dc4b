// What games on a board of cells share: where the cells are, and which one the
// player picks, with a finger or with arrow keys and a cursor.
import { W, H } from './field.js';

// grid lays out cols by rows square cells, as large as fits below top and above
// bottom, in the middle of the field.
/** @param {number} cols @param {number} rows @param {number} top @param {number} bottom @returns {Grid} */
export function grid(cols, rows, top, bottom) {
  const size = Math.floor(Math.min((W - 32) / cols, (H - top - bottom) / rows));
  return { cols, rows, size, x: (W - size * cols) / 2, y: top + (H - top - bottom - size * rows) / 2 };
}

// centre returns the middle of a cell, by its number or by column and row.
/** @param {Grid} g @param {number} i @param {number} [row] @returns {{ x: number, y: number }} */
export function centre(g, i, row) {
  const c = row === undefined ? i % g.cols : i;
  const r = row === undefined ? Math.floor(i / g.cols) : row;
  return { x: g.x + (c + 0.5) * g.size, y: g.y + (r + 0.5) * g.size };
}

// cellAt returns the number of the cell at a place of the field, -1 for none.
/** @param {Grid} g @param {number} x @param {number} y @returns {number} */
export function cellAt(g, x, y) {
  if (x === null || y === null) return -1;
  const c = Math.floor((x - g.x) / g.size);
  const r = Math.floor((y - g.y) / g.size);
  return c < 0 || r < 0 || c >= g.cols || r >= g.rows ? -1 : r * g.cols + c;
}

// pick returns the cell that the player chose in this step, -1 for none. Arrow
// keys move s.cursor, which a finger hides.
/** @param {GameState} s @param {Grid} g @param {GameInput} input @returns {number} */
export function pick(s, g, input) {
  if (s.cursor === undefined) s.cursor = -1;
  if (input.move) {
    if (s.cursor < 0) s.cursor = Math.floor(g.rows / 2) * g.cols + Math.floor(g.cols / 2);
    else {
      const c = (s.cursor % g.cols) + { left: -1, right: 1, up: 0, down: 0 }[input.move];
      const r = Math.floor(s.cursor / g.cols) + { left: 0, right: 0, up: -1, down: 1 }[input.move];
      if (c >= 0 && r >= 0 && c < g.cols && r < g.rows) s.cursor = r * g.cols + c;
    }
    return -1;
  }
  if (input.fire) return s.cursor;
  if (!input.tapped) return -1;
  s.cursor = -1;
  return cellAt(g, input.x, input.y);
}

// firm is the input of a game in which a long press is as good as a short one.
/** @param {GameInput} input @returns {GameInput} */
export function firm(input) { return input.alt && !input.tapped ? Object.assign({}, input, { tapped: true }) : input; }

// drawBoard draws the panel under a grid, drawCursor the keyboard's cell.
/** @param {DrawList} d @param {Grid} g @param {string} [color] */
export function drawBoard(d, g, color) {
  d.box(g.x - 10, g.y - 10 + 6, g.size * g.cols + 20, g.size * g.rows + 20, 'shade', { radius: 16, alpha: 0.35 });
  d.box(g.x - 10, g.y - 10, g.size * g.cols + 20, g.size * g.rows + 20, color || 'panel',
    { radius: 16, stroke: 'ink', width: 3 });
}

/** @param {DrawList} d @param {GameState} s @param {Grid} g */
export function drawCursor(d, s, g) {
  if (!(s.cursor >= 0)) return;
  const at = centre(g, s.cursor);
  d.box(at.x - g.size / 2 + 2, at.y - g.size / 2 + 2, g.size - 4, g.size - 4, 'accent',
    { radius: 8, alpha: 0.35, stroke: 'accent', width: 4 });
}
