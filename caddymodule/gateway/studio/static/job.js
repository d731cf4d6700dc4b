// The live progress of a job, from its own event stream.
import { inUse, loadAgain } from "./again.js";
import { listed } from "./faults.js";
import { typed } from "./unsent.js";

const ends = ["job.completed", "job.failed", "job.cancelled"];
const maxLines = 500;

// stalledAfter is how long a stream may be silent, though it says something every 15 s.
const stalledAfter = 40_000;

// retryAfter is how long a page without a stream waits before it is loaded anew.
const retryAfter = 10_000;

// askAfter is how long after an event the job's cost is asked for, of what follows at once
// too: a model's calls are charged as they are answered, without an event of their own.
const askAfter = 2_000;

// followJob shows what a job does as it happens, and loads the page anew at its end, unless
// somebody uses it: the game and its version are there. It says each step once, and never moves the focus.
// game shows what the job builds, where it is not null.
export function followJob(place, game = null) {
	const bar = place.querySelector("progress");
	const stage = place.querySelector("[data-stage]");
	const log = place.querySelector("[data-log]");
	const source = new EventSource(place.dataset.events);
	let stalled = setTimeout(silent, stalledAfter);
	let asking = 0;
	let over;
	const end = new Promise((resolve) => { over = resolve; });

	on("job.started", () => line("The job runs."));
	on("job.progress", (progress) => {
		bar.value = progress.percent ?? bar.value;
		stage.textContent = [progress.stage, `${progress.percent} %`, progress.message].filter(Boolean).join(" · ");
	});
	on("assistant.message", (event) => line(event.text, "said"));
	on("tool.call", (event) => line(`→ ${event.name}${event.args?.path ? ` ${event.args.path}` : ""}`, "tool"));
	on("file.changed", (event) => line(`${event.op === "delete" ? "deleted" : "wrote"} ${event.path}`, "file"));
	on("build.result", (event) => {
		line(event.ok === false ? `The build failed: ${listed(event.problems)}` : "Built.");
		if (event.ok !== false) game?.built();
	});
	on("audit.result", (event) => line(event.ok === false ? "The audit found faults." : "Audited."));
	on("playtest.result", (event) => {
		const said = line(event.ok === false ? `The playtest failed: ${(event.problems ?? []).join("; ")}` : "Playtested.");
		for (const name of event.pictures ?? []) said.append(" ", picture(name, event.ok !== false));
	});
	on("fix.applied", (event) => line(`Mended: ${event.change}`));
	on("usage", ({ units = [] }) => line(`Charged for ${units.map((u) => `${u.quantity} ${u.name}`).join(", ")}.`));
	on("warning", (event) => line(`Warning: ${event.message}`));
	on("stream.closing", (event) => {
		if (event.reason !== "session_ended") return; // else the browser connects again
		source.close();
		clearTimeout(stalled);
		line("Your session has ended. Sign in again: what you typed is kept.");
	});
	source.addEventListener("error", () => { // the browser resumes by itself, but a refused stream never
		if (source.readyState !== EventSource.CLOSED) return;
		clearTimeout(stalled);
		line("The job can't be followed right now; it may still run. The page asks again, unless you typed something.");
		setInterval(() => { if (!typed() && !inUse()) loadAgain(place.dataset.page); }, retryAfter);
	});
	for (const type of ends) {
		on(type, () => {
			source.close();
			clearTimeout(stalled);
			ended(type);
		});
	}

	function on(type, handle) {
		source.addEventListener(type, (message) => {
			clearTimeout(stalled);
			stalled = setTimeout(silent, stalledAfter);
			asking ||= setTimeout(showCost, askAfter);
			handle(JSON.parse(message.data));
		});
	}

	async function showCost() {
		asking = 0;
		const headers = { Accept: "application/json" };
		const res = await fetch(`${place.dataset.page}/state`, { headers }).catch(() => null);
		const state = res?.ok ? await res.json().catch(() => null) : null;
		const job = state?.jobs?.find(({ jobId }) => jobId === place.dataset.job);
		const spent = place.querySelector("[data-spent]");
		if (job && spent) spent.textContent = job.tikSpent;
	}

	function silent() {
		line("Nothing has come for a while; the job may still run.");
	}

	function ended(type) {
		over();
		game?.ended();
		const said = `The job has ended (${type.slice(4)}).`;
		if (typed()) return line(`${said} Save or send what you typed, then load the page again to see its game.`);
		if (!inUse()) return loadAgain(place.dataset.page);
		const link = document.createElement("a");
		link.href = place.dataset.page;
		link.textContent = "Load its game";
		link.addEventListener("click", (event) => {
			event.preventDefault();
			loadAgain(place.dataset.page);
		});
		line(`${said} `).append(link);
	}

	// picture is one that the playtest took: the job's as long as it has it, then the game's that
	// passed, which has it at the job's end at the latest.
	function picture(name, passed) {
		const image = document.createElement("img");
		const at = `${place.dataset.page}/file?path=${encodeURIComponent(name)}`;
		const places = [...(passed ? [at, at] : []), `${at}&rev=built`];
		const next = async () => {
			if (passed && places.length === 1) await end;
			if (places.length) image.src = places.pop(); else image.remove();
		};
		image.className = "taken";
		image.alt = `the game: ${name.split("/").pop().split(".")[0]}`;
		image.addEventListener("error", next);
		next();
		return image;
	}

	function line(text, kind) {
		if (!text) return null;
		log.hidden = false;
		const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
		const item = document.createElement("p");
		item.textContent = text;
		if (kind) item.className = kind;
		log.append(item);
		while (log.childElementCount > maxLines) log.firstElementChild.remove();
		if (atEnd) log.scrollTop = log.scrollHeight;
		return item;
	}
}
