// Plays mines: it opens what numbers prove to be safe, flags what they prove to be
// mined, and else takes what is the least risk.
import { COLS, ROWS, MINE, HIDDEN, OPEN, FLAG, board, around } from '../mechanics/mines.js';
import { centre } from '../core/board.js';

export function act(s) {
  if (s.done > 0 || s.since < 0.3 || Math.round(s.t * 60) % 8 > 1) return null;
  if (!s.field.length) return at(Math.floor(ROWS / 2) * COLS + Math.floor(COLS / 2));
  const sets = rules(s);
  const safe = sets.find((r) => r.mines === 0) || inner(sets, (few) => few === 0);
  if (safe) return at(safe.cells[0]);
  const mined = sets.find((r) => r.mines === r.cells.length);
  if (mined) return Object.assign(at(mined.cells[0]), { tap: false, alt: true });
  return at(guess(s, sets));
}

function at(i) {
  const { x, y } = centre(board, i);
  return { tap: true, x, y };
}

// rules are what each number says of the shut cells around it.
function rules(s) {
  const out = [];
  s.field.forEach((v, i) => {
    if (s.state[i] !== OPEN || v === MINE || v === 0) return;
    const cells = around(i).filter((j) => s.state[j] === HIDDEN);
    const known = around(i).filter((j) => s.state[j] === FLAG || (s.state[j] === OPEN && s.field[j] === MINE)).length;
    if (cells.length) out.push({ cells, mines: v - known });
  });
  return out;
}

// inner finds cells of one rule outside another that lies in it.
function inner(sets, wanted) {
  for (const a of sets) {
    for (const b of sets) {
      if (a === b || a.cells.length >= b.cells.length || !a.cells.every((c) => b.cells.includes(c))) continue;
      if (wanted(b.mines - a.mines)) return { cells: b.cells.filter((c) => !a.cells.includes(c)) };
    }
  }
  return null;
}

function guess(s, sets) {
  let best = -1;
  let least = 2;
  s.state.forEach((v, i) => {
    if (v !== HIDDEN) return;
    const risk = Math.max(0.18, ...sets.filter((r) => r.cells.includes(i)).map((r) => r.mines / r.cells.length));
    if (risk < least) {
      least = risk;
      best = i;
    }
  });
  return best;
}
