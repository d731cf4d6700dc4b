// What is written on top of a running game: score, lives, time, level, the
// power-up in use, and the buttons: to hold the game, and those of a touch screen.
import { W, H, STRIP } from './world.js';
import { buttons, PAUSE } from './controls.js';
import { short } from './text.js';

const BAR = 132; // pixels of the power-up's bar

/** @param {DrawList} d */
export function drawHUD(d, ss) {
  const s = ss.state;
  const t = ss.game.text;
  const limit = s.cfg.duration;
  const ink = { color: 'text', outline: 'textInk' };
  const say = (text, x, y, size, role, opt) => d.text(text, x, y, size, Object.assign({ role }, ink, opt));
  if (limit) {
    const left = Math.max(0, 1 - s.t / limit);
    d.box(20, 14, W - 40, 8, 'shade', { radius: 4, alpha: 0.35 });
    if (left > 0.02) d.box(20, 14, (W - 40) * left, 8, left < 0.2 ? 'hazard' : 'accent', { radius: 4 });
    d.box(W - 80, 32, 68, 36, 'shade', { radius: 18, alpha: 0.3 });
    say(Math.max(0, Math.ceil(limit - s.t)) + 's', W - 46, 50, 24, 'time');
  }
  const hearts = ss.mechanic.meta.hearts !== false && !s.cfg.safe; // lives mean nothing in some
  if (hearts) d.box(14, 32, s.cfg.lives * 30 + 14, 36, 'shade', { radius: 18, alpha: 0.3 });
  if (ss.phase === 'play') {
    say(s.score < 1e5 ? s.score : short(s.score), W / 2, 62, H > 600 ? 54 : 46, 'score',
      { scale: 1 + ss.fx.bump * 0.22 });
  }
  for (let i = 0; hearts && i < s.cfg.lives; i++) {
    d.sprite('heart', 36 + i * 30, 50, 28, { alpha: i < s.lives ? 1 : 0.22 });
  }
  const level = s.cfg.levels > 1 ? t.level + ' ' + s.level + '/' + s.cfg.levels : '';
  if (level) say(level, W - 26 - level.length * 5.5, limit ? 84 : 50, 19, 'level');
  if (s.cfg.players > 1 && !s.both) {
    say(t.player + ' ' + (ss.turn + 1), 26 + t.player.length * 6.5, 84, 19, 'player', { color: 'accent' });
  }
  if (s.cfg.combo && s.streak >= 6) {
    say('x' + (1 + Math.min(2, Math.floor(s.streak / 6))), W / 2 + 92, 64, 24, 'combo', { color: 'accent' });
  }
  if (s.shield || s.power) {
    const label = s.power ? t[s.power] : t.shield;
    // above the buttons of a tall field
    const low = H > W && buttons(ss.mechanic.meta.controls).some((b) => b.y + b.r > H - 50) ? 140 : 40;
    say(label, W / 2, H - low, 20, 'power', { color: 'accent' });
    const share = s.power ? Math.max(0, Math.min(1, s.powerLeft / 8)) : 1;
    d.box(W / 2 - BAR / 2, H - low + 18, BAR * share, 7, 'accent', { radius: 3 });
  }
  if (ss.phase === 'play' && !ss.paused) {
    d.disc(PAUSE.x, PAUSE.y, 20, 'shade', { alpha: 0.3 });
    for (const k of [-1, 1]) d.box(PAUSE.x + k * 6 - 3, PAUSE.y - 9, 6, 18, 'text', { radius: 2, alpha: 0.85 });
  }
  if ((ss.touch || STRIP) && ss.phase === 'play') drawButtons(d, ss.mechanic.meta.controls);
}

// drawStrip is the ground of the buttons below the field.
/** @param {DrawList} d */
export function drawStrip(d) {
  if (!STRIP) return;
  d.box(0, H, W, STRIP, 'shade');
  d.box(0, H, W, 4, 'ink', { alpha: 0.6 });
}

function drawButtons(d, controls) {
  for (const b of buttons(controls)) {
    d.disc(b.x, b.y, b.r, 'shade', { alpha: 0.35, stroke: 'text', width: 3 });
    const k = b.r * 0.42;
    const turn = { left: Math.PI, right: 0, up: -Math.PI / 2, duck: Math.PI / 2 }[b.key];
    const at = (x, y) => [b.x + x * Math.cos(turn) - y * Math.sin(turn), b.y + x * Math.sin(turn) + y * Math.cos(turn)];
    d.poly([at(k, 0), at(-k * 0.7, -k * 0.9), at(-k * 0.7, k * 0.9)], 'text', { alpha: 0.85 });
  }
}
