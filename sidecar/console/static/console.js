// What pages do beyond their forms. Each part looks for its own attributes, so
// that a page without them loads nothing else.
import { copyButtons, envButtons, guardSecret } from "./secret.js";
import { follow } from "./events.js";
import { refresh } from "./live.js";

takeLinkCode();
copyButtons();
envButtons();
guardSecret();
for (const place of document.querySelectorAll("[data-events]")) follow(place);
for (const place of document.querySelectorAll("[data-live]")) refresh(place);

// A one-time link has its code behind "#", which the browser keeps to itself.
function takeLinkCode() {
	const form = document.querySelector("form[data-link-code]");
	const code = location.hash.slice(1);
	if (!form || !code) return;
	history.replaceState(null, "", location.pathname + location.search);
	form.elements.code.value = code;
	form.requestSubmit();
}
