// What goes wrong in a game, as it says itself: shown as text, and sent nowhere without
// somebody's click.
import { countOf, textOf } from "./frame.js";

const maxShown = 30;

// maxLocated bounds the errors of which the source is looked up in a minute, however often
// the game loads itself anew: each takes requests, of which the studio has a rate.
const maxLocated = 5;

// faults lists the errors of a game, equal ones once. ask is called with the text of one that
// somebody wants to be mended, its signature and the button that was pressed.
export function faults(place, ask) {
	const list = place.querySelector("ol");
	const seen = new Map();
	let located = 0;
	setInterval(() => { located = 0; }, 60_000);
	return { begin, handlers: { error: add, console: add } };

	function begin() {
		list.replaceChildren();
		seen.clear();
		place.hidden = true;
	}

	function add(message) {
		const text = textOf(message.text);
		const signature = text.replace(/\d+|0x[0-9a-f]+/gi, "#");
		const before = seen.get(signature);
		if (before) before.count.textContent = ` × ${++before.times}`;
		else if (text && seen.size < maxShown) show(signature, text, textOf(message.file, 200), countOf(message.line));
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
		fix.textContent = "Fix it …";
		const entry = { times: 1, count, at: file && line ? `${file}:${line}` : "" };
		seen.set(signature, entry);
		fix.addEventListener("click", () => ask(`${text}${entry.at ? `\nat ${entry.at}` : ""}`, signature, fix));
		fix.setAttribute("aria-describedby", "fix-costs");
		item.append(said, count, " ", where, " ", fix);
		list.append(item);
		if (!entry.at) return;
		const source = ++located > maxLocated ? Promise.resolve({ file, line }) : locate(file, line);
		source.then((found) => {
			entry.at = found.line ? `${found.file}:${found.line}` : found.file;
			where.append(linkTo(found.file, found.line, entry.at));
		});
	}
}

// linkTo leads to a line of a file in the editor, which may show the file already.
export function linkTo(file, line, text) {
	const link = document.createElement("a");
	link.href = `${base()}?file=${encodeURIComponent(file)}${line ? `&line=${line}` : ""}#code`;
	link.textContent = text;
	link.addEventListener("click", (event) => {
		const form = document.querySelector("[data-editor]");
		if (form?.dataset.path !== file || !line) return; // else another page shows it
		event.preventDefault();
		location.hash = "code"; // where phones show one part at a time
		form.dispatchEvent(new CustomEvent("line", { detail: line }));
	});
	return link;
}

// base is the address of the project's page, which may be shown at a form's own.
export const base = () => `/console/studio/${document.querySelector("[data-project]").dataset.project}`;

// listed says what is wrong with a game, and where.
export function listed(problems) {
	return (problems ?? []).map((p) => `${p.file}${p.line ? `:${p.line}` : ""} ${p.text}`).join("; ");
}

// headIs notes the version that the project is at now, so that what goes back goes back from it.
export function headIs(head) {
	document.querySelector("[data-faults]")?.setAttribute("data-head", head);
	for (const field of document.querySelectorAll("[name=head]")) field.value = head;
}

// locate finds the source of a line of the script that is made of sources: the bundler
// writes each one's name above it, and leaves most lines as they are, in their order.
async function locate(file, line) {
	const here = { file, line };
	if (file !== "game.js") return here;
	const rev = document.querySelector("[data-game]").dataset.at === "built" ? "&rev=built" : "";
	const read = async (path) => {
		const res = await fetch(`${base()}/file?path=${encodeURIComponent(path)}${rev}`).catch(() => null);
		return res?.ok ? (await res.text()).split("\n").map((l) => l.trim()) : [];
	};
	const made = await read("game.js");
	const mark = /^\/\/ (?:[\w-]+:)?(src\/[\w./-]+)$/;
	for (let i = Math.min(line, made.length) - 1; i >= 0; i--) {
		const name = mark.exec(made[i]);
		if (!name) continue;
		const end = made.findIndex((l, n) => n > i && mark.test(l));
		const alike = (lines, from) => lines.flatMap((l, n) => (l && l === made[line - 1] ? [n + from] : []));
		const inBundle = alike(made.slice(i + 1, end < 0 ? undefined : end), i + 2);
		const inSource = alike(await read(name[1]), 1);
		return { file: name[1], line: inSource.length === inBundle.length ? inSource[inBundle.indexOf(line)] ?? 0 : 0 };
	}
	return here;
}
