// A player of Swarm: goes to the lowest light, and is in no hurry for sparks.
export function act(s) {
  const next = s.things.filter((t) => !t.bad && t.y < 660).sort((a, b) => b.y - a.y)[0];
  const spark = s.things.find((t) => t.bad && t.y > 480 && t.y < 690 && Math.abs(t.x - s.x) < 60);
  if (spark) return { tap: true, x: spark.x + (spark.x > 240 ? -110 : 110), y: 600 };
  return next ? { tap: true, x: next.x, y: 600 } : null;
}
