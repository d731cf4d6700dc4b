// Pairs by lamplight: twelve cards, six pairs, and a lamp that burns down.
import * as PIXI from 'pixi.js';
import about from './game.json';
import { run, rng, random, hud, sfx } from './kit/kit.js';
import { view } from './kit/view.js';

const COLS = 3;
const ROWS = 4;
const WIDE = 130;
const HIGH = 130;
const LEFT = 45;
const TOP = 120;
const COLORS = ['#ef476f', '#ffd166', '#06d6a0', '#4cc9f0', '#b388eb', '#f3722c'];

function create(seed, { seconds, show }) {
  const s = { ...rng(seed), show, score: 0, outcome: '', left: seconds * 60, cards: [], open: [], wait: 0, cursor: 4 };
  const deck = COLORS.flatMap((color, i) => [i, i]);
  while (deck.length > 0) s.cards.push({ face: deck.splice(Math.floor(random(s) * deck.length), 1)[0], found: false });
  return s;
}

function turn(s, i) {
  if (s.cards[i].found || s.open.includes(i) || s.open.length === 2) return;
  s.open.push(i);
  sfx('move');
  if (s.open.length < 2) return;
  const [a, b] = s.open.map((n) => s.cards[n]);
  if (a.face !== b.face) {
    s.wait = s.show;
    return;
  }
  a.found = b.found = true;
  s.open = [];
  s.score++;
  sfx('score');
  if (s.cards.every((c) => c.found)) s.outcome = 'win';
}

function chosen(s, input) {
  const pressed = (name) => (input.pressed.includes(name) ? 1 : 0);
  const x = (s.cursor % COLS) + pressed('right') + (COLS - 1) * pressed('left');
  const y = Math.floor(s.cursor / COLS) + pressed('down') + (ROWS - 1) * pressed('up');
  s.cursor = (x % COLS) + COLS * (y % ROWS);
  if (input.pressed.includes('action')) return s.cursor;
  const column = Math.floor((input.x - LEFT) / WIDE);
  const row = Math.floor((input.y - TOP) / HIGH);
  if (!input.tapped || column < 0 || column >= COLS || row < 0 || row >= ROWS) return -1;
  s.cursor = row * COLS + column;
  return s.cursor;
}

function step(s, input) {
  const i = chosen(s, input);
  if (s.wait > 0 && --s.wait === 0) s.open = [];
  if (i >= 0) turn(s, i);
  if (--s.left <= 0 && !s.outcome) s.outcome = 'lose';
}

const table = new PIXI.Graphics();

function setup(app) {
  const room = app.stage.addChild(new PIXI.Graphics());
  ['#2b2d42', '#353750', '#3f4260', '#4a4e70'].forEach((color, i) => room.rect(0, 180 * i, 480, 181).fill(color));
  app.stage.addChild(table);
}

function figure(face, x, y) {
  const color = COLORS[face];
  if (face % 3 === 0) table.circle(x, y, 36).fill(color);
  else if (face % 3 === 1) table.rect(x - 32, y - 32, 64, 64).fill(color);
  else table.poly([x, y - 42, x + 40, y + 32, x - 40, y + 32]).fill(color);
  table.circle(x, y, 8 + face).fill('#2b2d42');
}

function draw(app, s, phase) {
  table.clear();
  if (phase === 'ready') {
    COLORS.forEach((color, i) => figure(i, 100 + (i % 3) * 140, 370 + Math.floor(i / 3) * 110));
    return;
  }
  s.cards.forEach((card, i) => {
    const [x, y] = [LEFT + (i % COLS) * WIDE, TOP + Math.floor(i / COLS) * HIGH];
    const seen = card.found || s.open.includes(i);
    table.roundRect(x + 5, y + 5, WIDE - 10, HIGH - 10, 16).fill(card.found ? '#8d99ae' : seen ? '#edf2f4' : '#d90429');
    if (i === s.cursor) table.roundRect(x + 5, y + 5, WIDE - 10, HIGH - 10, 16).stroke({ width: 5, color: '#ffd166' });
    if (seen) figure(card.face, x + WIDE / 2, y + HIGH / 2);
  });
  table.rect(45, 660, (390 * s.left) / (about.tunables.seconds.value * 60), 18).fill('#ffd166');
  if (phase === 'play') hud.text('seconds', Math.ceil(s.left / 60) + ' s', 400, 36, 22);
}

run({ about, view, create, step, setup, draw });
