// The form of a file: saved in place, and nothing that was typed is lost.
import { headIs, listed } from "./faults.js";
import { reload } from "./frame.js";
import { post } from "./prompt.js";
import { isUnsent, keep, kept, unsent } from "./unsent.js";

// edit saves a file without loading the page anew. What is not saved is kept while the
// browser lives, with the sum of the text that it was made of: saving it over another one
// shows both.
export function edit(form) {
	const text = form.elements.text;
	const sum = form.elements.sha256;
	const said = form.querySelector("[data-saved]");
	const name = `file ${form.getAttribute("action")} ${form.dataset.path}`;
	if (said) takeBack();
	const changed = () => {
		if (!said) return;
		unsent(form, true); // first: it holds whatever becomes of the rest
		const safe = keep(name, { text: text.value, sha256: sum.value });
		say(safe ? "Not saved yet." : "Not saved yet, and the browser has no room to keep it: save before you leave.");
		form.dispatchEvent(new Event("typed"));
	};
	text.addEventListener("input", changed);
	let editor = null;
	const opened = open(form, text, changed).then((made) => {
		editor = made;
		if (form.dataset.line) goTo(Number(form.dataset.line));
	});
	form.addEventListener("line", (event) => goTo(event.detail)); // of the file that is shown already
	form.addEventListener("text", ({ detail }) => { // of the scene's view, which types here
		if (editor) {
			editor.write(detail);
			return;
		}
		text.value = detail;
		changed();
	});
	form.querySelector("label[for=text]").addEventListener("click", () => editor?.focus()); // which hides the field
	if (text.readOnly || !said) return opened; // what follows does not wait for it
	addEventListener("keydown", (event) => {
		if (event.key !== "s" || !event.ctrlKey && !event.metaKey || event.defaultPrevented) return;
		event.preventDefault();
		form.requestSubmit();
	});
	form.querySelector("[data-again]").addEventListener("click", (event) => {
		event.preventDefault();
		leave();
		const { href, pathname, search } = event.currentTarget;
		if (pathname === location.pathname && search === location.search) location.reload();
		else location.assign(href);
	});
	addEventListener("beforeunload", (event) => {
		if (isUnsent(form)) event.preventDefault();
	});
	let saving = null;
	let again = false;
	form.addEventListener("submit", (event) => {
		if (event.submitter?.name === "delete") {
			leave();
			return;
		}
		event.preventDefault();
		if (saving) again = true; // the newest text wins
		else saving = save().finally(() => {
			saving = null;
			if (again) form.requestSubmit();
			again = false;
		});
	});
	return opened;

	function say(what) { said.textContent = what; }

	// goTo shows a line, counted from 1.
	function goTo(line) {
		if (editor) {
			editor.goTo(line);
			return;
		}
		const lines = text.value.split("\n");
		const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
		text.focus();
		text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
	}

	// leave has nothing be left of what was typed.
	function leave() {
		keep(name, null);
		unsent(form, false);
	}

	function takeBack() {
		const mine = kept(name);
		const inConflict = form.querySelector("[data-theirs]") !== null; // its text is the page's
		if (inConflict) unsent(form, true);
		if (!mine || inConflict || mine.text === text.value) return;
		text.value = mine.text;
		unsent(form, true);
		say(mine.sha256 === sum.value
			? "This text was not saved yet."
			: "This text was not saved yet, and the file is another one by now: saving shows both.");
		sum.value = mine.sha256;
	}

	async function save() {
		say("Saving …");
		const body = new URLSearchParams(new FormData(form));
		const res = await post(form, body);
		const answer = await res?.json().catch(() => null);
		if (res?.ok && answer) {
			sum.value = answer.sha256;
			show(answer);
			if (text.value === body.get("text")) leave();
			else changed();
			return;
		}
		if (res?.status === 412) {
			unsent(form, false);
			form.submit(); // the page shows both texts
			return;
		}
		say(res?.status === 401
			? "Not saved: your session has ended. Sign in in another tab and save again; the text is kept."
			: `Not saved: ${answer?.error ?? "the service can't be reached."} The text is kept.`);
	}

	// show says what a save made, and shows the game when it was built.
	function show({ head, later, problems: found }) {
		const problems = found ?? [];
		const saved = later ? "Saved: it joins the game when the job has ended" : `Saved as r${head}`;
		if (!later) headIs(head);
		say(problems.length ? `${saved}, with problems: ${listed(problems)}` : `${saved}.`);
		editor?.problems(problems.filter((p) => p.file === form.dataset.path));
		const frame = document.querySelector("[data-game]");
		if (frame && !later && !problems.length) reload(frame);
	}
}

// open puts the bundled editor in the field's place, where it is there.
async function open(form, area, changed) {
	const { nonce, path } = form.dataset;
	if (!nonce) return null;
	const bundle = await import("./codemirror.js").catch(() => null);
	const theirs = form.querySelector("[data-theirs]")?.textContent;
	return bundle?.make({ area, path, nonce, theirs, changed, save: () => form.requestSubmit() }) ?? null;
}
