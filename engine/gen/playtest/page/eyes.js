// What is on the screen: a print of all canvases and elements, their colours, and
// the texts that were drawn.
import { clock } from './clock.js';

const WIDE = 64;
const HIGH = 96;
const MOST_TEXTS = 400;
const texts = new Map(); // text to the frame in which it was drawn last

let drawing = true;
const sheet = document.createElement('canvas');
sheet.width = WIDE;
sheet.height = HIGH;
const ink = sheet.getContext('2d', { willReadFrequently: true });

// draw turns the drawing of WebGL off, which is what takes the time without a
// graphics card, and asks the kit's games not to compose their frames.
export function draw(on) {
  drawing = on;
  clock.seen = on;
  window.__svc_blind = !on;
}

function note(text) {
  const t = String(text);
  if (t.length > 200) return;
  if (!texts.has(t) && texts.size >= MOST_TEXTS) texts.delete(texts.keys().next().value);
  texts.set(t, clock.frame);
}

// A canvas that is painted all over in each frame is left alone while nobody looks:
// the frame that is looked at paints it anyway.
const OFTEN = 8; // frames in a row
const habits = new WeakMap();

function covers(c, x, y, w, h) {
  const m = c.getTransform();
  return m.b === 0 && m.c === 0 && x * m.a + m.e <= 1 && y * m.d + m.f <= 1 && w * m.a >= c.canvas.width - 2 && h * m.d >= c.canvas.height - 2;
}

function habit(c) {
  if (!habits.has(c)) habits.set(c, { frame: -9, times: 0, kept: false });
  return habits.get(c);
}

const skips = (c) => !drawing && habits.has(c) && habit(c).times >= OFTEN && !habit(c).kept;

function covered(c, box) {
  const h = habit(c);
  if (h.times >= OFTEN || h.frame === clock.frame || !covers(c, ...box)) return;
  h.times = h.frame === clock.frame - 1 ? h.times + 1 : 1;
  h.frame = clock.frame;
}

function flat(type) {
  for (const name of ['fill', 'stroke', 'fillRect', 'strokeRect', 'clearRect', 'drawImage', 'fillText', 'strokeText']) {
    const real = type.prototype[name];
    const texted = /Text$/.test(name);
    const wide = /^(fill|clear)Rect$/.test(name);
    type.prototype[name] = function painted(...args) {
      if (texted) note(args[0]);
      if (wide && args.length === 4) covered(this, args);
      return skips(this) ? undefined : real.apply(this, args);
    };
  }
  const real = type.prototype.getImageData;
  type.prototype.getImageData = function looked(...args) {
    habit(this).kept = true;
    return real.apply(this, args);
  };
}

export function install() {
  for (const type of [window.WebGLRenderingContext, window.WebGL2RenderingContext]) {
    for (const name of ['drawElements', 'drawArrays', 'clear', 'drawElementsInstanced', 'drawArraysInstanced']) {
      const real = type && type.prototype[name];
      if (real) type.prototype[name] = function drawn(...args) { if (drawing) real.apply(this, args); };
    }
  }
  for (const type of [window.HTMLCanvasElement, window.OffscreenCanvas]) {
    const real = type.prototype.getContext;
    type.prototype.getContext = function context(kind, options) {
      return real.call(this, kind, /webgl/.test(kind) ? Object.assign({}, options, { preserveDrawingBuffer: true }) : options);
    };
  }
  for (const type of [window.CanvasRenderingContext2D, window.OffscreenCanvasRenderingContext2D]) flat(type);
}

const VISIBLE = { opacityProperty: true, checkOpacity: true, visibilityProperty: true, checkVisibilityCSS: true };
const seen = (e) => {
  const r = e.getBoundingClientRect();
  return r.width > 1 && r.height > 1 && e.checkVisibility(VISIBLE) ? r : null;
};
const canvases = () => [...document.querySelectorAll('canvas')].filter(seen);

// place is the box of the game on the page: that of its largest canvas, or of its
// element.
export function place() {
  let best = null;
  for (const e of canvases()) {
    const r = e.getBoundingClientRect();
    if (!best || r.width * r.height > best.width * best.height) best = r;
  }
  const element = document.getElementById('game') || document.body;
  return best || element.getBoundingClientRect();
}

function hash(h, n) { return Math.imul(h ^ n, 16777619); }
function hashed(h, text) {
  let out = h;
  for (let i = 0; i < text.length; i++) out = hash(out, text.charCodeAt(i));
  return out;
}

function pixels(canvas) {
  ink.clearRect(0, 0, WIDE, HIGH);
  ink.drawImage(canvas, 0, 0, WIDE, HIGH);
  return new Uint32Array(ink.getImageData(0, 0, WIDE, HIGH).data.buffer);
}

// print tells two pictures apart.
export function print() {
  let h = 2166136261;
  for (const canvas of canvases()) {
    const data = pixels(canvas);
    for (let i = 0; i < data.length; i++) h = hash(h, data[i]);
  }
  h = hashed(h, document.body.innerText);
  const elements = document.body.querySelectorAll('*');
  for (let i = 0; i < Math.min(300, elements.length); i++) {
    const r = elements[i].getBoundingClientRect();
    h = hash(hash(hash(h, r.x * 8), r.y * 8), r.width * 8);
    h = hashed(h, elements[i].style.cssText);
  }
  return (h >>> 0).toString(16);
}

// colours counts those of the canvases, at five bits a channel, and the share of
// the commonest; null without a canvas.
export function colours() {
  let best = null;
  for (const canvas of canvases()) {
    const count = new Map();
    const data = pixels(canvas);
    for (let i = 0; i < data.length; i++) count.set(data[i] & 0xf8f8f8, (count.get(data[i] & 0xf8f8f8) || 0) + 1);
    const share = Math.max(...count.values()) / data.length;
    if (!best || count.size > best.count) best = { count: count.size, share };
  }
  return best;
}

// shown are the texts on the page, and those drawn since a frame.
export function shown(since) {
  const out = [document.body.innerText];
  texts.forEach((frame, text) => { if (frame >= since) out.push(text); });
  return out.join('\n');
}

// shows tells whether a number is among the texts.
export function shows(n, since) {
  const plain = shown(since).replace(/(\d)[,.\u00a0\u202f' ](?=\d{3}\b)/g, '$1');
  return new RegExp('(^|\\D)0*' + String(n).replace(/[.]/g, '\\.') + '(\\D|$)', 'm').test(plain);
}

// buttons are the places of what can be clicked, by its text.
export function buttons() {
  const out = [];
  for (const e of document.querySelectorAll('button, a, input, select, label, [role=button], [onclick], [data-action], [tabindex]')) {
    const r = seen(e);
    if (r && r.top < window.innerHeight && r.left < window.innerWidth) out.push({ text: (e.textContent || '').trim(), x: r.x + r.width / 2, y: r.y + r.height / 2 });
  }
  return out;
}
