// Words in the rain: type each before it reaches the ground. They come in one order.
import about from './game.json';
import { run, rng, between, hud, sfx, STEP } from './kit/kit.js';
import { view } from './kit/view.js';

const WORDS = ['storm', 'cloud', 'river', 'puddle', 'thunder', 'drizzle', 'gutter', 'umbrella', 'meadow', 'frost', 'breeze', 'harbor', 'lantern', 'willow', 'ocean', 'island'];
const GROUND = 640;
const LIVES = 3;

function create(seed, { fall, every }) {
  return { ...rng(seed), fall, every, score: 0, outcome: '', t: 0, lives: LIVES, came: 0, words: [], aim: null, typed: '', last: '', wrong: 0 };
}

function come(s) {
  const word = WORDS[s.came % WORDS.length];
  s.came++;
  s.words.push({ word, x: between(s, 90, 390), y: 90 });
}

function type(s, letter) {
  s.last = letter;
  const found = s.aim ? s.words.find((w) => w.word === s.aim) : s.words.find((w) => w.word[0] === letter);
  if (!found || found.word[s.typed.length] !== letter) {
    Object.assign(s, { aim: null, typed: '', wrong: 20 });
    return;
  }
  s.aim = found.word;
  s.typed += letter;
  if (s.typed !== found.word) return;
  s.score += found.word.length;
  s.words.splice(s.words.indexOf(found), 1);
  Object.assign(s, { aim: null, typed: '' });
  sfx('score');
}

function step(s, input) {
  if (s.t % Math.max(60, s.every - 2 * s.came) === 0) come(s);
  s.t++;
  if (s.wrong > 0) s.wrong--;
  for (const key of input.pressed) if (/^[a-z]$/.test(key)) type(s, key);
  for (const w of s.words) w.y += (s.fall + s.came) * STEP;
  const low = s.words.find((w) => w.y > GROUND);
  if (!low) return;
  if (s.aim === low.word) Object.assign(s, { aim: null, typed: '' });
  s.words.splice(s.words.indexOf(low), 1);
  sfx('hit');
  if (--s.lives === 0) s.outcome = 'lose';
}

function draw(g, s, phase) {
  const sky = g.createLinearGradient(0, 0, 0, 720);
  ['#03045e', '#023e8a', '#0077b6'].forEach((color, i) => sky.addColorStop(i / 2, color));
  g.fillStyle = sky;
  g.fillRect(0, 0, 480, 720);
  g.strokeStyle = '#90e0ef66';
  g.lineWidth = 2;
  for (let i = 0; i < 60; i++) {
    const [x, y] = [(i * 83) % 480, ((i * 131) + s.t * 6) % 640];
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x - 3, y + 14);
    g.stroke();
  }
  g.fillStyle = '#386641';
  g.fillRect(0, GROUND, 480, 80);
  if (phase === 'ready') return;
  s.words.forEach((w, i) => {
    const aimed = w.word === s.aim;
    g.fillStyle = aimed ? '#ffb703' : '#caf0f8';
    g.beginPath();
    g.roundRect(w.x - 80, w.y - 22, 160, 44, 22);
    g.fill();
    g.fillStyle = '#03045e';
    g.font = 'bold 24px "Trebuchet MS", Verdana, sans-serif';
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    g.fillText(aimed ? w.word.slice(s.typed.length) : w.word, w.x, w.y);
  });
  if (phase !== 'play') return;
  hud.text('lives', 'Lives ' + s.lives, 400, 36, 22);
  hud.text('typed', s.typed || s.last || '...', 240, 680, 32, s.wrong > 0 ? '#ff6b6b' : '#ffffff');
}

run({ about, view, create, step, draw, smooth: ['words'] });
