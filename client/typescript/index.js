// Client of the game generation service. Submissions wait out a cold start by themselves,
// event streams go on after a broken connection, downloads are checked.
import { download } from "./download.js";
import { follow } from "./events.js";
import {
  SvcError, again, backoff, callBudget, callDelay, final, onceDelay, projectDelay, sleep, submissionBudget,
} from "./retry.js";

export { SvcError };
export { verifyWebhook } from "./webhook.js";

const pollEvery = 2000; // milliseconds
const ends = new Set(["completed", "failed", "cancelled"]);

const query = (values) => {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return set.length ? "?" + new URLSearchParams(set.map(([name, value]) => [name, String(value)])) : "";
};

const baseOf = (address) => address.replace(/\/+$/, "").replace(/\/v1$/, "");

// An answer that is no success becomes an error.
async function send(fetch, base, method, path, init) {
  const response = await fetch(base + path, { ...init, method });
  if (response.ok) return response;
  let body = {};
  try {
    body = await response.json();
  } catch {
    // it is not the service's, or broke off: the status says enough
  }
  throw new SvcError(response.status, body ?? {}, response.headers, `${method} ${path.split("?")[0]}`);
}

export class Client {
  #key;
  #base;
  #fetch;
  #onRetry;

  constructor({ apiKey, baseURL = "http://localhost:8080", fetch = globalThis.fetch, onRetry }) {
    if (!apiKey) throw new TypeError("an apiKey is required");
    this.#key = apiKey;
    this.#base = baseOf(baseURL);
    this.#fetch = (...args) => fetch(...args);
    this.#onRetry = onRetry;
  }

  #send(method, path, { headers, body, signal } = {}) {
    return send(this.#fetch, this.#base, method, path, {
      signal,
      headers: {
        ...headers,
        Authorization: `Bearer ${this.#key}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  #call(method, path, options = {}) {
    return again(async () => (await this.#send(method, path, options)).json(), {
      budget: callBudget, delay: options.once ? projectDelay : callDelay, onRetry: this.#onRetry, signal: options.signal,
    });
  }

  async createProject(request, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
    const headers = { "Idempotency-Key": idempotencyKey };
    const made = await this.#call("POST", "/v1/projects", { body: request, headers, signal, once: true });
    return made.data;
  }

  async project(id, { signal } = {}) {
    return (await this.#call("GET", `/v1/projects/${encodeURIComponent(id)}`, { signal })).data;
  }

  async deleteProject(id, { signal } = {}) {
    await this.#call("DELETE", `/v1/projects/${encodeURIComponent(id)}`, { signal });
  }

  projects({ limit, signal } = {}) {
    return this.#pages("/v1/projects", { limit }, signal);
  }

  jobs({ projectId, status, limit, signal } = {}) {
    return this.#pages("/v1/generate", { projectId, status, limit }, signal);
  }

  async *#pages(path, values, signal) {
    for (let after; ; ) {
      const page = await this.#call("GET", path + query({ ...values, after }), { signal });
      yield* page.data;
      after = page.nextCursor;
      if (!after) return;
    }
  }

  async models({ signal } = {}) {
    return (await this.#call("GET", "/v1/models", { signal })).data;
  }

  // However often it has to be sent, it makes one job.
  async generate(request, { idempotencyKey = crypto.randomUUID(), retryBudget = submissionBudget, signal } = {}) {
    const headers = { "Idempotency-Key": idempotencyKey };
    const made = await again(
      async () => (await this.#send("POST", "/v1/generate", { body: request, headers, signal })).json(),
      { budget: retryBudget, delay: onceDelay, onRetry: this.#onRetry, signal },
    );
    return new Job(made, (...args) => this.#send(...args), (...args) => this.#call(...args));
  }

  // A job of an earlier submission.
  job({ jobId, projectId }) {
    return new Job({ jobId, projectId }, (...args) => this.#send(...args), (...args) => this.#call(...args));
  }
}

export class Job {
  #send;
  #call;

  constructor({ jobId, projectId, sessionId }, send, call) {
    this.jobId = jobId;
    this.projectId = projectId;
    this.sessionId = sessionId;
    this.#send = send;
    this.#call = call;
  }

  #path(part) {
    return `/v1/generate/${encodeURIComponent(this.jobId)}${part}${query({ projectId: this.projectId })}`;
  }

  status({ signal } = {}) {
    return this.#call("GET", this.#path("/status"), { signal });
  }

  cancel({ signal } = {}) {
    return this.#call("DELETE", this.#path(""), { signal });
  }

  // For a browser, which must not have the key: see followJob.
  streamToken({ signal } = {}) {
    return this.#call("POST", this.#path("/events/token"), { signal });
  }

  events({ after, signal } = {}) {
    const open = (headers, signal) => this.#send("GET", this.#path("/events"), { headers, signal });
    return follow(open, { after, signal });
  }

  // The record of the job once it has ended, whatever its end.
  async wait({ signal, onEvent } = {}) {
    const events = this.events({ signal });
    try {
      for (;;) {
        const next = await events.next().catch((error) => {
          if (signal?.aborted || final(error)) throw error;
          return { done: true }; // no stream can be had: the record says when it is over
        });
        if (next.done) break;
        onEvent?.(next.value);
      }
    } finally {
      await events.return(); // onEvent may have thrown
    }
    for (let failures = 0; ; ) {
      try {
        const record = await this.status({ signal });
        if (ends.has(record.status)) return record;
        failures = 0;
      } catch (error) {
        if (signal?.aborted || final(error) || ++failures > 5) throw error;
      }
      await sleep(Math.max(pollEvery, backoff(failures)), signal);
    }
  }

  download({ signal, onProgress } = {}) {
    return download((headers) => this.#send("GET", this.#path("/files"), { headers, signal }), { signal, onProgress });
  }
}

// Follows a job in a browser, with a stream token that its server made. token is asked for
// a new one at each connection when it is a function: a token opens streams for five minutes.
export function followJob({ jobId, projectId, token, baseURL = "", after, signal, fetch = globalThis.fetch }) {
  const open = async (headers, signal) => {
    const value = typeof token === "function" ? await token() : token;
    const path = `/v1/generate/${encodeURIComponent(jobId)}/events${query({ projectId, token: value })}`;
    return send((...args) => fetch(...args), baseOf(baseURL), "GET", path, { headers, signal });
  };
  return follow(open, { after, signal });
}
