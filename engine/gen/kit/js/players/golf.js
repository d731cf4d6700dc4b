// Plays mini golf: it putts for the farthest place on the way that it sees.
import { FAST, R, within, slow } from '../mechanics/golf.js';
import { hypot } from '../core/world.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.moving || s.sunk > 0) return null;
  if (s.drag < 20) return { hold: true, x: 240, y: 480 };
  if (s.drag > 24) return null;
  const [x, y] = putt(s);
  return { hold: true, x: 240 - x, y: 480 - y };
}

function putt(s) {
  const { x, y } = s.ball;
  const way = s.course.way;
  let k = way.length - 1;
  while (k > 0 && !sees(s, way[k])) k--;
  const [dx, dy] = [way[k][0] - x, way[k][1] - y];
  const far = hypot(dx, dy) || 1;
  const want = far + (k === way.length - 1 ? 36 : 8);
  let v = 60;
  for (; v < FAST && carry(s, v) < want; v += 15);
  const pull = (v / FAST) * 150;
  const err = ((s.strokes * 7 + s.hole * 3) % 5 - 2) * 0.012; // no one is perfect
  return [(dx / far - (dy / far) * err) * pull, (dy / far + (dx / far) * err) * pull];
}

// carry is how far a putt rolls.
function carry(s, speed) {
  let [far, v] = [0, speed];
  for (; v > 14; v -= slow(s, v, false) / 30) far += v / 30;
  return far;
}

function sees(s, [x, y]) {
  const c = s.course;
  const far = hypot(x - s.ball.x, y - s.ball.y);
  for (let k = 0; k < far; k += 8) {
    const [px, py] = [s.ball.x + ((x - s.ball.x) * k) / far, s.ball.y + ((y - s.ball.y) * k) / far];
    if (!within(c.floor, px, py) || within(c.water, px, py)) return false;
    if (c.blocks.some(([bx, by, w, h]) => px > bx - R && px < bx + w + R && py > by - R && py < by + h + R)) {
      return false;
    }
    if (c.posts.some(([bx, by, r]) => hypot(px - bx, py - by) < r + R)
        || c.mills.some(([bx, by]) => hypot(px - bx, py - by) < 30)) {
      return false;
    }
  }
  return true;
}
