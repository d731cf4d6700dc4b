// A clock of the page's own, as the engine's judge has one: frames, timers, dates and
// chance follow from the number of steps alone, so that a play can be held, stepped
// through and played again from its inputs. Real time turns it, sixty steps a second.
const FRAME = 1000 / 60; // ms
const MOST_TIMERS = 2000; // callbacks of one step, for timers that set themselves anew
const MOST_STEPS = 6; // that are made up for in a frame of the screen
const PATIENCE = 12_000; // ms that pictures may take to load before time passes all the same

const own = { frame: requestAnimationFrame.bind(window), now: performance.now.bind(performance) };
const clock = { frame: 0, now: 0, held: false, loading: 0, after: () => {} };
let ids = 0;
let frames = new Map();
const timers = new Map();

// breathe lets promises and events have their turn.
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const wake = channel.port2.postMessage.bind(channel.port2); // whatever a game makes of all ports
const breathe = () => new Promise((done) => { waiting.push(done); wake(0); });

const later = (callback, ms, every, args) => {
	const wait = Math.max(every ? 4 : 0, Number(ms) || 0);
	timers.set(++ids, { at: clock.now + wait, every: every ? wait : 0, callback, args });
	return ids;
};

const run = (callback, args) => {
	try {
		if (typeof callback === "function") callback.apply(window, args);
	} catch (e) {
		reportError(e);
	}
};

const nextTimer = (until) => {
	let found = 0;
	let at = until;
	for (const [id, t] of timers) {
		if (t.at < at || t.at === at && !found) [found, at] = [id, t.at];
	}
	return found;
};

// step lets a sixtieth of a second pass.
async function step() {
	const until = (clock.frame + 1) * FRAME;
	for (let n = 0; n < MOST_TIMERS; n++) {
		const id = nextTimer(until);
		if (!id) break;
		const t = timers.get(id);
		clock.now = Math.max(clock.now, t.at);
		if (t.every) t.at = clock.now + t.every;
		else timers.delete(id);
		run(t.callback, t.args);
	}
	clock.now = until;
	clock.frame++;
	const batch = frames;
	frames = new Map();
	for (const callback of batch.values()) run(callback, [clock.now]);
	await breathe();
	clock.after();
}

let last = own.now();
let debt = 0;
let busy = false;
async function turn() {
	own.frame(turn);
	const now = own.now();
	const loading = (document.readyState !== "complete" || clock.loading > 0) && now < PATIENCE;
	if (!clock.held && !loading) debt = Math.min(debt + now - last, MOST_STEPS * FRAME);
	last = now;
	if (busy || clock.held || loading) return;
	busy = true;
	const begun = own.now();
	for (; debt > 1e-3 && !clock.held; debt -= FRAME) {
		await step();
		if (own.now() - begun < FRAME) continue;
		debt = 0; // it takes longer than it lasts: what is made up for would be late too
		break;
	}
	busy = false;
}

const chance = (seed) => {
	let a = seed >>> 0;
	return () => {
		a = (a + 0x6d2b79f5) | 0;
		let t = Math.imul(a ^ (a >>> 15), 1 | a);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
};

const dates = (epoch) => {
	const Real = Date;
	function Fake(...args) {
		if (!new.target) return new Real(epoch + clock.now).toString();
		return Reflect.construct(Real, args.length ? args : [epoch + clock.now], new.target);
	}
	Fake.prototype = Real.prototype;
	Real.prototype.constructor = Fake;
	Fake.now = () => epoch + Math.floor(clock.now);
	Fake.parse = Real.parse;
	Fake.UTC = Real.UTC;
	window.Date = Fake;
};

// loads counts the pictures that are on their way. Without crossorigin those of a file
// can be shown and not read, as a texture or in a shot: the page has no origin.
const loads = () => {
	const src = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
	const seen = new WeakSet();
	const done = (e) => { if (seen.delete(e.target)) clock.loading--; };
	Object.defineProperty(HTMLImageElement.prototype, "src", Object.assign({}, src, {
		set(value) {
			if (!seen.has(this)) {
				seen.add(this);
				clock.loading++;
				for (const type of ["load", "error"]) this.addEventListener(type, done, { once: true });
			}
			if (this.crossOrigin === null && !/^(data|blob):/.test(value)) this.crossOrigin = "anonymous";
			src.set.call(this, value);
		},
	}));
};

const JUDGED = 1767268800000; // 2026-01-01, noon: the date of a play with a seed of its own
const asked = Number(new URLSearchParams(location.search).get("seed"));
const seeded = Number.isInteger(asked) && asked > 0 && asked < 2 ** 32;
const seed = seeded ? asked : crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000 || 1;
window.requestAnimationFrame = (callback) => { frames.set(++ids, callback); return ids; };
window.cancelAnimationFrame = (id) => { frames.delete(id); };
window.setTimeout = (callback, ms, ...args) => later(callback, ms, false, args);
window.setInterval = (callback, ms, ...args) => later(callback, ms, true, args);
window.clearTimeout = window.clearInterval = (id) => { timers.delete(id); };
window.requestIdleCallback = (callback) => later(callback, 1, false, [{ didTimeout: false, timeRemaining: () => 8 }]);
window.cancelIdleCallback = window.clearTimeout;
performance.now = () => clock.now;
Math.random = chance(seed);
dates(seeded ? JUDGED : Date.now());
loads();
own.frame(turn);
