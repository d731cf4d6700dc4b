// The game of a project's page: its frame, the buttons around it, and what goes wrong in it.
import { controls } from "./controls.js";
import { faults } from "./faults.js";
import { fixer } from "./fix.js";
import { joinGame } from "./frame.js";

// showGame does nothing on a page without a game.
export function showGame() {
	const frame = document.querySelector("[data-game]");
	if (!frame) return;
	let send = () => {};
	const wrong = document.querySelector("[data-faults]");
	const list = faults(wrong, fixer(wrong, frame));
	const buttons = controls(frame, document.querySelector("[data-controls]"), () => send);
	const begin = () => {
		list.begin();
		buttons.begin();
	};
	send = joinGame(frame, begin, { ...buttons.handlers, ...list.handlers });
}
