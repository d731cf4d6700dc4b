// Pinball among the stars: two flippers, five bumpers, three balls. There is no chance in it.
import about from './game.json';
import { run, rng, hud, hypot, sfx, STEP } from './kit/kit.js';
import { view } from './kit/view.js';

const R = 12;
const LEFT = 40;
const RIGHT = 440;
const TOP = 110;
const LINE = 640; // where the flippers are
const LOST = 730;
const FRESH = 8; // steps for which a flipper that was lifted strikes
const REST = 26; // steps until it can be lifted again
const BUMPERS = [[130, 240, 34], [350, 240, 34], [240, 330, 40], [100, 400, 22], [380, 400, 22]];

const ballAt = (n) => ({ x: n % 2 ? 64 : 416, y: 140, vx: 0, vy: 0 });

function create(seed, { pull, kick }) {
  return { ...rng(seed), pull, kick, score: 0, outcome: '', balls: 3, ball: ballAt(0), lifted: { left: 99, right: 99 }, lit: [0, 0, 0, 0, 0] };
}

function lift(s, input) {
  const tapped = input.tapped ? (input.x < 240 ? 'left' : 'right') : '';
  for (const side of ['left', 'right']) {
    s.lifted[side]++;
    if ((input.pressed.includes(side) || tapped === side) && s.lifted[side] >= REST) s.lifted[side] = 0;
  }
}

// bounce keeps the ball between the walls and off the bumpers.
function bounce(s, b) {
  if (b.x < LEFT + R || b.x > RIGHT - R) {
    b.vx = Math.abs(b.vx) * 0.8 * (b.x < 240 ? 1 : -1);
    b.x = b.x < 240 ? LEFT + R : RIGHT - R;
  }
  if (b.y < TOP + R) {
    b.vy = Math.abs(b.vy) * 0.8;
    b.y = TOP + R;
  }
  BUMPERS.forEach(([x, y, r], i) => {
    const [dx, dy] = [b.x - x, b.y - y];
    const far = hypot(dx, dy) || 1;
    if (far > r + R) return;
    Object.assign(b, { x: x + (dx / far) * (r + R), y: y + (dy / far) * (r + R), vx: (dx / far) * 430, vy: (dy / far) * 430 });
    s.lit[i] = 12;
    s.score++;
    sfx('score');
  });
}

// meet is what a flipper does with a ball that reaches it.
function meet(s, b, before) {
  if (before > LINE || b.y <= LINE) return;
  const side = b.x < 240 ? 'left' : 'right';
  if (s.lifted[side] > FRESH) return;
  Object.assign(b, { y: LINE, vy: -s.kick, vx: (240 - b.x) * 1.3 + (side === 'left' ? 90 : -90) });
  sfx('jump');
}

function step(s, input) {
  const b = s.ball;
  lift(s, input);
  s.lit = s.lit.map((n) => Math.max(0, n - 1));
  const before = b.y;
  b.vy += s.pull * STEP;
  b.x += b.vx * STEP;
  b.y += b.vy * STEP;
  bounce(s, b);
  meet(s, b, before);
  if (b.y < LOST) return;
  s.balls--;
  sfx('hit');
  if (s.balls === 0) s.outcome = 'lose';
  else Object.assign(b, ballAt(s.balls));
}

const shown = { bumpers: [], flippers: {} };

function setup(scene) {
  scene.add.rectangle(240, 360, 480, 720, 0x10002b);
  for (let i = 0; i < 50; i++) scene.add.circle((i * 197) % 480, (i * 131) % 720, 1 + (i % 3), 0xe0aaff, 0.5);
  scene.add.rectangle(20, 400, 40, 640, 0x5a189a);
  scene.add.rectangle(460, 400, 40, 640, 0x5a189a);
  scene.add.rectangle(240, 100, 480, 20, 0x5a189a);
  shown.bumpers = BUMPERS.map(([x, y, r]) => scene.add.circle(x, y, r, 0xff6d00).setStrokeStyle(5, 0xffd60a));
  for (const [side, x, way] of [['left', 95, 1], ['right', 385, -1]]) {
    shown.flippers[side] = scene.add.rectangle(x, LINE + 14, 125, 16, 0x9d4edd).setOrigin(way === 1 ? 0 : 1, 0.5);
  }
  shown.ball = scene.add.circle(0, 0, R, 0xf8f9fa).setStrokeStyle(3, 0xadb5bd);
}

function draw(scene, s, phase) {
  shown.ball.setPosition(s.ball.x, s.ball.y).setVisible(phase !== 'ready');
  shown.bumpers.forEach((o, i) => o.setFillStyle(s.lit[i] > 0 ? 0xffffff : 0xff6d00));
  for (const side of ['left', 'right']) {
    const up = s.lifted[side] <= FRESH ? -0.45 : 0.3;
    shown.flippers[side].setRotation(side === 'left' ? up : -up);
  }
  if (phase === 'play') hud.text('balls', 'Balls ' + s.balls, 400, 36, 22);
}

run({ about, view, create, step, setup, draw, smooth: ['ball'] });
