// A player of Bubbles: taps the one that is nearest to its end.
export function act(s) {
  const b = s.bubbles.filter((o) => o.y < 660).sort((a, c) => a.y - c.y)[0];
  return b ? { tap: true, x: b.x, y: b.y } : null;
}
