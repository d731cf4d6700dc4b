// tabs shows one part of a project at a time where the window is narrow: the part that
// the address names, or the one of the file that is shown. Without scripts, and in wide
// windows, all parts stand on the page.
export function tabs(nav) {
	const narrow = matchMedia("(max-width: 640px)");
	const links = [...nav.querySelectorAll("a[href^='#']")];
	const part = (link) => document.querySelector(link.hash);
	const show = () => {
		const at = location.hash ? document.querySelector(`#${CSS.escape(location.hash.slice(1))}`) : null;
		const shown = at?.closest(".pane") ?? document.querySelector(".pane:has([data-editor], .file)") ?? part(links[0]);
		for (const link of links) {
			const is = part(link) === shown;
			if (is && narrow.matches) link.setAttribute("aria-current", "true");
			else link.removeAttribute("aria-current");
			part(link)?.toggleAttribute("data-shown", is);
		}
	};
	nav.dataset.one = "";
	addEventListener("hashchange", show);
	narrow.addEventListener("change", show);
	show();
}
