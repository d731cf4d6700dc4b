// The buttons around the game.
import { countOf, reload } from "./frame.js";

const maxShot = 16 << 20; // bytes
const patience = 10_000; // ms for a picture
const png = [0x89, 0x50, 0x4e, 0x47];

// controls has buttons do what they say with the game in a frame. It returns what takes its
// messages; send is asked for when it is there.
export function controls(frame, place, send) {
	const part = (name) => place.querySelector(`[data-${name}]`);
	const said = part("said");
	let muted = false;
	let wanted = 0; // the timer of a picture that somebody asked for
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
		clearTimeout(wanted);
		wanted = setTimeout(() => shot({}), patience);
		said.textContent = "";
		send()("shot");
	});
	part("sizes").querySelector("select").addEventListener("change", (event) => {
		const [w, h] = event.target.value.split("x");
		const { style } = frame.parentElement;
		style.maxWidth = `${w}px`;
		style.aspectRatio = `${w} / ${h}`;
	});
	return { begin, handlers: { loaded, at, shot } };

	function load(number) {
		joined(false);
		reload(frame, number ? `?seed=${number}` : "");
	}

	function pressed(name) { return part(name).getAttribute("aria-pressed") === "true"; }

	function press(name, on) { part(name).setAttribute("aria-pressed", String(on)); }

	// joined has the buttons be there that need the game's answer.
	function joined(is) {
		for (const name of ["hold", "mute", "shot"]) part(name).disabled = !is;
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

	// shot hands over a picture that was asked for, if it is one.
	function shot({ png: data }) {
		if (!wanted) return;
		clearTimeout(wanted);
		wanted = 0;
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
}
