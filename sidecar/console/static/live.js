// A place that shows what happens now: it is read anew from the page's own address.
export function refresh(place) {
	const seconds = Number(place.dataset.live);
	setTimeout(() => {
		if (document.hidden || place.contains(document.activeElement)) return refresh(place);
		const page = new XMLHttpRequest();
		page.responseType = "document"; // whose scripts don't run
		page.timeout = 10_000;
		page.onloadend = () => {
			const anew = page.status === 200 && page.response && page.response.querySelector("[data-live]");
			if (!anew) return refresh(place);
			const open = [...place.querySelectorAll("details")].map((one) => one.open);
			const next = document.importNode(anew, true);
			next.querySelectorAll("details").forEach((one, i) => { one.open = Boolean(open[i]); });
			place.replaceWith(next);
			refresh(next);
		};
		page.open("GET", location.href);
		page.send();
	}, seconds * 1000);
}
