// Hopper: a cube hops over posts. Phaser, with its own loop, input and texts.
import Phaser from 'phaser';

const svc = window.svc;
const s = { phase: 'ready', score: 0, lives: 3, y: 0, vy: 0, t: 0, wait: 0, posts: [], rest: 0 };

function start() {
  s.score = 0;
  Object.assign(s, { phase: 'play', lives: 3, y: 0, vy: 0, t: 0, wait: 0.5, posts: [] });
  svc.track('start', {});
}

function gain(n) {
  s.score += n;
  svc.track('score', { score: s.score });
}

function finish(outcome) {
  s.phase = 'over';
  s.rest = 0.3;
  svc.endGame({ outcome: outcome, score: s.score });
}

function press() {
  if (s.phase === 'ready') return start();
  if (s.phase === 'over') return again();
  if (s.y === 0) s.vy = 620;
}

function again() {
  if (s.rest > 0) return;
  start();
}

function pass(post, dt) {
  post.x -= (250 + 3 * s.t) * dt;
  if (post.done || post.x > 130) return;
  if (post.x > 80 && s.y < 60) {
    post.done = true;
    s.lives--;
    if (s.lives <= 0) finish('lose');
  } else if (post.x <= 80) {
    post.done = true;
    gain(1);
  }
}

function step(dt) {
  if (s.phase === 'over') s.rest -= dt;
  if (s.phase !== 'play') return;
  s.t += dt;
  s.wait -= dt;
  s.vy -= 1700 * dt;
  s.y = Math.max(0, s.y + s.vy * dt);
  if (s.y === 0) s.vy = 0;
  if (s.wait <= 0) {
    s.posts.push({ x: 520 });
    s.wait = 1.1 + Math.random() * 0.8;
  }
  for (const post of s.posts) if (s.phase === 'play') pass(post, dt);
  s.posts = s.posts.filter((post) => post.x > -40);
  if (s.phase === 'play' && s.t > 30) finish('win');
}

class Game extends Phaser.Scene {
  constructor() { super('Game'); }

  create() {
    this.shapes = this.add.graphics();
    this.label = this.add.text(240, 90, '', { fontSize: '48px', fontStyle: 'bold', color: '#ffffff' }).setOrigin(0.5);
    this.input.on('pointerdown', press);
    this.input.keyboard.on('keydown-SPACE', press);
    svc.expose(() => s);
    svc.ready(() => this.draw());
  }

  update(time, delta) {
    step(Math.min(0.05, delta / 1000));
    this.draw();
  }

  draw() {
    const g = this.shapes;
    g.clear();
    g.fillStyle(0x274060).fillRect(0, 0, 480, 720);
    g.fillStyle(0x5f8fbf).fillCircle(380, 150, 50);
    g.fillStyle(0x4d7c4a).fillRect(0, 560, 480, 160);
    g.fillStyle(0xd96c3f);
    for (const post of s.posts) g.fillRect(post.x - 15, 500, 30, 60);
    g.fillStyle(0xf3d250).fillRect(80, 510 - s.y, 50, 50);
    this.label.setText(s.phase === 'ready' ? 'Tap to hop' : String(s.score));
  }
}

new Phaser.Game({
  type: Phaser.WEBGL, width: 480, height: 720, parent: 'game', scene: Game, banner: false, audio: { noAudio: true },
  scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
});
