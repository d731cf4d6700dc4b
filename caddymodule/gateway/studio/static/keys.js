// The list of the keys of a project's page.
import { inUse } from "./again.js";
import { keep, kept } from "./unsent.js";

const off = "no key for the keys";

// openByKey has "?" open the list, unless somebody turned that off: who speaks to the browser
// may say it by chance.
export function openByKey(list) {
	const on = list.querySelector("input");
	on.closest("[hidden]").hidden = false;
	on.checked = !kept(off);
	on.addEventListener("change", () => keep(off, on.checked ? null : true));
	addEventListener("keydown", (event) => {
		if (event.key !== "?" || !on.checked || inUse()) return;
		list.open = true;
		list.querySelector("summary").focus();
	});
}
