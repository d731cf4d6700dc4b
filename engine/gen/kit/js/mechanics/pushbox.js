// Box pushing: the hero walks over a board of walls and pushes boxes, one at a time
// and never pulls, until each stands on a mark.
import { W, STEP, base, tick, gain, note, clear, near, clamp, lerp, hash } from '../core/world.js';
import { grid, centre } from '../core/board.js';

export const meta = {
  id: 'pushbox', scroll: 'none', controls: 'swipe', hearts: false,
  extra: { box: { art: 'crate', color: '#c98a3e' }, boxhome: { art: 'crate', color: '#57b04a' } },
};

// LEVELS are boards, the easy ones first, and the moves that solve them: # a wall,
// $ a box, . a mark, @ the hero, + the hero on a mark.
export const LEVELS = [
  ['######|#----#|#@$-.#|#----#|######', 'RR'],
  ['######|#.---#|#-$--#|#---@#|######', 'llUruL'],
  ['######|###--#|#---.#|#-$$.#|#@---#|######', 'rURlluRR'],
  ['######|##--@#|#--$-#|#--$##|#-..##|######', 'dLDuulDD'],
  ['######|##--.#|#.@--#|#-$$##|#----#|######', 'lddrUdrUULuR'],
  ['######|#.--@#|#---##|#$$-##|#.--##|######', 'ldddllUUrDrdL'],
  ['######|#-.-.#|#--$-#|#@-$-#|#---##|######', 'ruRlddrUrULdlU'],
  ['######|#----#|#--..#|#-$$@#|#---##|######', 'ulllddrUluRRlddrU'],
  ['######|#@--##|#-$-##|#-#$-#|#-..-#|######', 'rrdDrdLuuulldRurDD'],
  ['######|#..--#|#-#--#|#$#@-#|#--$-#|#---##|######', 'rdLdlluUUddRdrUUUruL'],
  ['######|#----#|#--$@#|#----#|#-.$##|#-.-##|######', 'LulDDlddrrUUlDruruLulDD'],
  ['#######|#----.#|#@$-..#|#--$###|#-$--##|#-----#|#######', 'RRRllldddrUrUdlUURlluRRR'],
  ['#######|#.@$--#|#-$---#|###--$#|##----#|###-..#|#######', 'ldRuRDrrDDllUrruuLLLdRurDDD'],
  ['#######|#--#..#|#--#--#|#-$-@-#|#--$--#|#---###|#######', 'dLdlluuRRRlddlUluRRdrUUddrUU'],
  ['#######|#----##|#-$---#|#-@$$-#|#.-#-##|#..---#|#######', 'ddrruULuLulDDDuurDrrruLLLulDDrD'],
  ['#######|#-----#|#--$--#|#$--$##|#-----#|#..##-#|#.@##-#|#######', 'uuuuurDllDDDrurrULuurrdLLLDDuuulDDD'],
  ['#######|#...--#|#---$@#|#-#-###|#---$-#|#---$-#|##----#|#######', 'LLLrddddrruLruLdLUUUruLdddlluUdddRdrUUUU'],
  ['#######|#..$--#|#.$---#|#-##--#|#@----#|#--$$-#|#-.-#-#|#######', 'rrruuuLdLrrddllddrUlluuUrrrrdddLLruLLDlUU'],
  ['#######|#-----#|#--@$-#|#---$-#|#-$-#-#|##--###|#--...#|#######', 'urrdLulDDDDldRRlluUluRurDDDldRuuuurrdLulDDD'],
  [
    '#######|##-#..#|#@---.#|#-$$$-#|#---###|##---##|#--#--#|#######',
    'rrDurrdLulllddrUluRRRdLrrUllllddrUluRRldddrUUrUdlluRR',
  ],
];
const SHORT = 12; // levels that a run with a clock is made of
const WALK = 0.12; // seconds a step takes
const DIRS = { left: 'l', right: 'r', up: 'u', down: 'd' };
const BUTTONS = [{ key: 'u', x: 364, y: 124 }, { key: 'r', x: 430, y: 124 }];

/** @param {number} seed @param {GameConfig} cfg @returns {GameState} */
export function create(seed, cfg) {
  const s = base(seed, cfg, true);
  if (s.cfg.duration) s.cfg.levels = Math.min(s.cfg.levels, 4);
  lay(s);
  return s;
}

// choice is the level of the list that comes next: harder ones later, others with
// another seed.
function choice(s) {
  const most = s.cfg.duration ? SHORT : LEVELS.length;
  const first = Math.floor((((s.cfg.params.level || 1) - 1) * most) / 3); // who wants it hard begins later
  const from = Math.floor(((s.level - 1) * (most - first)) / s.cfg.levels);
  const room = Math.max(1, Math.floor((s.level * (most - first)) / s.cfg.levels) - from);
  return first + from + ((s.seed + s.level) % room);
}

function lay(s) {
  s.index = choice(s);
  s.most = 0; // boxes that were home at a time
  restart(s);
}

function restart(s) {
  const rows = LEVELS[s.index][0].split('|');
  s.cols = rows[0].length;
  s.rows = rows.length;
  s.map = rows.join('');
  s.boxes = [];
  [...s.map].forEach((c, i) => {
    if (c === '$') s.boxes.push(i);
    if (c === '@' || c === '+') s.hero = i;
  });
  s.from = s.hero;
  s.pushed = -1; // the box that is being pushed
  s.since = 1; // seconds since the last step
  s.next = ''; // a step that was asked for meanwhile
  s.face = 1;
  s.path = ''; // the steps so far; a capital is a push
  s.done = 0;
}

function shift(s, way) { return { l: -1, r: 1, u: -s.cols, d: s.cols }[way]; }
function marked(s, i) { return s.map[i] === '.' || s.map[i] === '+'; }
function home(s) { return s.boxes.filter((b) => marked(s, b)).length; }

/** @param {GameState} s @param {GameInput} input */
export function step(s, input) {
  tick(s);
  s.since += STEP;
  if (s.over) return;
  if (s.done > 0) {
    s.done -= STEP;
    if (s.done > 0) return;
    clear(s);
    if (!s.over) lay(s);
    return;
  }
  const key = asked(input);
  if (key === 'r' && s.path) {
    note(s, 'again', W / 2, 300);
    restart(s);
  } else if (key === 'u' || key === 'z') undo(s);
  s.next = wanted(s, input) || s.next;
  if (!s.next || s.since < WALK) return;
  const dir = s.next;
  s.next = '';
  walk(s, dir);
}

// asked is the key, or the key of the button, that was pressed.
function asked(input) {
  if (input.key) return input.key.toLowerCase();
  const at = input.tapped
    && input.x !== null && input.y !== null && BUTTONS.find((b) => near(input.x, input.y, b.x, b.y, 32));
  return at ? at.key : '';
}

// wanted is the step that a key, a swipe, or a tap beside the hero asks for; a key
// that is held goes on.
function wanted(s, input) {
  if (input.move) return DIRS[input.move];
  if (s.since > WALK * 1.6) {
    const held = input.left ? 'l' : input.right ? 'r' : input.up ? 'u' : input.duck ? 'd' : '';
    if (held && s.path.slice(-1).toLowerCase() === held) return held;
  }
  if (!input.tapped || input.fire || input.x === null || input.y === null || input.y < 150) return '';
  const at = centre(board(s), s.hero);
  const dx = input.x - at.x;
  const dy = input.y - at.y;
  return Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? 'l' : 'r') : dy < 0 ? 'u' : 'd';
}

function walk(s, dir) {
  const by = shift(s, dir);
  const to = s.hero + by;
  const box = s.boxes.indexOf(to);
  if (dir === 'l' || dir === 'r') s.face = dir === 'l' ? -1 : 1;
  if (s.map[to] === '#' || (box >= 0 && (s.map[to + by] === '#' || s.boxes.includes(to + by)))) return;
  s.from = s.hero;
  s.hero = to;
  s.since = 0;
  s.pushed = box;
  s.path += box < 0 ? dir : dir.toUpperCase();
  if (box < 0) return;
  s.boxes[box] += by;
  const at = centre(board(s), s.boxes[box]);
  note(s, 'push', at.x, at.y + 14);
  if (!marked(s, s.boxes[box])) return;
  const n = home(s);
  s.streak = 0;
  if (n < s.boxes.length && n > s.most) gain(s, 1, at.x, at.y);
  if (n === s.boxes.length) {
    gain(s, 3, at.x, at.y, 'perfect');
    s.done = 1.1;
  }
  s.most = Math.max(s.most, n);
}

function undo(s) {
  if (!s.path) return;
  const last = s.path.slice(-1);
  const by = shift(s, last.toLowerCase());
  s.pushed = last < 'a' ? s.boxes.indexOf(s.hero + by) : -1;
  if (s.pushed >= 0) s.boxes[s.pushed] -= by;
  s.path = s.path.slice(0, -1);
  s.from = s.hero;
  s.hero -= by;
  s.since = 0;
  s.next = '';
}

export function board(s) { return grid(s.cols, s.rows, 160, 28); }

/** @param {GameState} s @param {DrawList} d */
export function draw(s, d) {
  const g = board(s);
  const k = g.size;
  for (let i = 0; i < s.map.length; i++) ground(s, d, g, i);
  const p = clamp(s.since / WALK, 0, 1);
  const a = centre(g, s.from);
  const b = centre(g, s.hero);
  s.boxes.forEach((cell, i) => {
    const at = centre(g, cell);
    if (i === s.pushed && p < 1) {
      at.x -= (b.x - a.x) * (1 - p);
      at.y -= (b.y - a.y) * (1 - p);
    }
    const hop = s.done > 0 ? Math.abs(Math.sin((s.t + i * 0.1) * 9)) * k * 0.1 : 0;
    d.box(at.x - k * 0.4, at.y + k * 0.3, k * 0.8, k * 0.16, 'shade', { radius: k * 0.08, alpha: 0.35 });
    d.sprite(marked(s, cell) ? 'boxhome' : 'box', at.x, at.y - hop, k * 1.04);
  });
  const x = lerp(a.x, b.x, p);
  const y = lerp(a.y, b.y, p) - Math.sin(p * Math.PI) * k * 0.08;
  d.box(x - k * 0.26, y + k * 0.34, k * 0.52, k * 0.12, 'shade', { radius: k * 0.06, alpha: 0.35 });
  d.sprite('hero', x, y - k * 0.04, k * 0.98, { sx: s.face });
  const label = (s.cfg.labels.moves || 'Moves') + ' ' + s.path.length;
  d.text(label, 194, 124, 22, { color: 'text', outline: 'textInk', role: 'moves' });
  for (const button of BUTTONS) drawButton(s, d, button);
}

// ground draws a cell of the floor with its mark, or a wall that a floor touches.
function ground(s, d, g, i) {
  const at = centre(g, i);
  const r = g.size / 2;
  if (s.map[i] !== '#') {
    d.box(at.x - r, at.y - r, r * 2, r * 2,
      (i + Math.floor(i / s.cols) * ((s.cols + 1) % 2)) % 2 ? '#e9dcc0' : '#e0d0ae');
    if (!marked(s, i)) return;
    d.ring(at.x, at.y, r * 0.62, 4, '#d8334a', { alpha: 0.85 });
    d.sprite('pickup', at.x, at.y, r * (0.86 + 0.06 * Math.sin(s.t * 4 + i)));
    return;
  }
  d.box(at.x - r, at.y - r, r * 2, r * 2, '#6b4a3a');
  d.box(at.x - r, at.y - r, r * 2, r * 1.62, '#9c6f55');
  for (const row of [0, 1]) {
    const aside = row ? -0.35 : 0.25;
    d.box(at.x + r * (aside - 0.04), at.y - r + row * r * 0.8, 3, r * 0.78, '#7d5743');
    d.box(at.x - r, at.y - r + row * r * 0.8 + r * 0.76, r * 2, 3, '#7d5743', { alpha: 0.8 + 0.2 * hash(i) });
  }
}

function drawButton(s, d, { key, x, y }) {
  d.disc(x, y, 24, 'panel', { stroke: 'ink', width: 3, alpha: s.path ? 1 : 0.55 });
  if (key === 'u') {
    d.poly([[x - 14, y], [x - 1, y - 11], [x - 1, y + 11]], 'panelText');
    d.box(x - 2, y - 4, 14, 8, 'panelText');
    return;
  }
  d.ring(x, y, 10, 4, 'panelText');
  d.box(x + 2, y - 15, 12, 12, 'panel');
  d.poly([[x + 2, y - 15], [x + 2, y - 3], [x + 11, y - 9]], 'panelText');
}
