// What the studio's pages do beyond their forms. Every form works without.
import { inUse, loadAgain } from "./again.js";
import { followJob } from "./job.js";
import { begin, countdown, keepFields, resubmit, sendBegun, sendByKey } from "./prompt.js";
import { edit } from "./editor.js";
import { lookAgain } from "./elsewhere.js";
import { showGame } from "./game.js";
import { openByKey } from "./keys.js";
import { quotePlan } from "./plan.js";
import { tabs } from "./tabs.js";
import { typed } from "./unsent.js";

const examples = [...document.querySelectorAll("[data-example]")];
for (const link of examples) {
	link.addEventListener("click", (event) => {
		event.preventDefault();
		const prompt = document.querySelector("#prompt");
		const own = prompt.value.trim() && !examples.some(({ dataset }) => dataset.example === prompt.value);
		prompt.form.querySelector("[data-wait]").textContent = own ? "Your own brief stays: empty it first." : "";
		if (!own) prompt.value = link.dataset.example;
		prompt.focus();
	});
}
const game = showGame();
for (const place of document.querySelectorAll("[data-job]")) followJob(place, game);
for (const form of document.querySelectorAll("[data-prompt]")) {
	keepFields(form);
	sendByKey(form);
	resubmit(form);
	sendBegun(form);
}
for (const form of document.querySelectorAll("[data-plan]")) {
	quotePlan(form);
	keepFields(form);
	resubmit(form);
}
for (const form of document.querySelectorAll("[data-copy]")) {
	resubmit(form);
	form.requestSubmit();
}
for (const form of document.querySelectorAll("[data-brief]")) begin(form);
for (const form of document.querySelectorAll("[data-editor]")) edit(form);
for (const place of document.querySelectorAll("[data-scene]")) {
	import("./sceneview.js").then(({ showScene }) => showScene(place, document.querySelector("[data-editor]")));
}
for (const form of document.querySelectorAll("[data-upload]")) {
	const { file } = form.elements;
	file.addEventListener("change", () => {
		const large = file.files[0]?.size > 1 << 20;
		file.setCustomValidity(large ? "A picture or sound may have 1 MiB: make it smaller." : "");
		file.reportValidity();
	});
}
askUntil(document.querySelector("[data-engine]"), ({ engine }) => engine.ready, "The engine is ready. ");
askUntil(document.querySelector("[data-running]"), ({ workspace }) => !workspace.check?.running, "The version was played. ");
for (const place of document.querySelectorAll("[data-project]")) lookAgain(place);
for (const nav of document.querySelectorAll("[data-tabs]")) tabs(nav);
addEventListener("keydown", (event) => {
	if (!event.ctrlKey && !event.metaKey || event.key !== ".") return;
	const form = document.querySelector("[data-job] form");
	form?.requestSubmit(form.querySelector("button"));
});
for (const list of document.querySelectorAll("[data-keys]")) openByKey(list);

// askUntil loads the page again when what a note waits for has come, unless somebody uses the
// page: what is typed stays.
function askUntil(note, hasCome, says) {
	const seconds = Number(note?.dataset.retry);
	if (!seconds || document.querySelector("[data-copy]")) return; // which asks itself
	const base = `/console/studio/${document.querySelector("[data-project]").dataset.project}`;
	note.append(" ");
	const count = countdown(note);
	let left = Math.min(seconds, 5);
	const tick = setInterval(async () => {
		count.textContent = left > 0 ? `Asking again in ${left} s.` : "Asking …";
		if (left-- > 0) return;
		left = 5;
		const res = await fetch(`${base}/state`, { headers: { Accept: "application/json" } }).catch(() => null);
		const state = res?.ok && !res.redirected ? await res.json() : null;
		if (!state || !hasCome(state)) return;
		clearInterval(tick);
		if (!typed() && !inUse()) loadAgain(base);
		else note.firstChild.textContent = says;
	}, 1000);
}
