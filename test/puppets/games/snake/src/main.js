// Snake in the orchard: it grows with each apple. The apples lie alike in every run.
import about from './game.json';
import { run, rng, random, sfx } from './kit/kit.js';
import { view } from './kit/view.js';

const CELL = 30;
const COLS = 16;
const ROWS = 20;
const TOP = 100;
const WAYS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

const on = (list, x, y) => list.some((c) => c.x === x && c.y === y);

function grow(s) {
  do {
    s.apple = { x: Math.floor(random(s.orchard) * COLS), y: Math.floor(random(s.orchard) * ROWS) };
  } while (on(s.body, s.apple.x, s.apple.y));
}

function create(seed, { pause }) {
  const body = [10, 11, 12].map((y) => ({ x: 8, y }));
  return { ...rng(seed), orchard: rng(7), pause, score: 0, outcome: '', wait: 0, way: 'up', next: 'up', body, apple: { x: 12, y: 8 } };
}

function turn(s, way) {
  const [dx, dy] = WAYS[way];
  const [nowX, nowY] = WAYS[s.way];
  if (dx !== -nowX || dy !== -nowY) s.next = way;
}

function step(s, input) {
  for (const way of Object.keys(WAYS)) if (input.pressed.includes(way)) turn(s, way);
  if (++s.wait < s.pause) return;
  s.wait = 0;
  s.way = s.next;
  const [dx, dy] = WAYS[s.way];
  const head = { x: s.body[0].x + dx, y: s.body[0].y + dy };
  const eats = head.x === s.apple.x && head.y === s.apple.y;
  if (!eats) s.body.pop();
  const inside = head.x >= 0 && head.x < COLS && head.y >= 0 && head.y < ROWS;
  if (!inside || on(s.body, head.x, head.y)) {
    s.outcome = 'lose';
    return;
  }
  s.body.unshift(head);
  if (!eats) return;
  s.score++;
  sfx('score');
  grow(s);
}

function disc(g, { x, y }, r, color) {
  g.fillStyle = color;
  g.beginPath();
  g.arc((x + 0.5) * CELL, TOP + (y + 0.5) * CELL, r, 0, Math.PI * 2);
  g.fill();
}

function draw(g, s, phase) {
  const sky = g.createLinearGradient(0, 0, 0, 720);
  ['#1b4332', '#2d6a4f', '#40916c'].forEach((color, i) => sky.addColorStop(i / 2, color));
  g.fillStyle = sky;
  g.fillRect(0, 0, 480, 720);
  g.fillStyle = '#081c15';
  g.fillRect(0, TOP, COLS * CELL, ROWS * CELL);
  if (phase === 'ready') {
    for (let i = 0; i < 9; i++) disc(g, { x: 3.5 + i, y: 11 + (i % 2) }, 14, i % 2 ? '#95d5b2' : '#52b788');
    return;
  }
  disc(g, s.apple, 13, '#e63946');
  disc(g, { x: s.apple.x + 0.15, y: s.apple.y - 0.4 }, 4, '#80b918');
  s.body.forEach((c, i) => disc(g, c, i === 0 ? 15 : 13, i % 2 ? '#95d5b2' : '#52b788'));
  const [dx, dy] = WAYS[s.way];
  for (const side of [-1, 1]) disc(g, { x: s.body[0].x + (dx + side * dy) * 0.22, y: s.body[0].y + (dy + side * dx) * 0.22 }, 3.5, '#081c15');
}

run({ about, view, create, step, draw });
