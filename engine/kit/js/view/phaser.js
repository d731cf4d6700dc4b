// Drawn by Phaser: g is a scene without physics and input.
import Phaser from 'phaser';

export function view({ canvas, scale }) {
  return new Promise((done) => {
    const create = /** @this {any} */ function create() {
      this.cameras.main.setOrigin(0, 0).setZoom(scale);
      this.game.loop.stop(); // the kit says when a frame is shown
      done({ g: this, show: () => this.game.step(performance.now(), 1000 / 60) });
    };
    return new Phaser.Game({
      type: Phaser.WEBGL, canvas, width: canvas.width, height: canvas.height, banner: false,
      maxTextures: 1, // some software renderers mix up several
      input: { keyboard: false, mouse: false, touch: false, gamepad: false },
      audio: { noAudio: true }, scene: { create },
    });
  });
}
