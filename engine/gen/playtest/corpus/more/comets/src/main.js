// Comets: a moon goes round; tap when it is at the gate. PixiJS with textures made at
// the start, containers in containers and a trail of sprites that are used again.
import * as PIXI from 'pixi.js';

const svc = window.svc;
const app = new PIXI.Application();
const s = { phase: 'ready', score: 0, lives: 3, angle: 0, speed: 1.7, gate: 2, t: 0, rest: 0 };

function begin() {
  Object.assign(s, { phase: 'play', score: 0, lives: 3, angle: 0, speed: 1.7, gate: 2, t: 0, rest: 0.1 });
  svc.track('start', {});
}

function finish(outcome) {
  Object.assign(s, { phase: 'over', rest: 0.4 });
  svc.endGame({ outcome, score: s.score });
}

function miss() {
  s.lives--;
  s.rest = 0.4;
  if (s.lives === 0) finish('lose');
}

function press() {
  if (s.phase !== 'play') return s.phase === 'ready' || s.rest <= 0 ? begin() : undefined;
  if (s.rest > 0) return undefined;
  if (Math.cos(s.angle - s.gate) < 0.93) return miss();
  Object.assign(s, { score: s.score + 1, gate: s.gate + 1.5 + Math.random() * 2.5, speed: Math.min(3.2, s.speed + 0.06), rest: 0.2 });
  return svc.track('score', { score: s.score });
}

function step(dt) {
  s.t += dt;
  s.rest -= dt;
  if (s.phase !== 'play') return;
  s.angle += s.speed * dt;
  if (s.angle > s.gate + 0.6) { // it went by
    s.gate += Math.PI * 2;
    miss();
  }
  if (s.phase === 'play' && s.t > 45) finish('win');
}

function disc(r, color) { return app.renderer.generateTexture(new PIXI.Graphics().circle(0, 0, r).fill(color)); }

function scene() {
  const sky = new PIXI.Container();
  const star = disc(2, 0x9fb4d8);
  for (let i = 0; i < 120; i++) sky.addChild(Object.assign(new PIXI.Sprite(star), { x: (i * 131) % 480, y: (i * 71) % 720 }));
  const orbit = Object.assign(new PIXI.Container(), { x: 240, y: 380 });
  const ring = new PIXI.Graphics().circle(0, 0, 160).stroke({ width: 6, color: 0x3f5a8a });
  const glow = disc(14, 0xf2cc8f);
  const trail = Array.from({ length: 12 }, () => new PIXI.Sprite({ texture: glow, anchor: 0.5 }));
  const gate = new PIXI.Sprite({ texture: disc(34, 0x81b29a), anchor: 0.5 });
  orbit.addChild(new PIXI.Sprite({ texture: disc(60, 0xe07a5f), anchor: 0.5 }), ring, gate, ...trail);
  const label = new PIXI.Text({ text: '', style: { fill: 0xffffff, fontSize: 46, fontWeight: 'bold' }, anchor: 0.5, x: 240, y: 100 });
  app.stage.addChild(sky, orbit, label);
  return () => {
    sky.y = Math.sin(s.t) * 6;
    gate.position.set(Math.cos(s.gate) * 160, Math.sin(s.gate) * 160);
    trail.forEach((sprite, i) => {
      const a = s.angle - i * 0.05;
      sprite.position.set(Math.cos(a) * 160, Math.sin(a) * 160);
      sprite.alpha = 1 - i / 12;
    });
    label.text = s.phase === 'ready' ? 'Tap at the gate' : s.score + (s.phase === 'over' ? ' again?' : '');
  };
}

app.init({ width: 480, height: 720, preference: 'webgl', background: 0x14213d }).then(() => {
  app.canvas.style.cssText = 'display:block;margin:auto;width:min(100vw,66.66vh);height:min(100vh,150vw)';
  document.getElementById('game').appendChild(app.canvas);
  app.canvas.addEventListener('pointerdown', press);
  const draw = scene();
  app.ticker.add((ticker) => {
    step(Math.min(0.05, ticker.deltaMS / 1000));
    draw();
  });
  svc.expose(() => s);
  svc.ready(() => draw());
});
