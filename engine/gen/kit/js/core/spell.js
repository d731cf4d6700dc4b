// Words as people type them, whatever letters they are written in.
import { plain } from './keys.js';

const JOINED = { ß: 'ss', œ: 'oe', æ: 'ae' };

// spell returns the letters and digits of a text, one by one as they are typed:
// without case, accents, blanks and signs.
export function spell(text) {
  let out = '';
  for (const c of plain(text)) {
    if (JOINED[c]) out += JOINED[c];
    else if (c !== c.toUpperCase() || (c >= '0' && c <= '9')) out += c; // signs have no upper case
  }
  return out;
}

// rowsOf returns the rows of keys that a list of words needs: those of the
// language, and digits where there are any.
export function rowsOf(labels, words) {
  const rows = (labels.keys || 'qwertyuiop asdfghjkl zxcvbnm').split(' ');
  return words.some((w) => /[0-9]/.test(w)) ? ['1234567890', ...rows] : rows;
}

// wordsOf returns the brief's words, or else the language's own.
export function wordsOf(cfg, longest) {
  const own = cfg.content.filter((c) => !c.includes('|')).flatMap((c) =>
    (c.length > longest ? c.split(/\s+/) : [c])).map((w) => w.trim()).filter((w) => spell(w) && w.length <= longest);
  return own.length ? own.filter((w, i) => own.indexOf(w) === i) : cfg.labels.words.split(' ');
}
