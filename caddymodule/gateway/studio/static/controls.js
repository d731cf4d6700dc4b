// The buttons around the game.
import { post } from "./prompt.js";
import { countOf } from "./frame.js";
import { base } from "./faults.js";

const maxShot = 16 << 20; // bytes
const maxPlay = 1 << 20; // characters of a check
const png = [0x89, 0x50, 0x4e, 0x47];

// controls has buttons do what they say with the game in a frame. It returns what takes its
// messages; send is asked for when it is there.
export function controls(frame, place, send) {
	const part = (name) => place.querySelector(`[data-${name}]`);
	const said = part("said");
	const address = () => frame.src.split("?")[0];
	let seed = 0;
	let muted = false;
	let wanted = ""; // what somebody asked the game for
	place.hidden = false;

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
		wanted = "shot";
		send()("shot");
	});
	part("keep").addEventListener("submit", (event) => {
		event.preventDefault();
		wanted = "play";
		send()("play");
	});
	part("sizes").querySelector("select").addEventListener("change", (event) => {
		const [w, h] = event.target.value.split("x");
		const { style } = frame.parentElement;
		style.maxWidth = `${w}px`;
		style.aspectRatio = `${w} / ${h}`;
	});
	return { begin, loaded, at, shot, play };

	function load(number) {
		frame.src = address() + (number ? `?seed=${number}` : "");
	}

	function pressed(name) { return part(name).getAttribute("aria-pressed") === "true"; }

	function press(name, on) { part(name).setAttribute("aria-pressed", String(on)); }

	function begin() {
		press("hold", false);
		part("step").disabled = true;
		if (muted) send()("mute", { on: true });
	}

	function loaded(message) {
		seed = countOf(message.seed);
		const { seed: field } = part("seed").elements;
		if (document.activeElement !== field) field.value = seed || "";
	}

	function at(message) {
		press("hold", message.held === true);
		part("step").disabled = message.held !== true;
		part("frame").textContent = message.held === true ? `Held at step ${countOf(message.frame)}.` : "";
	}

	// shot hands over a picture that was asked for, if it is one.
	function shot({ png: data }) {
		if (wanted !== "shot") return;
		wanted = "";
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
		if (wanted !== "play") return;
		wanted = "";
		const form = part("keep");
		const text = JSON.stringify(check ?? null);
		if (text.length > maxPlay || !Array.isArray(check?.inputs) || !check.inputs.length) {
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
