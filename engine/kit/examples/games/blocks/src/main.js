// Falling blocks: pieces of four cells, rows that vanish when they are full.
import about from './game.json';
import { run, rng, random, hud, sfx } from './kit/kit.js';
import { view } from './kit/view.js';
import { COLS, ROWS, free, cells, turned, landing } from './board.js';

const CELL = 32;
const LEFT = 80;
const TOP = 116;
const SHAPES = [
  [[0, 0], [1, 0], [2, 0], [3, 0]], [[0, 0], [1, 0], [0, 1], [1, 1]], [[0, 0], [1, 0], [2, 0], [1, 1]],
  [[0, 0], [1, 0], [2, 0], [0, 1]], [[0, 0], [1, 0], [2, 0], [2, 1]], [[0, 0], [1, 0], [1, 1], [2, 1]],
  [[1, 0], [2, 0], [0, 1], [1, 1]],
];
const COLORS = ['#4cc9f0', '#ffd166', '#b388eb', '#f3722c', '#4d7cfe', '#ef476f', '#06d6a0'];
const REPEAT = 7; // steps between two moves of a direction that is held

// next takes a piece of a bag that holds each shape once.
function next(s) {
  if (s.bag.length === 0) s.bag = SHAPES.map((shape, i) => i);
  const kind = s.bag.splice(Math.floor(random(s) * s.bag.length), 1)[0];
  s.piece = { kind, x: 3, y: 0, shape: SHAPES[kind] };
  s.wait = 0;
  if (!free(s, s.piece)) s.outcome = 'lose';
}

function create(seed, { pause, hurry }) {
  const s = {
    ...rng(seed), pause, hurry, score: 0, outcome: '', rows: 0, grid: [], bag: [], piece: null, wait: 0, held: 0,
  };
  for (let y = 0; y < ROWS; y++) s.grid.push(Array(COLS).fill(-1));
  next(s);
  return s;
}

function tryTo(s, change) {
  const moved = { ...s.piece, ...change };
  if (!free(s, moved)) return false;
  s.piece = moved;
  return true;
}

function settle(s) {
  for (const [x, y] of cells(s.piece)) s.grid[y][x] = s.piece.kind;
  const left = s.grid.filter((row) => row.includes(-1));
  const full = ROWS - left.length;
  while (left.length < ROWS) left.unshift(Array(COLS).fill(-1));
  s.grid = left;
  s.rows += full;
  s.score += [0, 1, 3, 6, 10][full];
  sfx(full > 0 ? 'score' : 'hit');
  next(s);
}

function step(s, input) {
  const way = input.left ? -1 : input.right ? 1 : 0;
  s.held = way === 0 ? 0 : s.held + 1;
  if (way !== 0 && s.held % REPEAT === 1) tryTo(s, { x: s.piece.x + way });
  if (input.tapped || input.pressed.includes('up')) tryTo(s, { shape: turned(s.piece.shape) });
  if (input.pressed.includes('down') || input.pressed.includes('action')) {
    s.piece.y = landing(s, s.piece);
    settle(s);
    return;
  }
  const pause = Math.max(6, s.pause - s.hurry * Math.floor(s.rows / 5));
  if (++s.wait < pause) return;
  s.wait = 0;
  if (!tryTo(s, { y: s.piece.y + 1 })) settle(s);
}

function cell(g, x, y, color, alpha) {
  g.globalAlpha = alpha;
  g.fillStyle = color;
  g.beginPath();
  g.roundRect(LEFT + x * CELL + 1, TOP + y * CELL + 1, CELL - 2, CELL - 2, 6);
  g.fill();
  g.globalAlpha = 1;
}

function draw(g, s, phase) {
  const sky = g.createLinearGradient(0, 0, 0, 720);
  ['#10002b', '#240046', '#3c096c'].forEach((color, i) => sky.addColorStop(i / 2, color));
  g.fillStyle = sky;
  g.fillRect(0, 0, 480, 720);
  if (phase === 'ready') {
    SHAPES.forEach((shape, i) => {
      for (const [x, y] of shape) cell(g, x + (i % 2) * 6, y + Math.floor(i / 2) * 2 + 9, COLORS[i], 0.8);
    });
    return;
  }
  g.fillStyle = 'rgba(0, 0, 0, 0.45)';
  g.fillRect(LEFT, TOP, COLS * CELL, ROWS * CELL);
  s.grid.forEach((row, y) => row.forEach((kind, x) => { if (kind >= 0) cell(g, x, y, COLORS[kind], 1); }));
  const ghost = { ...s.piece, y: landing(s, s.piece) };
  for (const [x, y] of cells(ghost)) cell(g, x, y, COLORS[s.piece.kind], 0.25);
  for (const [x, y] of cells(s.piece)) cell(g, x, y, COLORS[s.piece.kind], 1);
  if (phase === 'play') hud.text('rows', 'Rows ' + s.rows, 400, 36, 22);
}

run({ about, view, create, step, draw });
