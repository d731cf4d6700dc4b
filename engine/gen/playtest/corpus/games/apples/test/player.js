// A player of Apples: goes where the next apple comes down, around stones.
export function act(s) {
  const apple = s.things.filter((t) => !t.stone && t.y < 640).sort((a, b) => b.y - a.y)[0];
  const stone = s.things.find((t) => t.stone && t.y > 430 && t.y < 690 && Math.abs(t.x - s.x) < 75);
  const x = stone && !(apple && apple.y > stone.y) ? stone.x + (stone.x > 240 ? -120 : 120) : apple ? apple.x : 240;
  return { tap: s.goal === null || Math.abs(x - s.goal) > 4, x, y: 600 };
}
