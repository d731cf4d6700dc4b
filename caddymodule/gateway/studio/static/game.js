// The game of a project's page: its frame, the buttons around it, and what goes wrong in it.
import { controls } from "./controls.js";
import { faults } from "./faults.js";
import { fixer } from "./fix.js";
import { joinGame } from "./frame.js";

// showGame returns what shows another state of the game: built() that which a job has built
// last, ended() the present after it. It is null on a page without a place for a game.
export function showGame() {
	const frame = document.querySelector("[data-game]");
	if (!frame) return null;
	const place = document.querySelector("[data-controls]");
	const said = document.querySelector("[data-shown]");
	let send = () => {};
	const wrong = document.querySelector("[data-faults]");
	const list = faults(wrong, fixer(wrong, frame));
	const buttons = controls(frame, place, () => send);
	const begin = () => {
		list.begin();
		buttons.begin();
	};
	send = joinGame(frame, begin, { ...buttons.handlers, ...list.handlers });
	return { built, ended };

	// built takes no game away from who plays it.
	function built() {
		if (document.activeElement !== frame) {
			show("built", "This is what the job has built so far. Nobody may have played it yet.");
			return;
		}
		const button = document.createElement("button");
		Object.assign(button, { type: "button", className: "button quiet", textContent: "Show it" });
		button.addEventListener("click", () => {
			frame.focus(); // the button is gone then
			show("built", "This is what the job has built so far. Nobody may have played it yet.");
		});
		said.replaceChildren("The job has built another state of the game. ", button);
	}

	function ended() {
		if (frame.src.startsWith(`${frame.dataset.preview}/built/`)) show("now", "This is the game as it is now.");
	}

	function show(at, says) {
		frame.src = `${frame.dataset.preview}/${at}/index.html`;
		place.hidden = frame.parentElement.hidden = false;
		document.querySelector("[data-none]")?.remove();
		if (said.textContent !== says) said.textContent = says;
	}
}
