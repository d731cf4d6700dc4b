// Gems in the cave: seen from above, four directions, bats that cross it.
import Phaser from 'phaser';
import about from './game.json';
import { run, rng, between, random, near, cos, sin, hypot, clamp, hud, sfx, PI, STEP } from './kit/kit.js';
import { view } from './kit/view.js';

const { w, h } = about.size;
const EDGE = 40;
const SAFE = 90; // steps after a bite

// bat comes from a side, towards anywhere.
function bat(s) {
  const a = between(s, 0, 2 * PI);
  const v = between(s, 130, 200);
  const side = random(s) < 0.5 ? EDGE : w - EDGE;
  s.bats.push({ x: side, y: between(s, EDGE, h - EDGE), vx: cos(a) * v, vy: sin(a) * v });
}

function gem(s) {
  s.gem = { x: between(s, 80, w - 80), y: between(s, 100, h - 80) };
}

function create(seed, { speed, bats, every }) {
  const s = {
    ...rng(seed), speed, every, score: 0, outcome: '', lives: 3, safe: 0, t: 0,
    hero: { x: w / 2, y: h / 2 }, gem: null, bats: [],
  };
  for (let i = 0; i < bats; i++) bat(s);
  gem(s);
  return s;
}

function fly(s, b) {
  b.x += b.vx * STEP;
  b.y += b.vy * STEP;
  if (b.x < EDGE || b.x > w - EDGE) b.vx = Math.abs(b.vx) * (b.x < w / 2 ? 1 : -1);
  if (b.y < EDGE || b.y > h - EDGE) b.vy = Math.abs(b.vy) * (b.y < h / 2 ? 1 : -1);
  if (s.safe > 0 || !near(b.x, b.y, s.hero.x, s.hero.y, 40)) return;
  s.lives--;
  s.safe = SAFE;
  sfx('hit');
  if (s.lives === 0) s.outcome = 'lose';
}

function step(s, input) {
  const { hero } = s;
  s.t++;
  if (s.safe > 0) s.safe--;
  const dx = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  const dy = (input.down ? 1 : 0) - (input.up ? 1 : 0);
  const far = s.speed * STEP / (hypot(dx, dy) || 1);
  hero.x = clamp(hero.x + dx * far, EDGE, w - EDGE);
  hero.y = clamp(hero.y + dy * far, EDGE, h - EDGE);
  for (const b of s.bats) fly(s, b);
  if (!near(hero.x, hero.y, s.gem.x, s.gem.y, 46)) return;
  s.score++;
  sfx('score');
  gem(s);
  if (s.score % s.every === 0 && s.bats.length < 10) bat(s);
}

let shown = {};

// bats are made as they come, and kept from run to run.
function batOf(scene, i) {
  while (shown.bats.length <= i) {
    const wings = scene.add.triangle(0, 0, -26, -14, 26, -14, 0, 14, 0x8338ec).setOrigin(0);
    const body = scene.add.circle(0, 0, 12, 0x3a0ca3).setStrokeStyle(3, 0xff006e);
    shown.bats.push(scene.add.container(0, 0, [wings, body]));
  }
  return shown.bats[i];
}

function setup(scene) {
  scene.add.rectangle(w / 2, h / 2, w, h, 0x14213d);
  for (let i = 0; i < 60; i++) {
    const color = Phaser.Display.Color.HSLToColor(0.62, 0.35, 0.16 + (i % 5) * 0.03).color;
    scene.add.circle((i * 197) % w, (i * 131) % h, 30 + (i % 7) * 9, color);
  }
  scene.add.rectangle(w / 2, h / 2, w, h).setStrokeStyle(36, 0x0b132b);
  const gemstone = scene.add.star(0, 0, 6, 10, 22, 0x2ec4b6).setStrokeStyle(3, 0xcbf3f0);
  const hero = scene.add.container(0, 0, [
    scene.add.circle(0, 0, 90, 0xffe066, 0.12), scene.add.circle(0, 0, 22, 0xffb703).setStrokeStyle(4, 0xfb8500),
    scene.add.circle(-7, -4, 4, 0x14213d), scene.add.circle(7, -4, 4, 0x14213d),
  ]);
  shown = { gem: gemstone, hero, bats: [] };
}

function draw(scene, s, phase) {
  const running = phase !== 'ready';
  shown.hero.setPosition(s.hero.x, s.hero.y).setAlpha(s.safe > 0 && s.t % 12 < 6 ? 0.4 : 1).setVisible(running);
  shown.gem.setPosition(s.gem.x, s.gem.y).setRotation(s.t / 30).setVisible(running);
  s.bats.forEach((b, i) => batOf(scene, i).setPosition(b.x, b.y).setScale(1, 1 - (s.t % 20) / 40));
  shown.bats.forEach((b, i) => b.setVisible(i < s.bats.length));
  if (phase === 'play') hud.text('lives', 'Lives ' + s.lives, w - 80, 36, 24);
}

run({ about, view, create, step, setup, draw, smooth: ['hero', 'bats'] });
