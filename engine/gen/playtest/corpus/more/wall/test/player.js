// A player of Wall: keeps the bat under the ball.
export const act = (s) => ({ tap: s.phase !== 'play', x: s.ball + 20 * Math.sin(s.hits * 2.3), y: 660 });
