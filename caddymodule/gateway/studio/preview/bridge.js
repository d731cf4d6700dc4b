// What the studio puts before the scripts of a game that it shows: it says what goes
// wrong there, and does what the buttons around it ask for. It runs in the game's own
// realm, so the studio believes nothing of it.
const most = 3000; // characters of a message
let port = null;
const unsaid = [];
const say = (type, members, transfer = []) => {
	const message = { v: 1, type, ...members };
	if (port) port.postMessage(message, transfer);
	else if (unsaid.length < 50) unsaid.push(message);
};
const report = () => say("at", { frame: clock.frame, held: clock.held });

addEventListener("message", (event) => {
	if (port || event.data !== "svc-studio" || !event.ports[0]) return;
	port = event.ports[0];
	port.addEventListener("message", ({ data }) => commands[data?.type]?.(data));
	port.start();
	say("loaded", { seed });
	for (const message of unsaid.splice(0)) port.postMessage(message);
});
addEventListener("error", (event) => {
	if (!event.message) return; // a file that did not load
	const file = String(event.filename).split("/").slice(5).join("/").split("?")[0];
	say("error", { text: String(event.message).slice(0, most), file: file.slice(0, 200), line: event.lineno });
});
addEventListener("unhandledrejection", (event) => {
	say("error", { text: `Unhandled: ${String(event.reason).slice(0, most)}`, file: "", line: 0 });
});
const { error } = console;
console.error = (...list) => {
	say("console", { text: list.map(String).join(" ").slice(0, most) });
	error.apply(console, list);
};

// Sounds go through something that can be turned down.
let muted = false;
const contexts = new Set();
const players = new Set();
const volumes = new Map();
for (const name of ["AudioContext", "webkitAudioContext"]) {
	const Real = window[name];
	if (!Real) continue;
	window[name] = class extends Real {
		constructor(...args) {
			super(...args);
			const volume = this.createGain();
			volume.gain.value = muted ? 0 : 1;
			volume.connect(super.destination);
			volumes.set(this, volume);
			contexts.add(this);
		}

		get destination() { return volumes.get(this) ?? super.destination; }
	};
}
const start = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function play() {
	players.add(this);
	this.addEventListener("ended", () => players.delete(this), { once: true });
	this.muted = muted;
	return start.call(this);
};

// What WebGL drew is there for a shot after its frame, too.
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function getContext(type, attributes) {
	const drawn = /^webgl/.test(type) ? { ...attributes, preserveDrawingBuffer: true } : attributes;
	return context.call(this, type, drawn);
};

// shot is a picture of all canvases, as they lie on the page.
async function shot() {
	const sheet = document.createElement("canvas");
	const scale = Math.min(2, devicePixelRatio, 2000 / Math.max(innerWidth, innerHeight));
	sheet.width = innerWidth * scale;
	sheet.height = innerHeight * scale;
	const g = context.call(sheet, "2d");
	g.scale(scale, scale);
	for (const canvas of document.querySelectorAll("canvas")) {
		const r = canvas.getBoundingClientRect();
		if (r.width && r.height) g.drawImage(canvas, r.left, r.top, r.width, r.height);
	}
	const made = await new Promise((done) => { sheet.toBlob(done, "image/png"); });
	return made.arrayBuffer();
}

const commands = {
	hold({ on }) {
		clock.held = Boolean(on);
		for (const one of contexts) (clock.held ? one.suspend() : one.resume()).catch(() => null);
		for (const one of players) {
			if (clock.held) one.pause();
			else start.call(one).catch(() => null);
		}
		report();
	},
	async step() {
		if (clock.held && !busy) await step();
		report();
	},
	mute({ on }) {
		muted = Boolean(on);
		for (const volume of volumes.values()) volume.gain.value = muted ? 0 : 1;
		for (const one of players) one.muted = muted;
	},
	shot: () => shot().then((png) => say("shot", { png }, [png]), () => say("shot", { png: null })),
	play: () => say("play", { play: play.kept ?? played() }),
};
