// The form of a file: saved in place, and nothing that was typed is lost.
import { post } from "./prompt.js";

// edit saves a file without loading the page anew. What is not saved is kept while the
// browser lives, for the text that it was made of.
export async function edit(form) {
	const text = form.elements.text;
	const sum = form.elements.sha256;
	const said = form.querySelector("[data-saved]");
	const kept = () => `file ${form.getAttribute("action")} ${form.dataset.path} ${sum.value}`;
	const before = sessionStorage.getItem(kept());
	if (said && before !== null && before !== text.value) {
		text.value = before;
		said.textContent = "This text was not saved yet.";
	}
	const changed = () => {
		if (!said) return;
		sessionStorage.setItem(kept(), text.value);
		said.textContent = "Not saved yet.";
	};
	text.addEventListener("input", changed);
	const editor = await open(form, text, changed);
	if (text.readOnly || !said) return;
	addEventListener("keydown", (event) => {
		if (event.key !== "s" || !event.ctrlKey && !event.metaKey || event.defaultPrevented) return;
		event.preventDefault();
		form.requestSubmit();
	});
	let saving = null;
	let again = false;
	form.addEventListener("submit", (event) => {
		if (event.submitter?.name === "delete") return;
		event.preventDefault();
		if (saving) again = true; // the newest text wins
		else saving = save().finally(() => {
			saving = null;
			if (again) form.requestSubmit();
			again = false;
		});
	});

	async function save() {
		said.textContent = "Saving …";
		const name = kept();
		const body = new URLSearchParams(new FormData(form));
		const res = await post(form, body);
		const answer = await res?.json().catch(() => null);
		if (res?.ok && answer) {
			sessionStorage.removeItem(name);
			sum.value = answer.sha256;
			if (text.value !== body.get("text")) sessionStorage.setItem(kept(), text.value);
			show(answer);
			return;
		}
		if (res?.status === 412) {
			form.submit(); // the page shows both texts
			return;
		}
		said.textContent = res?.status === 401
			? "Not saved: your session has ended. Sign in in another tab and save again; the text is kept."
			: `Not saved: ${answer?.error ?? "the service can't be reached."} The text is kept.`;
	}

	// show says what a save made, and shows the game when it was built.
	function show({ head, later, problems = [] }) {
		const saved = later ? "Saved: it joins the game when the job has ended" : `Saved as r${head}`;
		const wrong = problems.map((p) => `${p.file}${p.line ? `:${p.line}` : ""} ${p.text}`);
		said.textContent = wrong.length ? `${saved}, with problems: ${wrong.join("; ")}` : `${saved}.`;
		editor?.problems(problems.filter((p) => p.file === form.dataset.path));
		const frame = document.querySelector("[data-game]");
		if (frame && !later && !problems.length) frame.src = frame.src;
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
