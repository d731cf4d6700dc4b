// Client of the game generation service. Submissions wait out a cold start by themselves,
// event streams go on after a broken connection, downloads are checked.
import { download } from "./download.js";
import { follow } from "./events.js";
import {
  Patience, SvcError, again, broke, callBudget, callDelay, clock, connectBudget, final, foreign, onceDelay,
  projectDelay, submissionBudget,
} from "./retry.js";

export { SvcError };
export { verifyWebhook } from "./webhook.js";

const pollEvery = 2000; // milliseconds
const callLimit = 60_000; // the slowest call, cancelling, is answered within ten seconds
const ends = new Set(["completed", "failed", "cancelled"]);

const query = (values) => {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return set.length ? "?" + new URLSearchParams(set.map(([name, value]) => [name, String(value)])) : "";
};

// What the calls of a client share. reached: something has answered at the address.
const linkTo = (baseURL, fetch, key, onRetry) => ({
  base: baseURL.replace(/\/+$/, "").replace(/\/v1$/, ""),
  fetch: (...args) => fetch(...args),
  key,
  onRetry,
  reached: false,
});

const headersOf = ({ key }, headers) => new Headers({ ...headers, ...(key && { Authorization: `Bearer ${key}` }) });

// An answer that is no success becomes an error.
async function send(link, method, path, init) {
  let response;
  try {
    // A redirect is another's, and makes a GET of a submission. A browser hides its status: 0.
    response = await link.fetch(link.base + path, { ...init, method, redirect: "manual" });
  } catch (error) {
    link.reached ||= broke(error);
    throw error;
  }
  link.reached = true;
  if (response.ok) return response;
  const what = `${method} ${path.split("?")[0]}`;
  if (response.status < 400) throw foreign(response, `${what} is redirected`);
  let body = {};
  try {
    body = await response.json();
  } catch {
    // it is not the service's, or broke off: the status says enough
  }
  throw new SvcError(response.status, body ?? {}, response.headers, what);
}

// Sends the same until it is answered, and returns what the answer says.
async function call(link, method, path, { headers, body, signal, budget = callBudget, delay } = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const fixed = headersOf(link, { ...headers, ...(text && { "Content-Type": "application/json" }) });
  const attempt = async () => {
    const limit = AbortSignal.any([AbortSignal.timeout(callLimit), ...(signal ? [signal] : [])]);
    const response = await send(link, method, path, { headers: fixed, body: text, signal: limit });
    const said = await response.text();
    const kind = response.headers.get("Content-Type");
    if (/csv|ndjson/.test(kind)) return said; // a view, asked for as text
    try {
      return JSON.parse(said);
    } catch {
      if (/json/.test(kind)) throw new Error("the answer broke off");
      throw foreign(response, `${method} ${path.split("?")[0]}`);
    }
  };
  return again(link, attempt, { budget, delay: delay ?? (method === "GET" ? projectDelay : callDelay), signal });
}

export class Client {
  #link;

  constructor({ apiKey, baseURL = "http://localhost:8080", fetch = globalThis.fetch, onRetry }) {
    const key = apiKey?.trim();
    if (!key) throw new TypeError("an apiKey is required");
    if (!/^[!-~]+$/.test(key)) throw new TypeError("an apiKey has visible ASCII characters alone");
    if (!/^https?:$/.test(new URL(baseURL).protocol)) throw new TypeError("baseURL must be one of http or https");
    this.#link = linkTo(baseURL, fetch, key, onRetry);
  }

  async createProject(request, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
    const headers = { "Idempotency-Key": idempotencyKey };
    const options = { body: request, headers, signal, delay: projectDelay };
    return (await call(this.#link, "POST", "/v1/projects", options)).data;
  }

  async project(id, { signal } = {}) {
    return (await call(this.#link, "GET", `/v1/projects/${encodeURIComponent(id)}`, { signal })).data;
  }

  async deleteProject(id, { signal } = {}) {
    await call(this.#link, "DELETE", `/v1/projects/${encodeURIComponent(id)}`, { signal });
  }

  projects({ limit, signal } = {}) {
    return this.#pages("/v1/projects", { limit }, signal);
  }

  jobs({ projectId, status, limit, signal } = {}) {
    return this.#pages("/v1/generate", { projectId, status, limit }, signal);
  }

  async *#pages(path, values, signal) {
    for (let after; ; ) {
      const page = await call(this.#link, "GET", path + query({ ...values, after }), { signal });
      yield* page.data;
      after = page.nextCursor;
      if (!after) return;
    }
  }

  async models({ signal } = {}) {
    return (await call(this.#link, "GET", "/v1/models", { signal })).data;
  }

  // Any other operation of the document that answers JSON, or a view as text.
  request(method, path, { path: named = {}, query: asked = {}, body, signal } = {}) {
    const at = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named[name]));
    return call(this.#link, method, at + query(asked), { body, signal });
  }

  // However often it has to be sent, it makes one job.
  async generate(request, { idempotencyKey = crypto.randomUUID(), retryBudget = submissionBudget, signal } = {}) {
    const headers = { "Idempotency-Key": idempotencyKey };
    const options = { body: request, headers, signal, budget: retryBudget, delay: onceDelay };
    return new Job(await call(this.#link, "POST", "/v1/generate", options), this.#link);
  }

  // A job of an earlier submission.
  job({ jobId, projectId }) {
    return new Job({ jobId, projectId }, this.#link);
  }
}

export class Job {
  #link;

  constructor({ jobId, projectId, sessionId }, link) {
    this.jobId = jobId;
    this.projectId = projectId;
    this.sessionId = sessionId;
    this.#link = link;
  }

  #path(part) {
    return `/v1/generate/${encodeURIComponent(this.jobId)}${part}${query({ projectId: this.projectId })}`;
  }

  status({ signal } = {}) {
    return call(this.#link, "GET", this.#path("/status"), { signal });
  }

  cancel({ signal } = {}) {
    return call(this.#link, "DELETE", this.#path(""), { signal });
  }

  // For a browser, which must not have the key: see followJob.
  streamToken({ signal } = {}) {
    return call(this.#link, "POST", this.#path("/events/token"), { signal });
  }

  events({ after, signal } = {}) {
    return this.#follow({ after, signal, patience: new Patience(this.#link), budget: submissionBudget });
  }

  #follow(options) {
    return follow((headers, signal) => this.#open("/events", headers, signal), options);
  }

  async #open(part, headers, signal) {
    return send(this.#link, "GET", this.#path(part), { headers: headersOf(this.#link, headers), signal });
  }

  // The record of the job once it has ended, whatever its end.
  async wait({ signal, onEvent } = {}) {
    const patience = new Patience(this.#link);
    for (let after = 0; ; ) {
      const events = this.#follow({ after, signal, patience, budget: connectBudget });
      try {
        for (;;) {
          const next = await events.next().catch((error) => {
            if (signal?.aborted || final(error)) throw error;
            return { done: true }; // no stream can be had for now: the record says whether it is over
          });
          if (next.done) break;
          after = next.value.seq ?? 0;
          onEvent?.(next.value);
        }
      } finally {
        await events.return(); // onEvent may have thrown
      }
      try {
        const record = await this.status({ signal });
        if (ends.has(record.status)) return record;
        patience.seen();
      } catch (error) {
        if (signal?.aborted || final(error) || patience.spent(submissionBudget, pollEvery)) throw error;
      }
      await clock.sleep(pollEvery, signal);
    }
  }

  download({ signal, onProgress } = {}) {
    const open = (headers) => this.#open("/files", headers, signal);
    return download(open, { patience: new Patience(this.#link), signal, onProgress });
  }
}

// Follows a job in a browser, with a stream token that its server made. token is asked for
// a new one at each connection when it is a function: a token opens streams for five minutes.
export function followJob({ jobId, projectId, token, baseURL = "", after, signal, fetch = globalThis.fetch }) {
  const link = linkTo(baseURL, fetch);
  const open = async (headers, signal) => {
    const value = typeof token === "function" ? await token() : token;
    const path = `/v1/generate/${encodeURIComponent(jobId)}/events${query({ projectId, token: value })}`;
    return send(link, "GET", path, { headers, signal });
  };
  return follow(open, { after, signal, patience: new Patience(link), budget: submissionBudget });
}
