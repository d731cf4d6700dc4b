// All pictures of a game, painted once at its start: {name: canvas}. A
// renderer needs no more than these and the draw list.
import { brush, shade } from './paint.js';
import { being, crown, stands } from './beings.js';
import { hazards, pickups } from './things.js';
import { paintSky, paintLayer, paintMote } from './scenery.js';
import { vary } from './ground.js';
import { W, H } from '../core/world.js';

function canvas(w, h) {
  const el = document.createElement('canvas');
  el.width = Math.ceil(w);
  el.height = Math.ceil(h);
  return el;
}

// sprite paints in units of which 120 are the canvas' height: 100 for the
// figure and a margin for what sticks out.
function sprite(px, ink, paint) {
  const el = canvas(px, px);
  const c = el.getContext('2d');
  c.translate(px / 2, px / 2);
  c.scale(px / 120, px / 120);
  paint(brush(c, ink));
  return el;
}

function screen(w, h, scale, paint) {
  const el = canvas(w * scale, h * scale);
  const c = el.getContext('2d');
  c.scale(scale, scale);
  paint(c);
  return el;
}

// texture lays grain, a light from above and a shadow from below over what a
// sprite shows, as brushes on paper would.
function texture(el) {
  const c = el.getContext('2d');
  const n = el.width;
  c.globalCompositeOperation = 'source-atop';
  for (let i = 0; i < 260; i++) {
    const v = Math.sin(i * 127.1 + 3.7) * 43758.5453;
    const u = Math.sin(i * 311.7 + 1.3) * 24634.6345;
    c.fillStyle = i % 2 ? 'rgba(255,255,255,0.10)' : 'rgba(30,10,50,0.09)';
    c.beginPath();
    c.ellipse((v - Math.floor(v)) * n, (u - Math.floor(u)) * n, n * 0.012, n * 0.034, i, 0, 7);
    c.fill();
  }
  const light = c.createRadialGradient(n * 0.36, n * 0.26, n * 0.05, n * 0.45, n * 0.45, n * 0.62);
  light.addColorStop(0, 'rgba(255,255,255,0.34)');
  light.addColorStop(0.45, 'rgba(255,255,255,0)');
  light.addColorStop(1, 'rgba(25,8,45,0.42)');
  c.fillStyle = light;
  c.fillRect(0, 0, n, n);
  c.globalCompositeOperation = 'source-over';
  return el;
}

// drawn fits a picture of the assets folder into a sprite.
function drawn(px, img) {
  const el = canvas(px, px);
  const k = (px / 1.2) / Math.max(img.width, img.height);
  el.getContext('2d').drawImage(img, (px - img.width * k) / 2, (px - img.height * k) / 2, img.width * k,
    img.height * k);
  return el;
}

// cover fills a canvas with a picture, cutting off what is too much of it.
function cover(w, h, img) {
  const el = canvas(w, h);
  const k = Math.max(w / img.width, h / img.height);
  el.getContext('2d').drawImage(img, (w - img.width * k) / 2, (h - img.height * k) / 2, img.width * k, img.height * k);
  return el;
}

// lifted lays a soft shadow below a figure, so that it stands out from any ground.
function lifted(el) {
  const out = canvas(el.width, el.height);
  const c = out.getContext('2d');
  c.shadowColor = 'rgba(20, 8, 40, 0.38)';
  c.shadowBlur = el.height * 0.035;
  c.shadowOffsetY = el.height * 0.03;
  c.drawImage(el, 0, 0);
  return out;
}

function glow() {
  const el = canvas(256, 256);
  const c = el.getContext('2d');
  const g = c.createRadialGradient(128, 128, 8, 128, 128, 126);
  g.addColorStop(0, 'rgba(255,255,255,0.9)');
  g.addColorStop(1, 'rgba(255,255,255,0)');
  c.fillStyle = g;
  c.fillRect(0, 0, 256, 256);
  return el;
}

// crowned are bodies that wear something as it is.
const crowned = /^(king|queen|princess|knight|wizard|witch|pirate|santa|chef|elf|farmer)$/;
const wheeled = ['car', 'taxi', 'police', 'truck', 'bus', 'firetruck', 'tractor'];
const long = ['rocket', 'plane', 'fish', 'boat', 'shark', 'whale', 'dolphin', 'submarine', 'helicopter'];

// seen is what a body that faces right becomes when it is seen from above or
// from behind: another body, or the same one turned up.
function seen(b, actor, meta) {
  if (!meta.above && !meta.behind) return actor.body;
  if (wheeled.indexOf(actor.body) >= 0) {
    return meta.above ? (actor.body === 'car' || actor.body === 'taxi' ? 'cartop' : 'trucktop') : 'carback';
  }
  if (long.indexOf(actor.body) >= 0) b.c.rotate(-Math.PI / 2);
  return actor.body;
}

// textures paints for one mechanic; its meta says whether figures are seen from
// above or from behind, and in meta.extra what it shows besides the cast: actors
// with a color, by the name of their sprite.
// A picture of the assets folder takes the place of the painted one.
export function textures(game, meta, scale, loaded) {
  const p = game.palette;
  const cast = game.cast;
  const things = Object.assign({}, hazards, pickups);
  const figure = (name, px, actor, color, color2) => {
    if (loaded[name]) return drawn(px * scale, loaded[name]);
    const el = sprite(px * scale, p.ink, (b) => {
      const head = name === 'boss' && !crowned.test(actor.body) ? ['crown'] : [];
      if (name === 'hazard' && actor.body && !meta.above && !meta.behind) b.c.scale(-1, 1); // it comes the other way
      if (name === 'hero' && stands(actor.body) && !meta.above && !meta.behind) {
        b.c.translate(0, -6);
        b.c.scale(0.88, 0.88);
      }
      if (actor.art) {
        things[actor.art](b, { color });
        if (name === 'boss') crown(b);
      } else {
        const features = (actor.features || []).concat(head);
        being(b, { body: seen(b, actor, meta), features, color, color2, ink: p.ink });
      }
    });
    return lifted(game.art === 'procedural' ? texture(el) : el);
  };
  const boss = cast.boss || cast.hazard;
  const k = H / 720;
  const extra = {};
  for (const name of Object.keys(meta.extra || {})) {
    const a = meta.extra[name];
    extra[name] = figure(name, 140, a, p[a.color] || a.color || p.pickup,
      p[a.color2] || a.color2 || shade(p.pickup, 0.5));
  }
  vary(game.seed % 61);
  const layer = (kind, y, color) => screen(480, 720, scale * k, (c) => paintLayer(c, kind, y, color));
  for (const stage of game.stages || []) {
    if (!stage.scene) continue;
    const q = stage.palette;
    extra['sky@' + stage.level] = screen(W, H, scale,
      (c) => paintSky(c, Object.assign({}, game, { scene: stage.scene, palette: q }), W, H));
    extra['far@' + stage.level] = layer(stage.scene.far, 430, q.far);
    extra['near@' + stage.level] = layer(stage.scene.near, 540, q.near);
  }
  return Object.assign(extra, {
    sky: loaded.background ? cover(W * scale, H * scale, loaded.background)
      : screen(W, H, scale, (c) => paintSky(c, game, W, H)),
    far: layer(game.scene.far, 430, p.far),
    near: layer(game.scene.near, 540, p.near),
    hero: figure('hero', 220, cast.hero, p.hero, p.hero2),
    ...(game.logo ? { logo: loaded.logo ? drawn(260 * scale, loaded.logo) : glow() } : {}),
    ...(game.play.boss
      ? { boss: figure('boss', 320, boss, boss.color || p.hazard, boss.color2 || shade(boss.color || p.hazard, 0.5)) }
      : {}),
    hazard: figure('hazard', 160, cast.hazard, p.hazard, shade(p.hazard, 0.5)),
    pickup: figure('pickup', 160, cast.pickup, p.pickup, shade(p.pickup, 0.5)),
    heart: sprite(90 * scale, p.ink, (b) => things.heart(b, { color: '#ff4d6d' })),
    mote: sprite(48 * scale, p.ink, (b) => paintMote(b, game.scene.motes.kind)),
    dot: sprite(48 * scale, p.ink, (b) => {
      b.c.fillStyle = '#ffffff';
      b.c.beginPath();
      b.c.arc(0, 0, 50, 0, 7);
      b.c.fill();
    }),
    glow: glow(),
    sound: sprite(60 * scale, p.ink, (b) => paintSpeaker(b, true)),
    mute: sprite(60 * scale, p.ink, (b) => paintSpeaker(b, false)),
  });
}

function paintSpeaker(b, on) {
  b.oval(0, 0, 46, 46, '#fffaf0');
  b.poly([[-26, -9], [-12, -9], [6, -26], [6, 26], [-12, 9], [-26, 9]], b.ink === '#ffffff' ? '#2a2233' : b.ink,
    { line: 0, flat: true });
  if (on) for (const r of [14, 25]) b.stroke((c) => c.arc(6, 0, r, -0.8, 0.8), 5);
  else b.stroke((c) => { c.moveTo(14, -12); c.lineTo(34, 12); c.moveTo(34, -12); c.lineTo(14, 12); }, 6);
}
