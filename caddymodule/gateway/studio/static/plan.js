// Comments on a plan quote the passage that they are about.

const maxQuoted = 300;

// quotePlan has a button put what is selected of the plan into the comments.
export function quotePlan(form) {
	const button = form.querySelector("[data-quote]");
	const text = form.closest(".plan").querySelector(".document");
	button.hidden = false;
	button.addEventListener("mousedown", (event) => event.preventDefault()); // which would select nothing
	button.addEventListener("click", () => {
		const selection = getSelection();
		const inside = selection.rangeCount > 0 && text.contains(selection.getRangeAt(0).commonAncestorContainer);
		const quoted = inside ? String(selection).replace(/\s+/g, " ").trim().slice(0, maxQuoted) : "";
		const { comment } = form.elements;
		if (quoted) comment.value = `${comment.value}${comment.value && "\n\n"}> ${quoted}\n`;
		comment.dispatchEvent(new Event("input", { bubbles: true }));
		comment.focus();
		comment.setSelectionRange(comment.value.length, comment.value.length);
	});
}
