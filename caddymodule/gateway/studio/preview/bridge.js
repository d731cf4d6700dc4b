// What the studio puts before the scripts of a game that it shows: it says what goes
// wrong there. It runs in the game's own realm, so the studio believes nothing of it.
(() => {
	const most = 3000; // characters of a message
	let port = null;
	const waiting = [];
	const say = (type, members) => {
		const message = { v: 1, type, ...members };
		if (port) port.postMessage(message);
		else if (waiting.length < 50) waiting.push(message);
	};
	addEventListener("message", (event) => {
		if (port || event.data !== "svc-studio" || !event.ports[0]) return;
		port = event.ports[0];
		for (const message of waiting.splice(0)) port.postMessage(message);
		say("loaded", {});
	});
	addEventListener("error", (event) => {
		if (!event.message) return; // a file that did not load
		const file = String(event.filename).split("/").slice(5).join("/");
		say("error", { text: String(event.message).slice(0, most), file: file.slice(0, 200), line: event.lineno });
	});
	addEventListener("unhandledrejection", (event) => {
		say("error", { text: `Unhandled: ${String(event.reason).slice(0, most)}`, file: "", line: 0 });
	});
	const { error } = console;
	console.error = (...list) => {
		say("console", { text: list.map(String).join(" ").slice(0, most) });
		error.apply(console, list);
	};
})();
