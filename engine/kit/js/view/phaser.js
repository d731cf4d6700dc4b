// Drawn by Phaser: g is a scene without physics and input.
import Phaser from 'phaser';

// Some software renderers mix up several textures.
export function view({ canvas, scale }) {
  return new Promise((done) => {
    const create = function create() {
      this.cameras.main.setOrigin(0, 0).setZoom(scale);
      done({ g: this });
    };
    return new Phaser.Game({
      type: Phaser.WEBGL, canvas, width: canvas.width, height: canvas.height, banner: false, maxTextures: 1,
      input: { keyboard: false, mouse: false, touch: false, gamepad: false },
      audio: { noAudio: true }, scene: { create },
    });
  });
}
