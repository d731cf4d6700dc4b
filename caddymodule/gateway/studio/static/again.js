// Loading a page anew: who uses it stays where they are.

// loadAgain loads a project's page, with the file and the part that are shown.
export function loadAgain(page) {
	const query = new URLSearchParams(location.search);
	for (const said of ["done", "unsent", "from"]) query.delete(said);
	const search = String(query) && `?${query}`;
	if (location.pathname === page && location.search === search) location.reload(); // else a part is a jump
	else location.assign(page + search + location.hash);
}

// inUse reports whether the focus is in the game or in a field.
export const inUse = () => document.activeElement?.matches("iframe, input, textarea, select, .cm-content") ?? false;
