// What happens to a project beside its page: a job that a program or another tab began.
import { inUse, loadAgain } from "./again.js";
import { typed } from "./unsent.js";

const rest = 5_000; // ms between two looks

// lookAgain has a page that somebody comes back to show the job that was begun meanwhile,
// unless somebody uses the page: then it says so.
export function lookAgain(place) {
	const base = `/console/studio/${place.dataset.project}`;
	let last = -rest;
	document.addEventListener("visibilitychange", async () => {
		if (document.visibilityState !== "visible" || performance.now() - last < rest) return;
		last = performance.now();
		const res = await fetch(`${base}/state`, { headers: { Accept: "application/json" } }).catch(() => null);
		const state = res?.ok && !res.redirected ? await res.json().catch(() => null) : null;
		const newest = state?.jobs?.[0]?.jobId ?? "";
		if (!newest || newest === place.dataset.newest) return;
		if (!typed() && !inUse()) return loadAgain(base);
		place.dataset.newest = newest;
		const note = document.createElement("p");
		note.className = "note";
		note.setAttribute("role", "status");
		const link = document.createElement("a");
		link.href = base;
		link.textContent = "Load the page again";
		note.append("Another job was begun meanwhile. Save or send what you typed, then: ", link);
		place.before(note);
	});
}
