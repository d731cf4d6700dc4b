// Towers at the brook: beetles follow the path, towers on stones shoot the foremost in reach.
import about from './game.json';
import { run, rng, hud, hypot, near, sfx, STEP } from './kit/kit.js';
import { view } from './kit/view.js';

const PATH = [[0, 120], [780, 120], [780, 330], [180, 330], [180, 470], [960, 470]];
const STONES = [[260, 190], [520, 190], [700, 225], [610, 400], [330, 400], [860, 390]];
const REACH = 130;
const LOAD = 26; // steps between two shots
const ALL = 40; // beetles
const LIVES = 5;

function create(seed, { coins, price, speed }) {
  return { ...rng(seed), coins, price, speed, score: 0, outcome: '', t: 0, lives: LIVES, came: 0, beetles: [], towers: [], shots: [] };
}

// place is where on the path one is who has gone so far, null at its end.
function place(far) {
  let left = far;
  for (let i = 1; i < PATH.length; i++) {
    const [ax, ay] = PATH[i - 1];
    const [bx, by] = PATH[i];
    const long = hypot(bx - ax, by - ay);
    if (left < long) return { x: ax + ((bx - ax) * left) / long, y: ay + ((by - ay) * left) / long };
    left -= long;
  }
  return null;
}

function build(s, stone) {
  if (stone < 0 || s.coins < s.price || s.towers.some((t) => t.stone === stone)) return;
  s.coins -= s.price;
  s.towers.push({ stone, x: STONES[stone][0], y: STONES[stone][1], wait: 0 });
  sfx('move');
}

function shoot(s, tower) {
  if (tower.wait-- > 0) return;
  const aim = s.beetles.find((b) => near(b.x, b.y, tower.x, tower.y, REACH));
  if (!aim) return;
  tower.wait = LOAD;
  aim.life--;
  s.shots.push({ x: tower.x, y: tower.y, toX: aim.x, toY: aim.y, left: 8 });
  if (aim.life > 0) return;
  s.beetles.splice(s.beetles.indexOf(aim), 1);
  s.score++;
  s.coins += 2;
  sfx('score');
}

function walk(s) {
  for (const b of s.beetles) {
    b.far += (s.speed + s.came) * STEP;
    Object.assign(b, place(b.far) || { home: true });
  }
  const home = s.beetles.filter((b) => b.home).length;
  s.beetles = s.beetles.filter((b) => !b.home);
  s.lives = Math.max(0, s.lives - home);
  if (home > 0) sfx('hit');
}

function step(s, input) {
  const keyed = input.pressed.map((key) => '123456'.indexOf(key)).find((i) => i >= 0) ?? -1;
  build(s, input.tapped ? STONES.findIndex(([x, y]) => near(x, y, input.x, input.y, 44)) : keyed);
  if (s.t++ % 70 === 30 && s.came < ALL) {
    s.beetles.push({ ...place(0), far: 0, life: 3 + Math.floor(s.came / 5), home: false });
    s.came++;
  }
  walk(s);
  for (const tower of s.towers) shoot(s, tower);
  for (const shot of s.shots) shot.left--;
  s.shots = s.shots.filter((shot) => shot.left > 0);
  if (s.lives === 0) s.outcome = 'lose';
  else if (s.came === ALL && s.beetles.length === 0) s.outcome = 'win';
}

const shown = { beetles: [], shots: [] };

// legs are the parts of the path, as rectangles.
const legs = PATH.slice(1).map(([bx, by], i) => [(PATH[i][0] + bx) / 2, (PATH[i][1] + by) / 2, Math.abs(bx - PATH[i][0]) + 46, Math.abs(by - PATH[i][1]) + 46]);

function setup(scene) {
  scene.add.rectangle(480, 270, 960, 540, 0x344e41);
  for (let i = 0; i < 40; i++) scene.add.rectangle((i * 197) % 960, (i * 131) % 540, 14, 14, 0x3a5a40).setAngle(45);
  for (const [x, y, w, h] of legs) scene.add.rectangle(x, y, w, h, 0xa98467);
  shown.towers = STONES.map(([x, y]) => {
    scene.add.circle(x, y, 34, 0x6c757d).setStrokeStyle(4, 0xadb5bd);
    return scene.add.container(x, y, [scene.add.rectangle(0, 0, 44, 44, 0x003566), scene.add.rectangle(0, -6, 20, 20, 0xffc300)]);
  });
}

// one is the i-th of a list of objects that are made as they are needed.
function one(list, i, make) {
  if (!list[i]) list[i] = make();
  return list[i].setVisible(true);
}

function draw(scene, s, phase) {
  for (const o of [...shown.beetles, ...shown.shots]) o.setVisible(false);
  shown.towers.forEach((o, i) => o.setVisible(s.towers.some((t) => t.stone === i)));
  s.beetles.forEach((b, i) => {
    const made = one(shown.beetles, i, () => scene.add.container(0, 0, [
      scene.add.ellipse(0, 0, 34, 28, 0x9d0208), scene.add.rectangle(0, -8, 14, 10, 0x370617), scene.add.rectangle(0, -22, 30, 4, 0xffba08),
    ]));
    made.setPosition(b.x, b.y).list[2].setScale(b.life / 8, 1);
  });
  s.shots.forEach((shot, i) => {
    const far = shot.left / 8;
    one(shown.shots, i, () => scene.add.rectangle(0, 0, 10, 10, 0xffffff)).setPosition(shot.toX + (shot.x - shot.toX) * far, shot.toY + (shot.y - shot.toY) * far);
  });
  if (phase !== 'play') return;
  STONES.forEach(([x, y], i) => { if (!s.towers.some((t) => t.stone === i)) hud.text('stone' + (i + 1), i + 1, x, y, 22); });
  hud.text('coins', 'Coins ' + s.coins, 230, 36, 24, '#ffc300');
  hud.text('lives', 'Lives ' + s.lives, 740, 36, 24);
}

run({ about, view, create, step, setup, draw, smooth: ['beetles'] });
