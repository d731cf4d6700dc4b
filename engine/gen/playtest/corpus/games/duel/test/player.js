// A player of Duel, on the right: follows the ball.
export function act(s) {
  const off = s.ball.y - s.bats[1];
  return { up: off < -20, duck: off > 20 };
}
