// The Phaser adapter: draws the draw list with pooled Phaser game objects. It
// is one of several possible renderers behind the same small interface:
//
//   start({ parent, width, height, scale, textures, colors, frame, ready })
//
// frame(seconds) is called for each frame and returns the draw list to show, or
// null when there is nothing new;
// ready() is called once, before the first frame. Phaser itself is a classic
// script that index.html loads before this one.
import Phaser from 'phaser';
import { margin, FONT } from './stage.js';

export function start(o) {
  const color = (c) => Phaser.Display.Color.HexStringToColor(o.colors[c] || c).color;
  const css = (c) => o.colors[c] || c;
  const pools = { sprite: [], shape: [], text: [] };
  const used = { sprite: 0, shape: 0, text: 0 };
  let scene;

  function take(kind, make) {
    const pool = pools[kind];
    if (used[kind] === pool.length) pool.push(make());
    return pool[used[kind]++].setVisible(true);
  }

  function drawSprite(cmd, depth) {
    const img = take('sprite', () => scene.add.image(0, 0, cmd.name));
    if (img.texture.key !== cmd.name) img.setTexture(cmd.name);
    const k = (cmd.size * margin(cmd.name)) / img.frame.realHeight;
    img.setPosition(cmd.x, cmd.y).setScale(k * (cmd.sx || 1), k * (cmd.sy || 1)).setRotation(cmd.rot || 0);
    img.setAlpha(cmd.alpha === undefined ? 1 : cmd.alpha).setDepth(depth);
    img.setTint(cmd.tint ? color(cmd.tint) : 0xffffff);
  }

  function drawShape(g, cmd) {
    const a = cmd.alpha === undefined ? 1 : cmd.alpha;
    if (cmd.k === 'line') {
      g.lineStyle(cmd.width, color(cmd.color), a).lineBetween(cmd.x1, cmd.y1, cmd.x2, cmd.y2);
      return;
    }
    if (cmd.k === 'ring') {
      g.lineStyle(cmd.width, color(cmd.color), a).strokeCircle(cmd.x, cmd.y, cmd.r);
      return;
    }
    g.fillStyle(color(cmd.color), a);
    if (cmd.stroke) g.lineStyle(cmd.width || 4, color(cmd.stroke), a);
    if (cmd.k === 'disc') {
      g.fillCircle(cmd.x, cmd.y, cmd.r);
      if (cmd.stroke) g.strokeCircle(cmd.x, cmd.y, cmd.r);
    } else if (cmd.k === 'poly') {
      const points = cmd.points.map((p) => ({ x: p[0], y: p[1] }));
      g.fillPoints(points, true);
      if (cmd.stroke) g.strokePoints(points, true, true);
    } else if (cmd.w > 0 && cmd.h > 0) {
      const r = Math.min(cmd.radius || 0, cmd.w / 2, cmd.h / 2);
      if (r > 0) {
        g.fillRoundedRect(cmd.x, cmd.y, cmd.w, cmd.h, r);
        if (cmd.stroke) g.strokeRoundedRect(cmd.x, cmd.y, cmd.w, cmd.h, r);
      } else {
        g.fillRect(cmd.x, cmd.y, cmd.w, cmd.h);
        if (cmd.stroke) g.strokeRect(cmd.x, cmd.y, cmd.w, cmd.h);
      }
    }
  }

  function drawText(cmd, depth) {
    const txt = take('text',
      () => scene.add.text(0, 0, '', { fontFamily: FONT, fontStyle: 'bold' }).setOrigin(0.5).setResolution(o.scale));
    const style = cmd.size + css(cmd.color || 'text') + (cmd.outline ? css(cmd.outline) : '');
    if (txt.getData('style') !== style) {
      txt.setData('style', style);
      txt.setFontSize(cmd.size).setColor(css(cmd.color || 'text'));
      txt.setStroke(css(cmd.outline || 'text'), cmd.outline ? Math.max(5, cmd.size * 0.2) : 0);
    }
    if (txt.text !== cmd.text) txt.setText(cmd.text);
    txt.setPosition(cmd.x, cmd.y).setScale(cmd.scale || 1).setAlpha(cmd.alpha === undefined ? 1
      : cmd.alpha).setDepth(depth);
  }

  function show(list) {
    used.sprite = used.shape = used.text = 0;
    let shape = null; // shapes in a row share one Graphics
    list.cmds.forEach((cmd, depth) => {
      if (cmd.k === 'sprite' || cmd.k === 'text') {
        shape = null;
        if (cmd.k === 'sprite') drawSprite(cmd, depth);
        else drawText(cmd, depth);
        return;
      }
      if (!shape) shape = take('shape', () => scene.add.graphics()).clear().setDepth(depth);
      drawShape(shape, cmd);
    });
    for (const kind of Object.keys(pools)) {
      for (let i = used[kind]; i < pools[kind].length; i++) pools[kind][i].setVisible(false);
    }
  }

  return new Phaser.Game({
    type: Phaser.AUTO,
    parent: o.parent,
    width: o.width * o.scale,
    height: o.height * o.scale,
    backgroundColor: o.colors.bg,
    banner: false,
    fps: { smoothStep: false }, // equal times make equal games
    maxTextures: 1, // one texture a batch: some software renderers mix up several
    audio: { noAudio: true },
    input: { keyboard: false, mouse: false, touch: false, gamepad: false },
    scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
    scene: {
      create() {
        scene = this;
        for (const name of Object.keys(o.textures)) this.textures.addCanvas(name, o.textures[name]);
        this.cameras.main.setOrigin(0, 0).setZoom(o.scale);
        o.ready();
      },
      update(time, delta) {
        const list = o.frame(delta / 1000);
        if (list) show(list);
      },
    },
  });
}
