// The 3D view of src/scene.json, above its text: what is changed here is typed there, and is
// saved, kept and merged as any text is.
import { countOf, joinGame, textOf } from "./frame.js";
import { add, at, below, fields, numbers, print, read, remove, rows, set, way } from "./scene.js";

const arrows = {
	ArrowLeft: [0, -1], ArrowRight: [0, 1], PageDown: [1, -1], PageUp: [1, 1], ArrowUp: [2, -1], ArrowDown: [2, 1],
};
const modes = { w: "pos", e: "rot", r: "scale" };

// showScene begins the view of a place beside the form of the file.
export function showScene(place, form) {
	const part = (name) => place.querySelector(`[data-${name}]`);
	const [tree, sheet, said, frame] = ["tree", "sheet", "said", "scene-frame"].map(part);
	const text = form.elements.text;
	const { elements } = sheet;
	let steps = null;
	let own = null; // the text that the view wrote last
	let selected = "";
	const send = joinGame(frame, () => shown(), {
		ready: () => shown(),
		shown: ({ id }) => { place.dataset.shown = textOf(id); },
		pick: ({ id }) => { if (textOf(id)) choose(textOf(id)); },
		change: changed,
		moved(message) {
			changed(message);
			place.dataset.moved = countOf(message.drag);
		},
		key: ({ key, shift, ctrl }) => pressed(textOf(key, 20), shift === true, ctrl === true),
	});
	frame.src = frame.dataset.src;
	place.hidden = false;
	form.addEventListener("typed", () => { if (text.value !== own) readText(); });
	tree.addEventListener("click", ({ target }) => choose(target.closest("[data-id]")?.dataset.id ?? ""));
	tree.addEventListener("keydown", (event) => {
		const { key, shiftKey: shift, ctrlKey, metaKey } = event;
		if (inTree(event) || pressed(key, shift, ctrlKey || metaKey, !shift)) event.preventDefault();
	});
	sheet.addEventListener("submit", (event) => event.preventDefault());
	sheet.addEventListener("change", ({ target }) => filled(target));
	for (const button of place.querySelectorAll("button[data-do]")) {
		button.addEventListener("click", () => does(button.dataset.do));
	}
	for (const choice of place.querySelectorAll("[name=mode], [name=snap]")) choice.addEventListener("change", shown);
	readText();

	// readText takes over a text that somebody else wrote.
	function readText() {
		let scene;
		try {
			scene = read(text.value);
		} catch (e) {
			say(e.message);
			place.toggleAttribute("data-broken", true);
			return;
		}
		place.toggleAttribute("data-broken", false);
		if (steps) steps.change(scene, "the text");
		else steps = way(scene);
		own = text.value;
		say("");
		show();
	}

	function say(what) { if (said.textContent !== what) said.textContent = what; }

	// broken says why nothing is changed now.
	function broken() { return !steps || place.hasAttribute("data-broken"); }

	function goOn(scene, what, drag = 0) {
		steps.change(scene, what && `${what} ${drag}`, drag > 0);
		write();
	}

	function write() {
		own = print(steps.now);
		form.dispatchEvent(new CustomEvent("text", { detail: own }));
		show();
	}

	function entity(id = selected) { return steps?.now.entities.find((one) => one.id === id); }

	function choose(id) {
		if (broken()) return;
		selected = entity(id) ? id : "";
		show();
	}

	// show brings tree, sheet and view up to date.
	function show() {
		const list = rows(steps.now);
		if (!entity()) selected = list[0]?.entity.id ?? "";
		const had = tree.contains(document.activeElement);
		tree.replaceChildren(...list.map(({ entity: { id, name, kind }, level }) => {
			const row = document.createElement("li");
			row.setAttribute("role", "treeitem");
			row.setAttribute("aria-level", level);
			row.setAttribute("aria-selected", String(id === selected));
			row.tabIndex = id === selected ? 0 : -1;
			row.dataset.id = id;
			row.style.paddingInlineStart = `${level * 0.75}rem`;
			const label = document.createElement("bdi");
			label.textContent = textOf(name, 200) || id;
			const sort = document.createElement("span");
			sort.className = "soft small";
			sort.textContent = ` ${textOf(kind, 40)}`;
			row.append(label, sort);
			return row;
		}));
		if (had) tree.querySelector("[tabindex='0']")?.focus();
		part("do=undo").setAttribute("aria-disabled", String(!steps.back)); // and keeps the focus
		part("do=redo").setAttribute("aria-disabled", String(!steps.forth));
		fill();
		shown();
	}

	// fill shows the entity in the sheet, but for what somebody types there.
	function fill() {
		const it = entity();
		sheet.querySelector("fieldset").disabled = !it;
		if (!it) return;
		const gone = below(steps.now, selected);
		elements.parent.replaceChildren(new Option("nothing", ""), ...steps.now.entities.filter(({ id }) => !gone.has(id))
			.map(({ id, name }) => new Option(textOf(name, 200) || id, id)));
		const values = { name: textOf(it.name), parent: textOf(it.parent), kind: textOf(it.kind) };
		values.tags = [it.tags ?? []].flat().join(", ");
		values.color = /^#[0-9a-f]{6}$/i.test(it.color) ? it.color : "#cccccc";
		for (const field of Object.keys(fields)) for (const i of [0, 1, 2]) values[`${field}${i}`] = at(it, field, i);
		for (const [name, value] of Object.entries(values)) {
			if (elements[name] !== document.activeElement || elements[name].type !== "text") elements[name].value = value;
		}
	}

	function shown() {
		if (!steps) return;
		send("scene", { entities: steps.now.entities, selected, mode: mode(), snap: snap() });
	}

	function mode() { return place.querySelector("[name=mode]:checked").value; }

	function snap() { return Number(part("snap").value); }

	// changed is what the view's pointer makes of an entity.
	function changed({ id, field, value, drag }) {
		const list = numbers(value);
		if (broken() || !entity(textOf(id)) || !Object.hasOwn(fields, textOf(field)) || !list) return;
		goOn(set(steps.now, id, { [field]: list }), `${id} ${field}`, countOf(drag));
	}

	// filled takes what the sheet says.
	function filled({ name, value, validity }) {
		if (broken() || !entity() || !validity.valid) return;
		const [, field, i] = name.match(/^(pos|rot|scale)([0-2])$/) ?? [];
		if (field) {
			const is = Number(value || fields[field]);
			const list = numbers([0, 1, 2].map((n) => (n === Number(i) ? is : at(entity(), field, n))));
			if (list) goOn(set(steps.now, selected, { [field]: list }), `${selected} ${field}`);
		} else if (name === "tags") {
			const tags = value.split(",").map((tag) => tag.trim()).filter(Boolean);
			goOn(set(steps.now, selected, { tags: tags.length ? tags : undefined }), `${selected} tags`);
		} else goOn(set(steps.now, selected, { [name]: value || undefined }), `${selected} ${name}`);
	}

	function does(what) {
		if (broken()) return;
		if (what === "undo" || what === "redo") {
			if (steps[what]()) write();
		} else if (what === "add") {
			const made = add(steps.now, part("kinds").value);
			selected = made.id;
			goOn(made.scene, "");
			say(`Added ${made.id}.`);
		} else if (what === "remove" && entity()) {
			say(`Deleted ${selected}.`);
			const list = rows(steps.now).map((row) => row.entity.id);
			const next = list[list.indexOf(selected) + 1] ?? list[list.indexOf(selected) - 1];
			const scene = remove(steps.now, selected);
			selected = next ?? "";
			goOn(scene, "");
		} else if (what === "focus") send("focus");
		else if (what === "save") form.requestSubmit();
	}

	// inTree moves through the tree by bare arrows, and reports whether a key did.
	function inTree({ key, shiftKey }) {
		const list = [...tree.children];
		const here = list.findIndex((row) => row.dataset.id === selected);
		const to = { ArrowUp: here - 1, ArrowDown: here + 1, Home: 0, End: list.length - 1 }[key];
		if (shiftKey || to === undefined) return false;
		if (list[to]) choose(list[to].dataset.id);
		return true;
	}

	// pressed does what a key stands for, and reports whether it is one. bare arrows are the tree's.
	function pressed(key, shift, ctrl, bare = false) {
		const low = key.toLowerCase();
		if (ctrl) {
			const what = { z: shift ? "redo" : "undo", y: "redo" }[low];
			if (what) does(what);
			return Boolean(what);
		}
		if (arrows[key] && !bare) {
			nudge(...arrows[key]);
			return true;
		}
		if (modes[low]) {
			place.querySelector(`[name=mode][value=${modes[low]}]`).checked = true;
			shown();
		} else if (low === "f") does("focus");
		else if (key === "Delete") does("remove");
		else return false;
		return true;
	}

	// nudge changes a number of the entity by a step.
	function nudge(i, by) {
		if (broken() || !entity()) return;
		const field = mode();
		const step = field === "rot" ? (snap() ? 15 : 1) : snap() || 0.1;
		const list = numbers([0, 1, 2].map((n) => at(entity(), field, n) + (n === i ? by * step : 0)));
		if (!list) return;
		goOn(set(steps.now, selected, { [field]: list }), `${selected} ${field}`);
		say(`${field} ${list.join(", ")}`);
	}
}
