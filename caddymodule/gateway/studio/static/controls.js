// The buttons around the game.
import { base } from "./faults.js";
import { countOf, reload } from "./frame.js";
import { post } from "./prompt.js";

const maxShot = 16 << 20; // bytes
const maxPlay = 1 << 20; // characters of a check
const patience = 10_000; // ms for what the game is asked for
const png = [0x89, 0x50, 0x4e, 0x47];

// textOf is a check as JSON, "" for what is none.
function textOf(check) {
	try {
		return JSON.stringify(check ?? null);
	} catch {
		return "";
	}
}

// controls has buttons do what they say with the game in a frame. It returns what takes its
// messages; send is asked for when it is there.
export function controls(frame, place, send) {
	const part = (name) => place.querySelector(`[data-${name}]`);
	const said = part("said");
	let muted = false;
	let wanted = ""; // what somebody asked the game for
	let waiting = 0; // the timer of that
	place.hidden = !frame.hasAttribute("src"); // there is no game yet

	part("restart").addEventListener("click", () => load(""));
	part("seed").addEventListener("submit", (event) => {
		event.preventDefault();
		load(countOf(Number(part("seed").elements.seed.value)) || "");
	});
	part("hold").addEventListener("click", () => send()("hold", { on: !pressed("hold") }));
	part("step").addEventListener("click", () => send()("step"));
	part("mute").addEventListener("click", () => {
		muted = !muted;
		press("mute", muted);
		send()("mute", { on: muted });
	});
	part("shot").addEventListener("click", () => {
		want("shot", shot);
	});
	part("keep").addEventListener("submit", (event) => {
		event.preventDefault();
		want("play", play);
	});
	part("sizes").querySelector("select").addEventListener("change", (event) => {
		const [w, h] = event.target.value.split("x");
		const { style } = frame.parentElement;
		style.maxWidth = `${w}px`;
		style.aspectRatio = `${w} / ${h}`;
	});
	return { begin, handlers: { loaded, at, shot, play } };

	function load(number) {
		joined(false);
		reload(frame, number ? `?seed=${number}` : "");
	}

	function pressed(name) { return part(name).getAttribute("aria-pressed") === "true"; }

	function press(name, on) { part(name).setAttribute("aria-pressed", String(on)); }

	// joined has the buttons be there that need the game's answer.
	function joined(is) {
		for (const name of ["hold", "mute", "shot", "keep-play"]) part(name).disabled = !is;
		press("hold", false);
		part("step").disabled = true;
		part("frame").textContent = "";
	}

	function begin() {
		joined(true);
		if (muted) send()("mute", { on: true });
	}

	function loaded(message) {
		const { seed: field } = part("seed").elements;
		if (document.activeElement !== field) field.value = countOf(message.seed) || "";
	}

	function at(message) {
		press("hold", message.held === true);
		part("step").disabled = message.held !== true;
		part("frame").textContent = message.held === true ? `Held at step ${countOf(message.frame)}.` : "";
	}

	// want asks the game for something, and takes no answer for an empty one.
	function want(what, take) {
		clearTimeout(waiting);
		wanted = what;
		waiting = setTimeout(() => take({}), patience);
		said.textContent = "";
		send()(what);
	}

	// got reports whether somebody asked for it, once.
	function got(what) {
		if (wanted !== what) return false;
		clearTimeout(waiting);
		wanted = "";
		return true;
	}

	// shot hands over a picture that was asked for, if it is one.
	function shot({ png: data }) {
		if (!got("shot")) return;
		const bytes = data instanceof ArrayBuffer && data.byteLength <= maxShot ? new Uint8Array(data) : null;
		if (!bytes || !png.every((b, i) => bytes[i] === b)) {
			said.textContent = "The game can't be pictured.";
			return;
		}
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
		link.download = `game-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.png`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
		said.textContent = `The picture is among your downloads: ${link.download}`;
	}

	// play has the engine follow a play that was asked for, and keep it.
	async function play({ play: check }) {
		if (!got("play")) return;
		const form = part("keep");
		const text = textOf(check);
		if (!text || text.length > maxPlay || !Array.isArray(check?.inputs) || !check.inputs.length) {
			said.textContent = "Nothing was played since the game was loaded: play it first.";
			return;
		}
		said.textContent = "The engine plays it again …";
		const res = await post(form, new URLSearchParams({ name: form.elements.name.value, play: text }));
		const answer = await res?.json().catch(() => null);
		said.textContent = res?.ok
			? `Kept as ${answer.path}: it held, and later jobs are held to it.`
			: `Not kept: ${answer?.error ?? "the service can't be reached."}`;
		if (!res?.ok) return;
		const link = document.createElement("a");
		link.href = `${base()}?file=${encodeURIComponent(answer.path)}#code`;
		link.textContent = "Look at it";
		said.append(" ", link);
	}
}
