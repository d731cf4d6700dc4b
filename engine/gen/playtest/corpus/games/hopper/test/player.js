// A player of Hopper: hops before a post.
export function act(s) {
  const near = s.posts.find((p) => !p.done && p.x > 100 && p.x < 205);
  return { tap: Boolean(near) && s.y === 0, x: 240, y: 400 };
}
