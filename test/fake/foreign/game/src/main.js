import about from './game.json';
import { run, rng, between, sfx, clamp, STEP } from './kit/kit.js';
import { view } from './kit/view.js';

const { w, h } = about.size;
const FLOOR = h - 80;
const SECONDS = 30;

function create(seed, { fall }) {
  return { ...rng(seed), fall, score: 0, outcome: '', t: 0, missed: 0, basket: { x: w / 2, y: FLOOR }, star: { x: 100, y: 90 } };
}

function step(s, input) {
  s.t += STEP;
  const speed = 320 * STEP;
  let way = 0;
  if (input.left) way = -1;
  if (input.right) way = 1;
  if (input.fingers.length > 0) way = clamp((input.x - s.basket.x) / speed, -1, 1);
  s.basket.x = clamp(s.basket.x + way * speed, 45, w - 45);
  s.star.y += s.fall * STEP;
  if (s.star.y >= FLOOR) {
    if (Math.abs(s.star.x - s.basket.x) < 46) {
      s.score++;
      sfx('score');
    } else {
      s.missed++;
      sfx('hit');
    }
    s.star.x = between(s, 40, w - 40);
    s.star.y = 90;
  }
  if (s.t >= SECONDS) s.outcome = s.score >= 8 ? 'win' : 'lose';
}

function draw(g, s) {
  const sky = g.createLinearGradient(0, 0, 0, h);
  sky.addColorStop(0, '#10133a');
  sky.addColorStop(0.7, '#3b2a6b');
  sky.addColorStop(1, '#8a4f7d');
  g.fillStyle = sky;
  g.fillRect(0, 0, w, h);
  g.fillStyle = '#2c5e4a';
  g.fillRect(0, FLOOR + 26, w, h - FLOOR - 26);
  g.fillStyle = '#ffe27a';
  g.beginPath();
  for (let i = 0; i < 10; i++) {
    const r = i % 2 ? 9 : 21;
    g.lineTo(s.star.x + r * Math.sin((i * Math.PI) / 5), s.star.y - r * Math.cos((i * Math.PI) / 5));
  }
  g.fill();
  g.fillStyle = '#c98b4a';
  g.fillRect(s.basket.x - 45, s.basket.y, 90, 26);
  g.fillStyle = '#7a4a21';
  g.fillRect(s.basket.x - 45, s.basket.y, 90, 6);
  g.fillStyle = '#ffffff';
  g.fillRect(0, 70, (w * Math.max(0, SECONDS - s.t)) / SECONDS, 4);
}

run({ about, view, create, step, draw, smooth: ['basket', 'star'] });
