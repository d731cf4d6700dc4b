// Measures and breaks text. The font differs between machines, so widths are
// estimates that err on the wide side.

// WIDE are letters about as wide as they are high.
const WIDE = /[MW@%\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]|[\ud800-\udbff][\udc00-\udfff]/g;

// breadth returns the width of a text in its size; letter is that of an average
// letter.
/** @param {string} text @param {number} letter */
export function breadth(text, letter) {
  const wide = (text.match(WIDE) || []).length;
  return wide + (text.length - wide) * letter;
}

// fit returns the size, 18 or more, at which text is no wider than width.
/** @param {string} text @param {number} size @param {number} width */
export function fit(text, size, width) {
  return Math.max(18, Math.min(size, Math.floor(width / Math.max(0.66, breadth(text, 0.66)))));
}

// short returns a number in few characters: 950, 1.2k, 34k, 5.6M.
/** @param {number} n */
export function short(n) {
  if (n < 1000) return String(Math.floor(n));
  const i = n < 1e6 ? 0 : n < 1e9 ? 1 : n < 1e12 ? 2 : 3;
  const v = n / [1e3, 1e6, 1e9, 1e12][i];
  return (v < 10 ? Math.floor(v * 10) / 10 : Math.floor(v)) + ['k', 'M', 'G', 'T'][i];
}

// wrap splits text into lines of at most max characters, as few as can be, and
// none much shorter than the others.
/** @param {string} text @param {number} max */
export function wrap(text, max) {
  const lines = broken(text, max);
  let even = lines;
  for (let n = max - 1; n > 0; n--) {
    const narrow = broken(text, n);
    if (narrow.length > lines.length || narrow.some((line) => line.length > n)) break;
    even = narrow;
  }
  return even;
}

function broken(text, max) {
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > max) {
      lines.push(line);
      line = word;
    } else {
      line = line ? line + ' ' + word : word;
    }
  }
  if (line) lines.push(line);
  return lines;
}
