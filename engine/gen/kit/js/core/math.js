// Time, chance and a little geometry. Random numbers come from the state that
// is handed in, so that equal states have equal futures.

export const STEP = 1 / 60; // seconds a step

// random returns the next number in [0, 1) of the state's own sequence
// (mulberry32).
export function random(s) {
  s.rng = (s.rng + 0x6d2b79f5) >>> 0;
  let z = s.rng;
  z = Math.imul(z ^ (z >>> 15), z | 1);
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
  return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
}

export function between(s, low, high) { return low + random(s) * (high - low); }
export function choose(s, list) { return list[Math.floor(random(s) * list.length)]; }
export function chance(s, p) { return random(s) < p; }

// hash is a number in [0, 1) that belongs to i: for what is only seen.
export function hash(i) {
  const v = Math.sin(i * 127.1 + 11.7) * 43758.5453;
  return v - Math.floor(v);
}

export function clamp(v, low, high) { return v < low ? low : v > high ? high : v; }
export function lerp(a, b, t) { return a + (b - a) * t; }
export function near(ax, ay, bx, by, r) {
  const dx = ax - bx;
  const dy = ay - by;
  return dx * dx + dy * dy < r * r;
}
