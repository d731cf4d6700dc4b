// What was typed on a page and is nowhere else yet.
const forms = new Set();

// unsent notes that a form holds what nobody has, or that it does no longer.
export function unsent(form, is) {
	if (is) forms.add(form);
	else forms.delete(form);
}

// isUnsent reports whether a form does.
export const isUnsent = (form) => forms.has(form);

// keep stores what was typed, null for nothing, while the browser lives. It reports whether
// it could: the room of a browser is bounded, or there is none.
export function keep(name, what) {
	try {
		if (what === null) sessionStorage.removeItem(name);
		else sessionStorage.setItem(name, JSON.stringify(what));
		return true;
	} catch {
		return false;
	}
}

// kept returns what is stored, null for nothing.
export function kept(name) {
	try {
		return JSON.parse(sessionStorage.getItem(name));
	} catch {
		return null;
	}
}

// typed reports whether some form does: then no page is loaded in place of this one.
export const typed = () => forms.size > 0;
