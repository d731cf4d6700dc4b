// A player of gems in the cave: goes to the gem, away from what comes close.
export function act(s) {
  const to = { x: s.gem.x - s.hero.x, y: s.gem.y - s.hero.y };
  const far = Math.hypot(to.x, to.y) || 1;
  let x = to.x / far;
  let y = to.y / far;
  for (const b of s.bats) {
    const dx = s.hero.x - (b.x + b.vx * 0.25);
    const dy = s.hero.y - (b.y + b.vy * 0.25);
    const near = Math.hypot(dx, dy) || 1;
    if (near > 150) continue;
    x += (dx / near) * (200 / near);
    y += (dy / near) * (200 / near);
  }
  return { left: x < -0.35, right: x > 0.35, up: y < -0.35, duck: y > 0.35 };
}
