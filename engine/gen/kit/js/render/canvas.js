// The Canvas adapter: draws the draw list with the browser's own 2D context.
// See phaser.js for the interface.
import { fitted, loop, margin, FONT } from './stage.js';

// painter returns a function that draws a list on a context.
export function painter(c, o) {
  const css = (color) => o.colors[color] || color;
  const tinted = {};

  // tint colours a white picture.
  function tint(name, color) {
    const key = name + color;
    if (!tinted[key]) {
      const from = o.textures[name];
      const el = document.createElement('canvas');
      el.width = from.width;
      el.height = from.height;
      const t = el.getContext('2d');
      t.drawImage(from, 0, 0);
      t.globalCompositeOperation = 'source-in';
      t.fillStyle = color;
      t.fillRect(0, 0, el.width, el.height);
      tinted[key] = el;
    }
    return tinted[key];
  }

  function drawSprite(cmd) {
    const img = cmd.tint ? tint(cmd.name, css(cmd.tint)) : o.textures[cmd.name];
    const h = cmd.size * margin(cmd.name);
    const w = (h * img.width) / img.height;
    c.save();
    c.translate(cmd.x, cmd.y);
    c.rotate(cmd.rot || 0);
    c.scale(cmd.sx || 1, cmd.sy || 1);
    c.drawImage(img, -w / 2, -h / 2, w, h);
    c.restore();
  }

  function drawText(cmd) {
    c.save();
    c.translate(cmd.x, cmd.y);
    c.scale(cmd.scale || 1, cmd.scale || 1);
    c.font = 'bold ' + cmd.size + 'px ' + FONT;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    if (cmd.outline) {
      c.lineWidth = Math.max(5, cmd.size * 0.2);
      c.strokeStyle = css(cmd.outline);
      c.strokeText(cmd.text, 0, 0);
    }
    c.fillStyle = css(cmd.color || 'text');
    c.fillText(cmd.text, 0, 0);
    c.restore();
  }

  function drawShape(cmd) {
    c.beginPath();
    if (cmd.k === 'line') {
      c.moveTo(cmd.x1, cmd.y1);
      c.lineTo(cmd.x2, cmd.y2);
    } else if (cmd.k === 'ring' || cmd.k === 'disc') {
      c.arc(cmd.x, cmd.y, Math.max(0, cmd.r), 0, Math.PI * 2);
    } else if (cmd.k === 'poly') {
      cmd.points.forEach((p, i) => (i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1])));
      c.closePath();
    } else {
      if (cmd.w <= 0 || cmd.h <= 0) return;
      c.roundRect(cmd.x, cmd.y, cmd.w, cmd.h, Math.min(cmd.radius || 0, cmd.w / 2, cmd.h / 2));
    }
    if (cmd.k === 'line' || cmd.k === 'ring') {
      c.lineWidth = cmd.width;
      c.strokeStyle = css(cmd.color);
      c.stroke();
      return;
    }
    c.fillStyle = css(cmd.color);
    c.fill();
    if (!cmd.stroke) return;
    c.lineWidth = cmd.width || 4;
    c.strokeStyle = css(cmd.stroke);
    c.stroke();
  }

  return (list) => {
    c.setTransform(o.scale, 0, 0, o.scale, 0, 0);
    c.clearRect(0, 0, o.width, o.height);
    for (const cmd of list.cmds) {
      c.globalAlpha = cmd.alpha === undefined ? 1 : Math.max(0, Math.min(1, cmd.alpha));
      if (cmd.k === 'sprite') drawSprite(cmd);
      else if (cmd.k === 'text') drawText(cmd);
      else drawShape(cmd);
    }
  };
}

export function start(o) {
  const paint = painter(fitted(o).getContext('2d'), o);
  o.ready();
  loop((seconds) => {
    const list = o.frame(seconds);
    if (list) paint(list);
  });
}
