// Three in a row against the computer: a match of some rounds, begun in turns.
import * as PIXI from 'pixi.js';
import about from './game.json';
import { run, rng, choose, chance, hud, sfx } from './kit/kit.js';
import { view } from './kit/view.js';
import { LINES, winning } from './lines.js';

const SIDE = 140;
const LEFT = 30;
const TOP = 150;
const THINK = 30; // steps
const SHOW = 70;

function create(seed, { rounds, skill }) {
  return {
    ...rng(seed), rounds, skill, score: 0, outcome: '', theirs: 0, round: 1, cells: Array(9).fill(''), turn: 'x',
    wait: 0, line: [], cursor: 4, said: '',
  };
}

// finish ends a round: two points for a win, one for a draw.
function finish(s, who) {
  if (who !== 'o') s.score += who === 'x' ? 2 : 1;
  if (who !== 'x') s.theirs += who === 'o' ? 2 : 1;
  s.said = { x: 'Your round', o: 'Their round', '': 'Nobody\'s round' }[who];
  s.turn = '';
  s.wait = SHOW;
  sfx(who === 'x' ? 'score' : 'hit');
}

function place(s, i, who) {
  s.cells[i] = who;
  sfx('move');
  s.line = LINES.find((line) => line.every((j) => s.cells[j] === who)) || [];
  if (s.line.length > 0) finish(s, who);
  else if (s.cells.every((c) => c)) finish(s, '');
  else {
    s.turn = who === 'x' ? 'o' : 'x';
    s.wait = THINK;
  }
}

// answer is the computer's move: it completes, mostly blocks, else goes anywhere.
function answer(s) {
  const open = s.cells.map((c, i) => (c ? -1 : i)).filter((i) => i >= 0);
  const own = winning(s.cells, 'o');
  const threat = winning(s.cells, 'x');
  if (own >= 0) return own;
  if (threat >= 0 && chance(s, s.skill)) return threat;
  return choose(s, open);
}

function nextRound(s) {
  if (s.round === s.rounds) {
    s.outcome = s.score > s.theirs ? 'win' : s.score < s.theirs ? 'lose' : 'draw';
    return;
  }
  Object.assign(s, { round: s.round + 1, cells: Array(9).fill(''), line: [], said: '', wait: THINK });
  s.turn = s.round % 2 ? 'x' : 'o';
}

function chosen(s, input) {
  const x = s.cursor % 3;
  const y = Math.floor(s.cursor / 3);
  const pressed = (name) => (input.pressed.includes(name) ? 1 : 0);
  s.cursor = (x + pressed('right') + 2 * pressed('left')) % 3 + 3 * ((y + pressed('down') + 2 * pressed('up')) % 3);
  if (input.pressed.includes('action')) return s.cursor;
  const column = Math.floor((input.x - LEFT) / SIDE);
  const row = Math.floor((input.y - TOP) / SIDE);
  if (!input.tapped || column < 0 || column > 2 || row < 0 || row > 2) return -1;
  s.cursor = row * 3 + column;
  return s.cursor;
}

function step(s, input) {
  const i = chosen(s, input);
  if (s.turn === 'x') {
    if (i >= 0 && !s.cells[i]) place(s, i, 'x');
  } else if (--s.wait <= 0) {
    if (s.turn === 'o') place(s, answer(s), 'o');
    else nextRound(s);
  }
}

const board = new PIXI.Graphics();

function setup(app) {
  const wall = app.stage.addChild(new PIXI.Graphics());
  ['#003049', '#05405f', '#0a5173', '#126782'].forEach((color, i) => wall.rect(0, 180 * i, 480, 181).fill(color));
  app.stage.addChild(board);
}

function mark(who, x, y, color) {
  const r = 40;
  if (who === 'o') board.circle(x, y, r).stroke({ width: 14, color });
  else {
    board.moveTo(x - r, y - r).lineTo(x + r, y + r).moveTo(x + r, y - r).lineTo(x - r, y + r);
    board.stroke({ width: 14, color });
  }
}

function draw(app, s, phase) {
  board.clear();
  if (phase === 'ready') {
    mark('x', 160, 430, '#fcbf49');
    mark('o', 320, 430, '#8ecae6');
    return;
  }
  s.cells.forEach((who, i) => {
    const [x, y] = [LEFT + (i % 3) * SIDE, TOP + Math.floor(i / 3) * SIDE];
    const color = s.line.includes(i) ? '#2a9d8f' : i === s.cursor && s.turn === 'x' ? '#2f6f9f' : '#023e5a';
    board.roundRect(x + 5, y + 5, SIDE - 10, SIDE - 10, 18).fill(color);
    if (who) mark(who, x + SIDE / 2, y + SIDE / 2, who === 'x' ? '#fcbf49' : '#8ecae6');
  });
  if (phase !== 'play') return;
  hud.text('score', s.score, 160, 60, 48, '#fcbf49');
  hud.text('theirs', s.theirs, 320, 60, 48, '#8ecae6');
  hud.text('round', s.said || 'Round ' + s.round + ' of ' + s.rounds, 240, 630, 28);
}

run({ about, view, create, step, setup, draw });
