// The game of a project's page: its frame, the buttons around it, and what goes wrong in it.
import { controls } from "./controls.js";
import { faults } from "./faults.js";
import { fixer } from "./fix.js";
import { joinGame } from "./frame.js";

// showGame returns what shows another state of the game, null where there is no game: built()
// that which a job has built last.
export function showGame() {
	const frame = document.querySelector("[data-game]");
	const place = document.querySelector("[data-controls]");
	if (!frame || !place) return null;
	const wrong = document.querySelector("[data-faults]");
	let send = () => {};
	const list = faults(wrong, fixer(wrong, frame));
	const buttons = controls(frame, place, () => send);
	send = joinGame(frame, { ...buttons, ...list, begin() { list.begin(); buttons.begin(); } });
	return {
		built() {
			document.querySelector("[data-shown]").textContent = "This is what the job has built so far. Nobody has played it yet.";
			frame.src = `${frame.src.split("/").slice(0, 4).join("/")}/built/index.html`;
		},
	};
}
