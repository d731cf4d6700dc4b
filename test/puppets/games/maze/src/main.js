// The hedge maze, seen by one who walks in it: roses to gather, a fountain to find.
import * as THREE from 'three';
import about from './game.json';
import { run, rng, hud, lerp, sfx, sin, cos, PI } from './kit/kit.js';
import { view } from './kit/view.js';

const MAZE = [
  '###########',
  '#S..r#..r.#',
  '###.##.##.#',
  '#r..#..#..#',
  '#.###.##.##',
  '#...r.#.r.#',
  '#####.###.#',
  '#r....#..E#',
  '###########',
];
const WAYS = [[0, -1], [1, 0], [0, 1], [-1, 0]]; // north, east, south, west
const WIDE = 4;

const at = (x, y) => MAZE[y][x];

function roses() {
  const found = [];
  MAZE.forEach((line, y) => [...line].forEach((c, x) => { if (c === 'r') found.push({ x, y, taken: false }); }));
  return found;
}

function create(seed, { seconds, pace }) {
  const start = { x: 1, y: 1, way: 1 };
  return { ...rng(seed), pace, score: 0, outcome: '', left: seconds * 60, me: start, was: { ...start, turn: 1 }, turn: 1, moved: pace, roses: roses() };
}

// go begins a step forward or back, unless a hedge is there.
function go(s, sign) {
  const [dx, dy] = WAYS[s.me.way];
  const [x, y] = [s.me.x + dx * sign, s.me.y + dy * sign];
  if (at(x, y) === '#') {
    sfx('hit');
    return;
  }
  begin(s);
  Object.assign(s.me, { x, y });
  const rose = s.roses.find((r) => !r.taken && r.x === x && r.y === y);
  if (rose) {
    rose.taken = true;
    s.score++;
    sfx('score');
  }
  if (at(x, y) === 'E') {
    s.score += 3;
    s.outcome = 'win';
  }
}

function begin(s) {
  s.was = { ...s.me, turn: s.turn };
  s.moved = 0;
}

function step(s, input) {
  if (--s.left <= 0) s.outcome = 'lose';
  if (s.moved < s.pace) {
    s.moved++;
    return;
  }
  const turn = (input.right ? 1 : 0) - (input.left ? 1 : 0);
  if (turn !== 0) {
    begin(s);
    s.turn += turn; // grows beyond a whole turn, so that it turns the short way
    s.me.way = (s.me.way + turn + 4) % 4;
  } else if (input.up) go(s, 1);
  else if (input.down) go(s, -1);
}

const shown = { roses: [] };

function leaf(color) { return new THREE.MeshStandardMaterial({ color }); }

function setup({ scene }) {
  scene.background = new THREE.Color('#8ecae6');
  scene.fog = new THREE.Fog('#8ecae6', 6, 40);
  scene.add(new THREE.HemisphereLight('#ffffff', '#386641', 2.5));
  const floor = new THREE.Mesh(new THREE.BoxGeometry(60, 0.2, 60), leaf('#a3b18a'));
  floor.position.set(20, -1.6, 16);
  scene.add(floor);
  const hedges = ['#2d6a4f', '#40916c', '#1b4332'].map(leaf);
  const box = new THREE.BoxGeometry(WIDE, 3.4, WIDE);
  MAZE.forEach((line, y) => [...line].forEach((c, x) => {
    if (c !== '#') return;
    const hedge = new THREE.Mesh(box, hedges[(x + 2 * y) % 3]);
    hedge.position.set(x * WIDE, 0, y * WIDE);
    scene.add(hedge);
  }));
  shown.roses = roses().map(({ x, y }) => {
    const rose = new THREE.Mesh(new THREE.TorusKnotGeometry(0.35, 0.14, 40, 8), leaf('#e63946'));
    rose.position.set(x * WIDE, -0.4, y * WIDE);
    scene.add(rose);
    return rose;
  });
  const fountain = new THREE.Mesh(new THREE.ConeGeometry(0.9, 2, 16), leaf('#4cc9f0'));
  fountain.position.set(9 * WIDE, -0.6, 7 * WIDE);
  scene.add(fountain);
}

function draw({ camera }, s, phase) {
  const far = Math.min(1, s.moved / s.pace);
  const turn = lerp(s.was.turn, s.turn, far);
  const [x, y] = [lerp(s.was.x, s.me.x, far) * WIDE, lerp(s.was.y, s.me.y, far) * WIDE];
  camera.position.set(x, 0, y);
  camera.lookAt(x + sin((turn * PI) / 2), 0, y - cos((turn * PI) / 2));
  shown.roses.forEach((rose, i) => {
    rose.visible = !s.roses[i].taken;
    rose.rotation.y = s.left / 30;
  });
  if (phase === 'play') hud.text('seconds', Math.ceil(s.left / 60) + ' s', 860, 36, 24);
}

run({ about, view, create, step, setup, draw });
