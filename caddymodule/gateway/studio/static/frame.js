// The game in its frame: what goes wrong there, and the buttons around it. The game is
// hostile: what comes from it is shown as text, bounded, and sends nothing anywhere.

const maxShown = 30;
const maxASecond = 20;
const maxText = 4096;

// maxLocated bounds the errors of which the source is looked up in a minute, however often
// the game loads itself anew: each takes requests, of which the studio has a rate.
const maxLocated = 5;

// watchGame joins the frame by a port and lists its errors, equal ones once. ask puts a
// text into the form of a prompt, which a person sends.
export function watchGame(frame, place, ask) {
	const list = place.querySelector("ol");
	const seen = new Map();
	let inSecond = 0;
	setInterval(() => { inSecond = 0; }, 1000);
	let located = 0;
	setInterval(() => { located = 0; }, 60_000);
	let current = null;
	frame.addEventListener("load", join);
	join(); // it may be loaded already

	// join offers the frame a port. A game takes one: the first message by it is that
	// of another run.
	function join() {
		const { port1, port2 } = new MessageChannel();
		port1.addEventListener("message", (event) => {
			if (current !== port1) {
				current = port1;
				list.replaceChildren();
				seen.clear();
				place.hidden = true;
			}
			heed(event.data);
		});
		port1.start();
		frame.contentWindow.postMessage("svc-studio", "*", [port2]);
	}

	function heed(message) {
		if (++inSecond > maxASecond) return;
		if (message?.v !== 1 || !["error", "console"].includes(message.type) || typeof message.text !== "string") return;
		const text = message.text.slice(0, maxText);
		const file = typeof message.file === "string" ? message.file.slice(0, 200) : "";
		const line = Number.isInteger(message.line) && message.line > 0 ? message.line : 0;
		const signature = text.replace(/\d+|0x[0-9a-f]+/gi, "#");
		const before = seen.get(signature);
		if (before) {
			before.count.textContent = ` × ${++before.times}`;
			return;
		}
		if (seen.size >= maxShown) return;
		show(signature, text, file, line);
	}

	function show(signature, text, file, line) {
		place.hidden = false;
		const item = document.createElement("li");
		const said = document.createElement("bdi");
		const count = document.createElement("span");
		const where = document.createElement("span");
		const fix = document.createElement("button");
		said.textContent = text;
		count.className = where.className = "soft small";
		count.setAttribute("aria-hidden", "true"); // else each change is read
		fix.type = "button";
		fix.className = "button quiet";
		fix.textContent = "Ask to fix it …";
		const entry = { times: 1, count, at: file && line ? `${file}:${line}` : "" };
		seen.set(signature, entry);
		fix.addEventListener("click", () => ask(`${text}${entry.at ? `\nat ${entry.at}` : ""}`));
		item.append(said, count, " ", where, " ", fix);
		list.append(item);
		if (!entry.at) return;
		const source = ++located > maxLocated ? Promise.resolve({ file, line }) : locate(file, line);
		source.then((found) => {
			entry.at = found.line ? `${found.file}:${found.line}` : found.file;
			const link = document.createElement("a");
			link.href = `${base()}?file=${encodeURIComponent(found.file)}#code`;
			link.textContent = entry.at;
			where.append(link);
		});
	}
}

// base is the address of the project's page, which may be shown at a form's own.
const base = () => `/console/studio/${document.querySelector("[data-project]").dataset.project}`;

// locate finds the source of a line of the script that is made of sources: the bundler
// writes each one's name above it, and leaves most lines as they are.
async function locate(file, line) {
	const here = { file, line };
	if (file !== "game.js") return here;
	const read = async (path) => {
		const res = await fetch(`${base()}/file?path=${encodeURIComponent(path)}`).catch(() => null);
		return res?.ok ? res.text() : "";
	};
	const made = (await read("game.js")).split("\n");
	for (let i = Math.min(line, made.length) - 1; i >= 0; i--) {
		const name = /^\s*\/\/ (?:[\w-]+:)?(src\/[\w./-]+)\s*$/.exec(made[i]);
		if (!name) continue;
		const text = made[line - 1].trim();
		const source = (await read(name[1])).split("\n").map((l) => l.trim());
		const at = source.flatMap((l, n) => (l && l === text ? [n + 1] : []));
		return { file: name[1], line: at.length === 1 ? at[0] : 0 };
	}
	return here;
}
