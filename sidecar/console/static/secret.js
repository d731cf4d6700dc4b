// The page that shows a secret once.

// say tells what happened, to screen readers too.
function say(text) {
	document.getElementById("live").textContent = text;
}

// copyButtons shows the buttons that copy what an element holds.
export function copyButtons() {
	for (const button of document.querySelectorAll("[data-copy]")) {
		button.hidden = false;
		button.addEventListener("click", async () => {
			const from = document.getElementById(button.dataset.copy);
			try {
				await navigator.clipboard.writeText(from.value ?? from.textContent);
				confirmOn(button, "Copied");
			} catch {
				selectAll(from);
				confirmOn(button, "Press Ctrl-C");
			}
			saved();
		});
	}
}

function confirmOn(button, text) {
	const before = button.dataset.label ?? button.textContent;
	button.dataset.label = before;
	button.textContent = text;
	say(text);
	setTimeout(() => { button.textContent = before; }, 1500);
}

function selectAll(element) {
	if (element.select) {
		element.focus();
		element.select();
		return;
	}
	getSelection().selectAllChildren(element);
}

// envButtons shows the buttons that save an environment file.
export function envButtons() {
	for (const button of document.querySelectorAll("[data-env]")) {
		button.hidden = false;
		button.addEventListener("click", () => {
			const link = document.createElement("a");
			link.href = URL.createObjectURL(new Blob([button.dataset.env], { type: "text/plain" }));
			link.download = ".env";
			link.click();
			URL.revokeObjectURL(link.href);
			confirmOn(button, "Saved");
			saved();
		});
	}
}

let unsaved = false;

function saved() {
	unsaved = false;
}

// guardSecret asks before the page with an unsaved secret is left.
export function guardSecret() {
	unsaved = document.querySelector("[data-secret]") !== null;
	document.querySelector("[data-leave]")?.addEventListener("click", saved);
	addEventListener("beforeunload", (event) => {
		if (unsaved) event.preventDefault();
	});
}
