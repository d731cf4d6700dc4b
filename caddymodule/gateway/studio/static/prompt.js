// The form of a prompt: what is typed is kept, and a cold start is waited for.
import { isUnsent, keep, kept, unsent } from "./unsent.js";

// deadline is how long a submission is repeated while its engine starts.
const deadline = 8 * 60_000;

// sendAgain is what the page does by itself.
const sendAgain = " Submit the same request again later.";

// post sends a form's fields; null where nobody answers.
export function post(form, body) {
	return fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
}

// countdown returns what shows numbers that change in a message, which a screen reader
// would read each second.
export function countdown(message) {
	const count = document.createElement("span");
	count.setAttribute("aria-hidden", "true");
	message.append(count);
	return count;
}

const noRoom = "The browser has no room to keep what you type: send it before you leave.";

// keptUnder is the name under which the fields of a form are kept, what must be said first.
const keptUnder = (action) => `fields ${action}`;

// keepFields keeps what is typed while the browser lives, and takes it back.
export function keepFields(form) {
	const name = keptUnder(form.getAttribute("action"));
	const fields = () => [...form.elements].filter((field) => field.matches("textarea, input:not([type])"));
	const [first] = fields();
	const blank = fieldsOf(form);
	if (!first.value) {
		const former = kept(name) ?? [];
		for (const [i, field] of fields().entries()) if (former[i]) field.value = former[i];
		if (former.slice(1).some(Boolean)) form.querySelector("details").open = true;
		unsent(form, fieldsOf(form) !== blank);
	}
	let safe = true;
	form.addEventListener("input", () => {
		unsent(form, fieldsOf(form) !== blank); // first: it holds whatever becomes of the rest
		const was = safe;
		safe = keep(name, fields().map((field) => field.value));
		if (was && !safe) form.querySelector("[data-wait]").textContent = noRoom;
	});
	addEventListener("beforeunload", (event) => {
		if (!safe && isUnsent(form)) event.preventDefault();
	});
}

// sendByKey sends a brief by Control and Enter.
export function sendByKey(form) {
	form.elements.prompt.addEventListener("keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
	});
}

// begin makes a project of a brief, and has its page send it.
export function begin(form) {
	form.addEventListener("submit", async (event) => {
		const prompt = form.elements.prompt.value.trim();
		if (!prompt || !keep("send", prompt)) return; // the new project's page asks for one, or the service sends it
		event.preventDefault();
		const button = form.querySelector("button");
		button.disabled = true;
		const body = new URLSearchParams(new FormData(form));
		const answer = await (await post(form, body))?.json().catch(() => null);
		if (!answer?.data) {
			button.disabled = false;
			form.querySelector("[data-wait]").textContent = answer?.error ??
				"It could not be made. Sign in again if you were away, and try again: what you typed is kept.";
			return;
		}
		const project = `/console/studio/${answer.data._id}`;
		keep("send", project);
		keep(keptUnder(`${project}/jobs`), [prompt]);
		location.assign(project);
	});
}

// sendBegun sends what the list of projects was asked for a moment ago.
export function sendBegun(form) {
	if (kept("send") !== location.pathname) return;
	keep("send", null);
	if (form.elements.prompt.value) form.requestSubmit();
}

// resubmit sends a form, and again the same while the engine starts: its name keeps it
// from becoming two jobs.
export function resubmit(form) {
	const wait = form.querySelector("[data-wait]");
	let sending = false;
	let sent = "";
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		if (sending) return;
		sending = true;
		const { submitter } = event;
		if (sent && sent !== fieldsOf(form, submitter)) form.elements.once.value = newName(); // another brief
		sent = fieldsOf(form, submitter);
		try {
			await send(form, submitter, wait, sent);
		} finally {
			sending = false;
		}
	});
}

// fieldsOf returns what a form says, sent by a button of it if there is one, but for its name.
function fieldsOf(form, submitter = null) {
	const fields = new URLSearchParams(new FormData(form, submitter));
	fields.delete("once");
	return fields.toString();
}

function newName() {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, "0")).join("");
}

async function send(form, submitter, wait, sent) {
	const until = Date.now() + deadline;
	const body = new URLSearchParams(new FormData(form, submitter));
	for (;;) {
		wait.textContent = "Sending …";
		const res = await post(form, body);
		if (res?.ok) {
			if (sent === fieldsOf(form, submitter)) {
				keep(keptUnder(form.getAttribute("action")), null);
				unsent(form, false);
			}
			location.assign(form.getAttribute("action").replace(/\/(jobs|copy|build)$/, ""));
			return;
		}
		if (res?.status === 401) {
			wait.textContent = "Your session has ended: sign in in another tab, then send again. What you typed is kept.";
			return;
		}
		const said = await res?.json().catch(() => null);
		const again = res?.status === 503 || !res ? said?.retryAfterSeconds ?? 5 : 0;
		if (!again || Date.now() > until) {
			wait.textContent = said?.error ?? "It could not be sent. Try again in a moment.";
			return;
		}
		const why = said?.error?.replace(sendAgain, "") ?? "The service can't be reached.";
		wait.textContent = `${why.replace(/\.?$/, ".")} The same is sent again soon.`;
		const count = countdown(wait);
		for (let left = again; left > 0; left--) {
			count.textContent = ` ${left} s`;
			await new Promise((done) => setTimeout(done, 1000));
		}
	}
}
