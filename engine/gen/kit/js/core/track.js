// A closed track that the seed lays out.
import { PI, between, lerp, sin, cos, atan2, hypot } from './world.js';

export const N = 120; // points of the track, all as far apart

// lay makes a ring of points around the middle, smoothed, at equal distances; k is its size.
export function lay(s, k) {
  const n = 11;
  const knots = [];
  const first = between(s, 0, 2 * PI);
  for (let i = 0; i < n; i++) {
    const r = k * between(s, 440, 1000);
    const a = first + (i / n) * 2 * PI;
    knots.push([r * cos(a), r * 1.15 * sin(a)]);
  }
  const fine = [];
  for (let i = 0; i < n; i++) {
    const [p, q, u, v] = [0, 1, 2, 3].map((j) => knots[(i + j) % n]);
    for (let t = 0; t < 1; t += 1 / 32) {
      fine.push([0, 1].map((c) =>
        (p[c] * (1 - t) * (1 - t) * (1 - t)
          + q[c] * (3 * t * t * t - 6 * t * t + 4)
          + u[c] * (-3 * t * t * t + 3 * t * t + 3 * t + 1) + v[c] * t * t * t) / 6));
    }
  }
  const far = (i) => hypot(fine[(i + 1) % fine.length][0] - fine[i][0], fine[(i + 1) % fine.length][1] - fine[i][1]);
  let length = 0;
  for (let i = 0; i < fine.length; i++) length += far(i);
  s.gap = length / N;
  s.track = [];
  for (let i = 0, gone = 0; i < fine.length; gone += far(i++)) {
    for (const next = fine[(i + 1) % fine.length]; s.track.length < N && s.track.length * s.gap < gone + far(i);) {
      const t = (s.track.length * s.gap - gone) / far(i);
      s.track.push([lerp(fine[i][0], next[0], t), lerp(fine[i][1], next[1], t)]);
    }
  }
}

// point is the place and direction of the track at p, off to the right.
export function point(s, p, off) {
  const i = Math.floor(p);
  const a = s.track[((i % N) + N) % N];
  const b = s.track[(((i + 1) % N) + N) % N];
  const dx = (b[0] - a[0]) / s.gap;
  const dy = (b[1] - a[1]) / s.gap;
  return { x: lerp(a[0], b[0], p - i) - dy * off, y: lerp(a[1], b[1], p - i) + dx * off, a: atan2(dy, dx) };
}

export function turn(a) { return a - 2 * PI * Math.round(a / (2 * PI)); }
