// A keyboard on the screen for those who have none, beside the real one.
import { W, H } from './field.js';

const GAP = 5;

// keys lays out rows of characters at the bottom of the field.
export function keys(rows, high) {
  const h = high || 46;
  const out = [];
  const wide = Math.min(44, (W - 16) / Math.max(...rows.map((r) => Array.from(r).length)) - GAP);
  rows.forEach((row, i) => {
    const letters = Array.from(row);
    const left = (W - letters.length * (wide + GAP) + GAP) / 2;
    letters.forEach((key, k) =>
      out.push({ key, x: left + k * (wide + GAP), y: H - 24 - (rows.length - i) * (h + GAP), w: wide, h }));
  });
  return out;
}

// plain returns a letter without case and accents, as people without its key
// type it.
export function plain(letter) { return letter.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, ''); }

// typed returns the character that was typed or tapped in this step, '' for none.
/** @param {GameInput} input */
export function typed(pad, input) {
  if (input.key) return input.key === 'Enter' || input.key === 'Backspace' ? input.key : plain(input.key);
  if (!input.tapped || input.x === null || input.y === null) return '';
  const hit = pad.find((k) => input.x >= k.x - GAP / 2 && input.x < k.x + k.w + GAP / 2
    && input.y >= k.y - GAP / 2 && input.y < k.y + k.h + GAP / 2);
  return hit ? hit.key : '';
}

// drawKeys draws them; look(key) returns '', 'right', 'wrong' or 'off'.
/** @param {DrawList} d */
export function drawKeys(d, pad, look) {
  for (const k of pad) {
    const how = look ? look(k.key) : '';
    const color = { right: 'pickup', wrong: 'hazard', off: 'shade' }[how] || 'panel';
    d.box(k.x, k.y, k.w, k.h, color, { radius: 8, alpha: how === 'off' ? 0.4 : 0.95, stroke: 'ink', width: 2 });
    d.text(k.key.toUpperCase(), k.x + k.w / 2, k.y + k.h / 2, 24,
      { color: how ? 'text' : 'panelText', outline: how ? 'textInk' : undefined });
  }
}
