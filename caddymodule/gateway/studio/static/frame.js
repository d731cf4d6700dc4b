// The game in its frame, joined by a port. The game is hostile: of what comes from it only
// messages of a closed list are taken, so many a second, and as data.

const maxASecond = 20; // of each type
const maxText = 4096;

// joinGame joins a frame and hands its messages to handlers by their type; begin says that
// they are of another run. It returns what sends to the game.
export function joinGame(frame, begin, handlers) {
	const inSecond = new Map(); // by type: a game that fails each frame can be held all the same
	setInterval(() => { inSecond.clear(); }, 1000);
	let current = null;
	frame.addEventListener("load", join);
	join(); // it may be loaded already
	return (type, members) => current?.postMessage({ type, ...members });

	// join offers the frame a port. A game takes one: the first message by it is that
	// of another run.
	function join() {
		const { port1, port2 } = new MessageChannel();
		port1.addEventListener("message", ({ data }) => {
			if (current !== port1) {
				current?.close();
				current = port1;
				inSecond.clear(); // else what the run before said leaves this one no word
				begin();
			}
			if (data?.v !== 1 || !Object.hasOwn(handlers, data.type)) return;
			const count = (inSecond.get(data.type) ?? 0) + 1;
			inSecond.set(data.type, count);
			if (count <= maxASecond) handlers[data.type](data);
		});
		port1.start();
		frame.contentWindow.postMessage("svc-studio", "*", [port2]);
	}
}

// addressOf is where a frame's game is, in the state that it is to show: what a job had built is
// gone with the job.
export const addressOf = ({ dataset }) => `${dataset.preview}/${dataset.at ?? "now"}/index.html`;

// reload loads a frame's game anew.
export function reload(frame, query) {
	if (!frame.hasAttribute("src")) return; // there is no game yet
	frame.src = addressOf(frame) + (query ?? new URL(frame.src).search);
}

// textOf is a text of a message, "" for anything else.
export const textOf = (value, most = maxText) => (typeof value === "string" ? value.slice(0, most) : "");

// countOf is a number of a message that counts something, 0 for anything else.
export const countOf = (value) => (Number.isSafeInteger(value) && value > 0 ? value : 0);
