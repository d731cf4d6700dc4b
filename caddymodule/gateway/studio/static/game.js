// The game of a project's page: its frame, the buttons around it, and what goes wrong in it.
import { controls } from "./controls.js";
import { faults } from "./faults.js";
import { fixer } from "./fix.js";
import { addressOf, joinGame } from "./frame.js";

const states = {
	built: "This is what the job has built so far. Nobody may have played it yet.",
	now: "This is the game as it is now.",
};

// showGame returns what shows another state of the game: built() that which a job has built
// last, ended() the present after it. It is null on a page without a place for a game.
export function showGame() {
	const frame = document.querySelector("[data-game]");
	if (!frame) return null;
	const place = document.querySelector("[data-controls]");
	const said = document.querySelector("[data-which]");
	let send = () => {};
	const wrong = document.querySelector("[data-faults]");
	const list = faults(wrong, fixer(wrong, frame));
	const buttons = controls(frame, place, () => send);
	const begin = () => {
		list.begin();
		buttons.begin();
	};
	send = joinGame(frame, begin, { ...buttons.handlers, ...list.handlers });
	return { built: () => turn("built", "The job has built another state of the game."), ended };

	// ended takes back what was offered: what the job had built is gone with it.
	function ended() {
		const { at } = frame.dataset;
		delete frame.dataset.at; // who begins it again begins the present
		if (at === "built") turn("now", "The job has ended.");
		else offer("");
	}

	// turn takes no game away from who plays it.
	function turn(to, why) {
		if (document.activeElement !== frame) show(to);
		else if (said.dataset.offers !== to) offer(to, why); // else it was said already
	}

	function offer(to, ...why) {
		said.dataset.offers = to;
		said.replaceChildren(...why);
		if (!to) return;
		const button = document.createElement("button");
		Object.assign(button, { type: "button", className: "button quiet", textContent: "Show it" });
		button.addEventListener("click", () => {
			frame.focus(); // the button is gone then
			show(to);
		});
		said.append(" ", button);
	}

	function show(to) {
		frame.dataset.at = to;
		frame.src = addressOf(frame);
		place.hidden = frame.parentElement.hidden = false;
		document.querySelector("[data-none]")?.remove();
		delete said.dataset.offers;
		if (said.textContent !== states[to]) said.textContent = states[to];
	}
}
