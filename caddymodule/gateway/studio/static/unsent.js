// What was typed on a page and is nowhere else yet.
const forms = new Set();

// unsent notes that a form holds what nobody has, or that it does no longer.
export function unsent(form, is) {
	if (is) forms.add(form);
	else forms.delete(form);
}

// isUnsent reports whether a form does.
export const isUnsent = (form) => forms.has(form);

// typed reports whether some form does: then no page is loaded in place of this one.
export const typed = () => forms.size > 0;
