export function act(s) {
  if (s.star.x < s.basket.x - 12) return { left: true };
  if (s.star.x > s.basket.x + 12) return { right: true };
  return null;
}
