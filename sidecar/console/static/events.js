// Live progress of a job, from its event stream.

const ends = ["job.completed", "job.failed", "job.cancelled"];
const maxLines = 300;

// retryAfter is how long a page without a stream waits before it is loaded anew.
const retryAfter = 10_000;

// follow shows a job's events until it has ended, and then loads the page
// anew: the record and the game are there. The browser resumes by itself, but
// gives up for good when it is refused.
export function follow(place) {
	const bar = place.querySelector("progress");
	const stage = place.querySelector("[data-stage]");
	const log = place.querySelector("[data-log]");
	const source = new EventSource(place.dataset.events);

	on("job.started", () => line("The job runs."));
	on("job.progress", (progress) => {
		bar.value = progress.percent ?? bar.value;
		stage.textContent = [progress.stage, `${progress.percent} %`, progress.message].filter(Boolean).join(" · ");
	});
	on("assistant.message", (event) => line(event.text));
	on("tool.call", (event) => line(`→ ${event.name}`));
	on("file.changed", (event) => line(`wrote ${event.path}`));
	on("build.result", (event) => line(event.ok === false ? "The build failed." : "Built."));
	on("playtest.result", (event) => line(event.ok === false ? "The playtest failed." : "Playtested."));
	on("warning", (event) => line(`Warning: ${event.message}`));
	source.addEventListener("error", () => {
		if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), retryAfter);
	});
	on("stream.closing", (event) => {
		if (event.reason !== "session_ended") return; // else the browser connects again
		source.close();
		location.reload(); // which leads to the sign-in page
	});
	for (const type of ends) {
		on(type, () => {
			source.close();
			location.reload();
		});
	}

	function on(type, handle) {
		source.addEventListener(type, (message) => handle(JSON.parse(message.data)));
	}

	function line(text) {
		if (!text) return;
		log.hidden = false;
		const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
		const item = document.createElement("li");
		item.textContent = text;
		log.append(item);
		while (log.childElementCount > maxLines) log.firstElementChild.remove();
		if (atEnd) log.scrollTop = log.scrollHeight;
	}
}
