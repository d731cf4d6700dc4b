// Wall: a ball, a bat and bricks, by Phaser's arcade physics; a title and the game are
// scenes of their own, and bricks go by a tween.
import Phaser from 'phaser';

const svc = window.svc;
const s = { phase: 'ready', score: 0, lives: 3, ball: 240, hits: 0 };

class Title extends Phaser.Scene {
  constructor() { super('title'); }

  create() {
    this.cameras.main.setBackgroundColor('#1b263b');
    const text = this.add.text(240, 300, 'Tap to break the wall', { fontSize: '38px', color: '#e0e1dd' }).setOrigin(0.5);
    this.tweens.add({ targets: text, scale: 1.08, yoyo: true, repeat: -1, duration: 500 });
    this.input.once('pointerdown', () => this.scene.start('play'));
    this.input.keyboard.once('keydown', () => this.scene.start('play'));
    if (this.registry.get('told')) return;
    this.registry.set('told', true);
    svc.ready(() => 0);
  }
}

class Play extends Phaser.Scene {
  constructor() { super('play'); }

  create() {
    Object.assign(s, { phase: 'play', score: 0, lives: 3, hits: 0 });
    svc.track('start', {});
    this.cameras.main.setBackgroundColor('#0d1b2a');
    this.physics.world.setBoundsCollision(true, true, true, false);
    this.bat = this.physics.add.existing(this.add.rectangle(240, 660, 110, 20, 0xffd166)).setDepth(1);
    this.bat.body.setImmovable(true).setAllowGravity(false).setCollideWorldBounds(true);
    this.ball = this.physics.add.existing(this.add.circle(240, 600, 11, 0xef476f));
    this.ball.body.setCollideWorldBounds(true).setBounce(1).setCircle(11);
    this.bricks = this.physics.add.staticGroup();
    for (let i = 0; i < 32; i++) this.bricks.add(this.add.rectangle(47 + (i % 8) * 55, 150 + Math.floor(i / 8) * 34, 50, 26, [0x118ab2, 0x06d6a0, 0xf78c6b, 0x9b5de5][i >> 3]));
    this.label = this.add.text(240, 60, '0', { fontSize: '48px', fontStyle: 'bold', color: '#ffffff' }).setOrigin(0.5);
    this.keys = this.input.keyboard.createCursorKeys();
    this.physics.add.collider(this.ball, this.bat, () => {
      s.hits++;
      this.ball.body.setVelocityX((this.ball.x - this.bat.x) * 7);
    });
    this.physics.add.collider(this.ball, this.bricks, (ball, brick) => this.hit(brick));
    this.serve();
  }

  serve() {
    this.ball.body.reset(240, 600);
    this.ball.body.setVelocity(Phaser.Math.Between(-160, 160), -430);
  }

  hit(brick) {
    brick.body.enable = false;
    this.tweens.add({ targets: brick, alpha: 0, scale: 1.5, duration: 200, onComplete: () => this.bricks.remove(brick, true, true) });
    s.score++;
    svc.track('score', { score: s.score });
    this.label.setText(String(s.score));
    if (s.score === 32) this.finish('win');
  }

  finish(outcome) {
    s.phase = 'over';
    svc.endGame({ outcome, score: s.score });
    this.physics.pause();
    this.add.text(240, 420, 'Tap to try again', { fontSize: '34px', color: '#ffffff' }).setOrigin(0.5);
    this.time.delayedCall(300, () => {
      this.input.once('pointerdown', () => this.scene.restart());
      this.input.keyboard.once('keydown', () => this.scene.restart());
    });
  }

  update() {
    if (s.phase !== 'play') return;
    if (this.keys.left.isDown || this.keys.right.isDown) this.bat.x += this.keys.left.isDown ? -9 : 9;
    else this.bat.x = Phaser.Math.Linear(this.bat.x, this.input.activePointer.worldX || 240, 0.4);
    this.bat.x = Phaser.Math.Clamp(this.bat.x, 55, 425);
    this.bat.body.updateFromGameObject();
    s.ball = this.ball.x;
    if (this.ball.y < 740) return;
    s.lives--;
    if (s.lives === 0) this.finish('lose');
    else this.serve();
  }
}

svc.expose(() => s);
new Phaser.Game({
  type: Phaser.WEBGL, width: 480, height: 720, parent: 'game', scene: [Title, Play], banner: false, audio: { noAudio: true }, physics: { default: 'arcade' },
  scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
});
