// Time, chance and a little geometry. Random numbers come from the state that
// is handed in, so that equal states have equal futures.

export const STEP = 1 / 60; // seconds a step

// random returns the next number in [0, 1) of the state's own sequence
// (mulberry32).
/** @param {GameState} s @returns {number} */
export function random(s) {
  s.rng = (s.rng + 0x6d2b79f5) >>> 0;
  let z = s.rng;
  z = Math.imul(z ^ (z >>> 15), z | 1);
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
  return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
}

/** @param {GameState} s @param {number} low @param {number} high @returns {number} */
export function between(s, low, high) { return low + random(s) * (high - low); }
/** @param {GameState} s */
export function choose(s, list) { return list[Math.floor(random(s) * list.length)]; }
/** @param {GameState} s @param {number} p @returns {boolean} */
export function chance(s, p) { return random(s) < p; }

// hash is a number in [0, 1) that belongs to i: for what is only seen.
/** @param {number} i @returns {number} */
export function hash(i) {
  const v = sin(i * 127.1 + 11.7) * 43758.5453;
  return v - Math.floor(v);
}

/** @param {number} v @param {number} low @param {number} high @returns {number} */
export function clamp(v, low, high) { return v < low ? low : v > high ? high : v; }
/** @param {number} a @param {number} b @param {number} t @returns {number} */
export function lerp(a, b, t) { return a + (b - a) * t; }
/** @param {number} ax @param {number} ay @param {number} bx @param {number} by @param {number} r @returns {boolean} */
export function near(ax, ay, bx, by, r) {
  const dx = ax - bx;
  const dy = ay - by;
  return dx * dx + dy * dy < r * r;
}

// Math.sin and its like differ between engines in their last digits. These are
// made of sums, products and quotients, which do not: what a run comes to is
// the same in all. They are exact to some twelve digits.

export const PI = Math.PI;
const LN2 = 0.6931471805599453;

/** @param {number} x @returns {number} */
export function sin(x) {
  const k = Math.floor(x / PI + 0.5);
  const r = x - k * 3.141592653589793 - k * 1.2246467991473532e-16;
  const q = r * r;
  const v = r * (1 + q * (-1 / 6 + q * (1 / 120 + q * (-1 / 5040
    + q * (1 / 362880 + q * (-1 / 39916800 + q * (1 / 6227020800 - q / 1307674368000)))))));
  return k % 2 === 0 ? v : -v;
}

/** @param {number} x @returns {number} */
export function cos(x) { return sin(x + PI / 2); }

function atan(z) {
  if (z < 0) return -atan(-z);
  if (z > 1) return PI / 2 - atan(1 / z);
  if (z > 0.2679491924311227) return PI / 6 + atan((z * 1.7320508075688772 - 1) / (1.7320508075688772 + z));
  const q = z * z;
  let v = 0;
  for (let n = 19; n >= 1; n -= 2) v = (n % 4 === 1 ? 1 : -1) / n + q * v;
  return z * v;
}

/** @param {number} y @param {number} x @returns {number} */
export function atan2(y, x) {
  if (x > 0) return atan(y / x);
  if (x < 0) return y < 0 ? atan(y / x) - PI : atan(y / x) + PI;
  return y > 0 ? PI / 2 : y < 0 ? -PI / 2 : 0;
}

/** @param {number} x @param {number} y @returns {number} */
export function hypot(x, y) { return Math.sqrt(x * x + y * y); }

/** @param {number} x @returns {number} */
export function exp(x) {
  let k = Math.floor(x / LN2 + 0.5);
  const r = x - k * LN2;
  let v = 1;
  for (let n = 16; n >= 1; n--) v = 1 + (r * v) / n;
  for (; k > 0; k--) v *= 2;
  for (; k < 0; k++) v /= 2;
  return v;
}

function log(x) {
  let k = 0;
  let m = x;
  for (; m > 1.4142135623730951; k++) m /= 2;
  for (; m < 0.7071067811865476; k--) m *= 2;
  const z = (m - 1) / (m + 1);
  const q = z * z;
  let v = 0;
  for (let n = 23; n >= 1; n -= 2) v = 1 / n + q * v;
  return 2 * z * v + k * LN2;
}

// pow is for bases that are not negative.
/** @param {number} base @param {number} e @returns {number} */
export function pow(base, e) { return base === 0 ? (e === 0 ? 1 : 0) : exp(e * log(base)); }
