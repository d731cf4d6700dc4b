// What a person plays, as a check says it: inputs by the frame since the game was ready,
// and what came of them.
const MOST_FRAMES = 3600; // of a check
const MOST_INPUTS = 4000;
const OPENING = 2; // frames that the judge lets pass first

const play = { ready: -1, starts: 0, run: null, inputs: [], kept: null };

// at is the frame of the play, -1 before it.
const at = () => (play.ready < 0 ? -1 : Math.max(0, clock.frame - play.ready));

const scored = (score) => { if (play.run && Number.isFinite(score)) play.run.score = score; };

const svcCalls = {
	ready: (real) => (callback) => { if (play.ready < 0) play.ready = clock.frame + OPENING; return real(callback); },
	track: (real) => (name, props) => {
		if (name === "start") {
			play.starts++;
			play.run = { score: 0, ended: false, outcome: "" };
		} else if (name === "score") scored(props?.score);
		return real(name, props);
	},
	endGame: (real) => (result, callback) => {
		if (play.run && !play.run.ended) {
			Object.assign(play.run, { ended: true, outcome: String(result?.outcome ?? "") });
			scored(result?.score);
		}
		return real(result, callback);
	},
};

let library;
Object.defineProperty(window, "svc", {
	configurable: true, // a script may declare a name of its own over it
	get: () => library,
	set(value) {
		library = value;
		if (!value || typeof value !== "object") return;
		for (const [name, wrap] of Object.entries(svcCalls)) {
			value[name] = wrap(typeof value[name] === "function" ? value[name].bind(value) : () => undefined);
		}
	},
});

// box is where the game is: its largest canvas, or its element.
const box = () => {
	let best = null;
	for (const canvas of document.querySelectorAll("canvas")) {
		const r = canvas.getBoundingClientRect();
		if (!best || r.width * r.height > best.width * best.height) best = r;
	}
	return best ?? (document.getElementById("game") ?? document.body).getBoundingClientRect();
};

const note = (input) => {
	const frame = at();
	if (frame < 0 || frame >= MOST_FRAMES || play.inputs.length >= MOST_INPUTS) return;
	const before = play.inputs.at(-1);
	if (input.move && before?.move && before.at === frame) play.inputs.pop(); // what a frame sees of it is its end
	play.inputs.push({ at: frame, ...input });
};

const pointed = (what) => (event) => {
	if (!event.isTrusted || !event.isPrimary) return;
	const r = box();
	const share = (v, from, size) => Math.round(((v - from) / (size || 1)) * 1e4) / 1e4;
	note({ ...what(event), x: share(event.clientX, r.left, r.width), y: share(event.clientY, r.top, r.height) });
};
const keyed = (member) => (event) => {
	if (!event.isTrusted || event.repeat || event.ctrlKey || event.metaKey) return;
	note({ [member]: event.key });
};
for (const [type, take] of Object.entries({
	pointerdown: pointed((event) => (event.button === 2 ? { alt: true } : { down: true })),
	pointermove: pointed(() => ({ move: true })),
	pointerup: pointed((event) => (event.button === 2 ? {} : { up: true })),
	keydown: keyed("key"),
	keyup: keyed("keyUp"),
})) addEventListener(type, take, { capture: true });

// played is the play so far, as a check without a name.
const played = () => {
	const { run, starts } = play;
	const expect = { started: starts, ended: Boolean(run?.ended) };
	if (run) expect.score = { min: run.score, max: run.score };
	if (run?.ended) expect.outcome = run.outcome;
	return { seed, frames: Math.min(at(), MOST_FRAMES), inputs: play.inputs, expect };
};
clock.after = () => { if (!play.kept && at() >= MOST_FRAMES) play.kept = played(); };
