// Plays racing: it steers for a place on the track some way ahead, towards what
// is good and around what is not.
import { N, HALF, point, turn, top } from '../mechanics/racing.js';
import { atan2 } from '../core/world.js';

/** @param {GameState} s @returns {GameAct} */
export function act(s) {
  if (s.count > 0) return null;
  const m = s.me;
  const off = Math.max(-HALF + 26, Math.min(HALF - 26, lane(s, m)));
  const to = point(s, m.i + (s.rocks.some((r) => ((r.i - m.i + N) % N) * s.gap < 420) ? 125 : 180) / s.gap, off);
  const by = turn(atan2(to.y - m.y, to.x - m.x) - m.slip);
  return { left: by < -0.06, right: by > 0.06, duck: Math.abs(by) > 0.6 && m.v > top(s) * 0.6 };
}

function lane(s, m) {
  const ahead = (i) => ((i - m.i + N) % N) * s.gap;
  const rock = s.rocks.find((r) => ahead(r.i) < 420);
  if (rock) return rock.off > 0 || (rock.off === 0 && m.off < 0) ? rock.off - 78 : rock.off + 78;
  const coin = s.coins.find((c) => c.lap <= m.lap && ahead(c.i) > 60 && ahead(c.i) < 380);
  if (coin) return coin.off;
  const car = s.cars.find((c) => c.p - m.lap * N - m.i > 0 && c.p - m.lap * N - m.i < 6);
  return car ? car.off + (car.off > 0 ? -55 : 55) : m.off * 0.6;
}
