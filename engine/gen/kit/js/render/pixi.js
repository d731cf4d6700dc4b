// The PixiJS adapter: draws the draw list with pooled Pixi objects. See
// phaser.js for the interface. Pixi itself is a classic script that index.html
// loads before this one.
import * as PIXI from 'pixi.js';
import { margin, FONT } from './stage.js';

export function start(o) {
  const color = (c) => o.colors[c] || c;
  const pools = { sprite: [], shape: [], text: [] };
  const used = { sprite: 0, shape: 0, text: 0 };
  const app = new PIXI.Application();
  const root = new PIXI.Container();
  root.sortableChildren = true;
  const textures = {};

  function take(kind, depth, make) {
    const pool = pools[kind];
    if (used[kind] === pool.length) pool.push(root.addChild(make()));
    const item = pool[used[kind]++];
    item.visible = true;
    item.zIndex = depth;
    return item;
  }

  function drawSprite(cmd, depth) {
    const img = take('sprite', depth, () => new PIXI.Sprite({ anchor: 0.5 }));
    if (img.texture !== textures[cmd.name]) img.texture = textures[cmd.name];
    const k = (cmd.size * margin(cmd.name)) / img.texture.height;
    img.position.set(cmd.x, cmd.y);
    img.scale.set(k * (cmd.sx || 1), k * (cmd.sy || 1));
    img.rotation = cmd.rot || 0;
    img.alpha = cmd.alpha === undefined ? 1 : cmd.alpha;
    img.tint = cmd.tint ? color(cmd.tint) : 0xffffff;
  }

  function drawShape(g, cmd) {
    const alpha = cmd.alpha === undefined ? 1 : cmd.alpha;
    if (cmd.k === 'line') {
      g.moveTo(cmd.x1, cmd.y1).lineTo(cmd.x2, cmd.y2).stroke({ width: cmd.width, color: color(cmd.color), alpha });
      return;
    }
    if (cmd.k === 'ring') {
      g.circle(cmd.x, cmd.y, Math.max(0, cmd.r)).stroke({ width: cmd.width, color: color(cmd.color), alpha });
      return;
    }
    if (cmd.k === 'disc') g.circle(cmd.x, cmd.y, Math.max(0, cmd.r));
    else if (cmd.k === 'poly') g.poly(cmd.points.flat(), true);
    else if (cmd.w > 0 && cmd.h > 0) {
      g.roundRect(cmd.x, cmd.y, cmd.w, cmd.h, Math.min(cmd.radius || 0, cmd.w / 2, cmd.h / 2));
    } else return;
    g.fill({ color: color(cmd.color), alpha });
    if (cmd.stroke) g.stroke({ width: cmd.width || 4, color: color(cmd.stroke), alpha });
  }

  function drawText(cmd, depth) {
    const txt = take('text', depth,
      () =>
        new PIXI.Text({ text: '', anchor: 0.5, resolution: o.scale, style: { fontFamily: FONT, fontWeight: 'bold' } }));
    const style = cmd.size + color(cmd.color || 'text') + (cmd.outline || '');
    if (txt.label !== style) {
      txt.label = style;
      txt.style.fontSize = cmd.size;
      txt.style.fill = color(cmd.color || 'text');
      txt.style.stroke = cmd.outline ? { color: color(cmd.outline), width: Math.max(5, cmd.size * 0.2), join: 'round' }
        : { width: 0 };
    }
    if (txt.text !== cmd.text) txt.text = cmd.text;
    txt.position.set(cmd.x, cmd.y);
    txt.scale.set(cmd.scale || 1);
    txt.alpha = cmd.alpha === undefined ? 1 : cmd.alpha;
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
      if (!shape) shape = take('shape', depth, () => new PIXI.Graphics()).clear();
      drawShape(shape, cmd);
    });
    for (const kind of Object.keys(pools)) {
      for (let i = used[kind]; i < pools[kind].length; i++) pools[kind][i].visible = false;
    }
  }

  function fit() {
    const k = Math.min(window.innerWidth / o.width, window.innerHeight / o.height);
    Object.assign(app.canvas.style, {
      position: 'absolute', width: o.width * k + 'px', height: o.height * k + 'px',
      left: (window.innerWidth - o.width * k) / 2 + 'px', top: (window.innerHeight - o.height * k) / 2 + 'px',
    });
  }

  return app.init({
    width: Math.round(o.width * o.scale), height: Math.round(o.height * o.scale), background: o.colors.bg,
    antialias: true,
    preference: 'webgl', eventFeatures: { move: false, globalMove: false, click: false, wheel: false },
  }).then(() => {
    for (const name of Object.keys(o.textures)) textures[name] = PIXI.Texture.from(o.textures[name]);
    root.scale.set(o.scale);
    app.stage.addChild(root);
    o.parent.appendChild(app.canvas);
    window.addEventListener('resize', fit);
    fit();
    o.ready();
    app.ticker.add((ticker) => {
      const list = o.frame(ticker.deltaMS / 1000);
      if (list) show(list);
    });
  });
}
