// A clock of the page's own: frames, timers, dates and chance follow from the
// number of steps alone. It is there before the game, from the first moment.
const EPOCH = 1767268800000; // 2026-01-01, noon
const FRAME = 1000 / 60; // ms
const MOST = 2000; // callbacks of one step, for timers that set themselves anew

const own = {
  frame: window.requestAnimationFrame.bind(window),
  timeout: window.setTimeout.bind(window),
  now: performance.now.bind(performance),
};
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const post = channel.port2.postMessage.bind(channel.port2);

export const clock = { frame: 0, now: 0, hidden: false, spent: 0, loading: 0, stride: 1, seen: true };
let ids = 0;
let frames = new Map();
const timers = new Map();

// breathe lets promises and events have their turn.
export const breathe = () => new Promise((done) => { waiting.push(done); post(0); });
export const pause = (ms) => new Promise((done) => { own.timeout(done, ms); });
export const wall = () => own.now();
export const painted = () => new Promise((done) => { own.frame(() => own.frame(done)); });

function later(callback, ms, every, args) {
  const wait = Math.max(every ? 4 : 0, Number(ms) || 0);
  timers.set(++ids, { at: clock.now + wait, every: every ? wait : 0, callback, args });
  return ids;
}

function run(callback, args) {
  try {
    if (typeof callback === 'function') callback.apply(window, args);
  } catch (e) {
    window.reportError(e);
  }
}

function nextTimer(until) {
  let found = 0;
  let at = until;
  timers.forEach((t, id) => {
    if (t.at < at || (t.at === at && found === 0)) {
      found = id;
      at = t.at;
    }
  });
  return found;
}

// step lets a sixtieth of a second pass. A page that is not seen gets no frames, and
// while nobody looks only each of a stride is shown to those that make up for it.
export async function step() {
  const began = own.now();
  const until = (clock.frame + 1) * FRAME;
  for (let n = 0; n < MOST; n++) {
    const id = nextTimer(until);
    if (!id) break;
    const t = timers.get(id);
    clock.now = Math.max(clock.now, t.at);
    if (t.every) t.at = clock.now + t.every; else timers.delete(id);
    run(t.callback, t.args);
  }
  clock.now = until;
  clock.frame++;
  if (!clock.hidden && (clock.seen || clock.frame % clock.stride === 0)) {
    const batch = frames;
    frames = new Map();
    batch.forEach((callback) => run(callback, [clock.now]));
  }
  clock.spent += own.now() - began;
  await breathe();
}

function chance(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function dates() {
  const Real = window.Date;
  function Fake(...args) {
    if (!new.target) return new Real(EPOCH + clock.now).toString();
    return args.length === 0 ? new Real(EPOCH + clock.now) : new Real(...args);
  }
  Fake.prototype = Real.prototype;
  Real.prototype.constructor = Fake;
  Fake.now = () => EPOCH + Math.floor(clock.now);
  Fake.parse = Real.parse;
  Fake.UTC = Real.UTC;
  window.Date = Fake;
}

// storage is one that lasts as long as the page.
function storage() {
  const kept = new Map();
  const api = {
    getItem: (k) => (kept.has(String(k)) ? kept.get(String(k)) : null),
    setItem: (k, v) => { kept.set(String(k), String(v)); },
    removeItem: (k) => { kept.delete(String(k)); },
    clear: () => { kept.clear(); },
    key: (i) => [...kept.keys()][i] || null,
  };
  return new Proxy(api, {
    get: (o, k) => (k in o ? o[k] : k === 'length' ? kept.size : kept.get(String(k))),
    set: (o, k, v) => { kept.set(String(k), String(v)); return true; },
    deleteProperty: (o, k) => { kept.delete(String(k)); return true; },
  });
}

// loads counts the pictures that are on their way: no time passes meanwhile.
function loads() {
  const src = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src');
  const seen = new WeakSet();
  const done = (e) => { if (seen.delete(e.target)) clock.loading--; };
  Object.defineProperty(HTMLImageElement.prototype, 'src', Object.assign({}, src, {
    set(value) {
      if (!seen.has(this)) {
        seen.add(this);
        clock.loading++;
        for (const type of ['load', 'error']) this.addEventListener(type, done, { once: true });
      }
      src.set.call(this, value);
    },
  }));
  const decode = HTMLImageElement.prototype.decode;
  HTMLImageElement.prototype.decode = function decoded() {
    clock.loading++;
    return decode.call(this).finally(() => { clock.loading--; });
  };
}

export function install(seed) {
  window.requestAnimationFrame = (callback) => { frames.set(++ids, callback); return ids; };
  window.cancelAnimationFrame = (id) => { frames.delete(id); };
  window.setTimeout = (callback, ms, ...args) => later(callback, ms, false, args);
  window.setInterval = (callback, ms, ...args) => later(callback, ms, true, args);
  window.clearTimeout = window.clearInterval = (id) => { timers.delete(id); };
  window.requestIdleCallback = (callback) => later(callback, 1, false, [{ didTimeout: false, timeRemaining: () => 8 }]);
  window.cancelIdleCallback = window.clearTimeout;
  performance.now = () => clock.now;
  Math.random = chance(seed);
  dates();
  loads();
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: storage(), configurable: true });
  Object.defineProperty(document, 'hidden', { get: () => clock.hidden, configurable: true });
  Object.defineProperty(document, 'visibilityState', { get: () => (clock.hidden ? 'hidden' : 'visible'), configurable: true });
}
