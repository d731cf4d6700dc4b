// The screens before, between and after runs, and of one that is held.
import { W, H } from './world.js';
import { SOUND } from './controls.js';
import { breadth, fit, short, wrap } from './text.js';

const TALL = H > W; // portrait
const DOWN = TALL ? (H - 720) / 2 : 0; // a taller field has more room above and below

/** @param {DrawList} d */
export function drawReady(d, ss) {
  const g = ss.game;
  const bob = Math.sin(ss.clock / 24);
  const place = TALL
    ? { title: 128 + DOWN, hero: 330 + DOWN, how: 462 + DOWN, start: 626 + DOWN, best: 672 + DOWN, big: 150 }
    : { title: 76, hero: 232, how: 332, start: 456, best: 504, big: 124 };
  const lines = wrap(g.title, TALL ? 14 : 26);
  const room = place.hero - place.big / 2 - 10 - place.title; // below the first line's middle, above the hero
  const size = Math.min(62, room / (0.78 * (lines.length - 1) + 0.4), ...lines.map((l) => fit(l, 62, W - 50)));
  const top = place.title - (lines.length - 1) * size * 0.3;
  lines.forEach((l, i) =>
    d.text(l, W / 2, top + i * size * 1.08, size, { color: 'text', outline: 'textInk', role: 'title' }));

  const aside = TALL ? 134 : 210;
  const shown = (role) => !g.figures || g.figures.includes(role);
  d.sprite('glow', W / 2, place.hero, place.big * 2.4, { tint: '#fff6d6', alpha: 0.55 });
  if (shown('pickup')) d.sprite('pickup', W / 2 - aside, place.hero - 12 + bob * 8, 58, { rot: -0.15 });
  if (shown('hazard')) d.sprite('hazard', W / 2 + aside, place.hero - bob * 8, 66, { rot: 0.12 });
  if (g.logo) d.sprite('logo', W / 2, place.hero, place.big * 1.2);
  else {
    d.sprite('hero', W / 2, place.hero + bob * 10, place.big,
      { rot: bob * 0.05, sx: 1 + bob * 0.02, sy: 1 - bob * 0.02 });
  }

  const start = Math.max(place.start, howTo(d, g.text.howTo, place.how) + 42);
  const letters = fit(g.text.start, 32, W - 120);
  const wide = breadth(g.text.start, 0.58) * letters + 64; // a button, legible on any ground
  d.box(W / 2 - wide / 2, start - 27, wide, 54, 'shade', { radius: 27, alpha: 0.8, stroke: 'accent', width: 4 });
  d.text(g.text.start, W / 2, start, letters,
    { color: '#ffffff', role: 'start', scale: 1 + 0.04 * Math.sin(ss.clock / 12) });
  if (ss.best > 0) {
    d.text(g.text.best + ' ' + ss.best, W / 2, Math.max(place.best, start + 46), 22,
      { color: 'text', outline: 'textInk', role: 'best' });
  }
}

// howTo shows the instructions from top on, and returns where they end.
function howTo(d, text, top) {
  const wide = Math.min(W - 80, 620);
  const lines = wrap(text, TALL ? 32 : 52);
  const h = 36 + lines.length * 28;
  d.box(W / 2 - wide / 2, top, wide, h, 'panel', { radius: 20, alpha: 0.9 });
  const size = Math.min(...lines.map((l) => fit(l, 21, wide - 24)));
  lines.forEach((l, i) =>
    d.text(l, W / 2, top + h / 2 + (i - (lines.length - 1) / 2) * 28, size, { color: 'panelText', role: 'howto' }));
  return top + h;
}

// drawSound shows whether the game is heard.
/** @param {DrawList} d */
export function drawSound(d, ss) {
  if (ss.sound) d.sprite(ss.muted ? 'mute' : 'sound', SOUND.x, SOUND.y, 44);
}

// drawPaused says with a sign that a press goes on, and what the game is about.
/** @param {DrawList} d */
export function drawPaused(d, ss) {
  const y = H * 0.4;
  const r = 62 + 3 * Math.sin(ss.clock / 12);
  d.box(0, 0, W, H, 'shade', { alpha: 0.6 });
  d.disc(W / 2, y, r, 'panel', { stroke: 'accent', width: 6 });
  d.poly([[W / 2 - 19, y - 32], [W / 2 + 37, y], [W / 2 - 19, y + 32]], 'panelText');
  howTo(d, ss.game.text.howTo, y + 104);
}

// panel dims the field and opens a card; it returns the card's top and how far
// it has opened, 0 to 1.
function panel(d, ss, tall) {
  const p = Math.min(1, ss.since / 14);
  const k = 1 - (1 - p) * (1 - p);
  const top = (H - tall) / 2 - (TALL ? 5 : 34);
  const y = top - (1 - k) * 60;
  d.box(0, 0, W, H, 'shade', { alpha: 0.5 * k });
  d.box(W / 2 - 186, y + 8, 372, tall, 'shade', { radius: 28, alpha: 0.35 * k });
  d.box(W / 2 - 186, y, 372, tall, 'panel', { radius: 28, alpha: k, stroke: 'accent', width: 5 });
  return { y, k };
}

function again(d, ss, y) {
  if (ss.since > 24) {
    d.text(ss.game.text.again, W / 2, y, fit(ss.game.text.again, 30, W - 60),
      { color: 'text', outline: 'textInk', role: 'again', scale: 1 + 0.05 * Math.sin(ss.clock / 12) });
  }
}

/** @param {DrawList} d */
export function drawOver(d, ss) {
  const t = ss.game.text;
  const s = ss.state;
  const two = ss.game.play.players > 1;
  const { y, k } = panel(d, ss, ss.table ? 372 : 330);
  let head = s.outcome === 'win' ? t.win : t.over;
  if (two) {
    head = ss.scores[0] === ss.scores[1] ? t.draw
      : t.player + ' ' + (ss.scores[0] > ss.scores[1] ? 1 : 2) + ' ' + t.wins;
  }
  d.text(head, W / 2, y + 54, fit(head, 42, 320), { color: 'panelText', alpha: k, role: 'outcome' });
  if (two) {
    [0, 1].forEach((i) => {
      d.text(t.player + ' ' + (i + 1), W / 2 - 84 + i * 168, y + 112, fit(t.player + ' 1', 24, 150),
        { color: 'panelText', alpha: k });
      d.text(ss.scores[i], W / 2 - 84 + i * 168, y + 172, 68, {
        color: ss.scores[i] >= ss.scores[1 - i] ? 'panelAccent' : 'panelText', alpha: k, role: i ? 'final2' : 'final',
      });
    });
  } else {
    d.text(t.score, W / 2, y + 108, 22, { color: 'panelText', alpha: 0.85 * k });
    d.text(s.score < 1e6 ? s.score : short(s.score), W / 2, y + 168, 84,
      { color: 'panelText', alpha: k, role: 'final', scale: 0.6 + 0.4 * k });
  }
  if (ss.table) drawTable(d, ss, y + 228, k);
  else drawBest(d, ss, y, k);
  again(d, ss, y + (ss.table ? 42 : 0) + (TALL ? 408 : 376));
}

// drawTable lists the best scores of this browser, the new one marked.
function drawTable(d, ss, y, k) {
  const mine = ss.table.indexOf(ss.state.score);
  ss.table.forEach((v, i) => {
    const color = i === mine ? 'panelAccent' : 'panelText';
    d.text(i + 1 + '.', W / 2 - 60, y + i * 28, 22, { color, alpha: k });
    d.text(v, W / 2 + 40, y + i * 28, 22, { color, alpha: k, role: 'table' });
  });
}

function drawBest(d, ss, y, k) {
  const t = ss.game.text;
  const best = ss.record ? t.record : t.best + ' ' + (ss.best < 1e6 ? ss.best : short(ss.best));
  d.text(best, W / 2, y + 240, 26, { color: ss.record ? 'panelAccent' : 'panelText', alpha: k, role: 'best' });
  d.sprite('hero', W / 2, y + 306, 78,
    { alpha: k, rot: ss.state.outcome === 'win' ? Math.sin(ss.clock / 8) * 0.2 : 0.5 });
}

// drawNext hands over to the second player.
/** @param {DrawList} d */
export function drawNext(d, ss) {
  const t = ss.game.text;
  const { y, k } = panel(d, ss, 250);
  const head = t.player + ' 1: ' + ss.scores[0];
  d.text(head, W / 2, y + 58, fit(head, 36, 320), { color: 'panelText', alpha: k, role: 'outcome' });
  d.sprite('hero', W / 2, y + 130, 88, { alpha: k });
  const next = t.player + ' 2, ' + t.yourTurn;
  d.text(next, W / 2, y + 206, fit(next, 30, 330), { color: 'panelAccent', alpha: k, role: 'next' });
  if (ss.since > 24) {
    d.text(t.start, W / 2, y + 300, fit(t.start, 30, W - 60),
      { color: 'text', outline: 'textInk', role: 'start', scale: 1 + 0.05 * Math.sin(ss.clock / 12) });
  }
}
