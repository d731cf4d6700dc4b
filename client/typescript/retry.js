// When to ask again, and how long to wait: the rules of docs/errors.md.

// A refusal of the service.
export class SvcError extends Error {
  constructor(status, body, headers, what) {
    super(`${what}: ${status} ${body.error ?? "without a reason"}`);
    this.name = "SvcError";
    this.status = status;
    this.reason = body.reason;
    this.limit = body.limit;
    this.requestId = headers.get("X-Request-Id") ?? undefined;
    this.jobId = headers.get("Svc-Job-Id") ?? undefined;
    const seconds = Number(body.retryAfterSeconds ?? headers.get("Retry-After") ?? NaN);
    this.retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  }
}

export const foreign = (response, what) =>
  new SvcError(response.status, { error: "what answers is not the service" }, response.headers, what);

// The connection was there and broke, where the runtime says so.
export const broke = (e) => e?.name === "TimeoutError" || ["ECONNRESET", "UND_ERR_SOCKET"].includes(e?.cause?.code);

// Milliseconds.
export const submissionBudget = 8 * 60_000;
export const callBudget = 60_000;
export const connectBudget = 10_000; // of an address at which nothing has answered yet: it may be wrong
const defaultRetryAfter = 30_000;

export const backoff = (attempt) => Math.min(500 * 2 ** Math.min(attempt, 10), 8000);

// Asking again can't help.
export const final = (e) => (e instanceof SvcError && e.status < 500) || e instanceof SyntaxError;

// How long to wait after a call failed; undefined when another attempt can't help.
export function callDelay(e, attempt) {
  if (!(e instanceof SvcError)) return undefined; // the answer is lost: what it was is not known
  return e.status === 503 ? Math.max(backoff(attempt), e.retryAfter ?? 0) : undefined;
}

// The same of a call with an Idempotency-Key, which makes it safe to repeat.
export function onceDelay(e, attempt) {
  if (!(e instanceof SvcError)) return backoff(attempt);
  switch (e.status) {
    case 503:
      return e.retryAfter ?? defaultRetryAfter;
    case 502:
    case 504:
      return Math.max(backoff(attempt), e.retryAfter ?? 0);
    case 409: // an earlier attempt is under way
      return attempt > 0 || e.retryAfter !== undefined ? Math.max(backoff(attempt), e.retryAfter ?? 0) : undefined;
  }
  return undefined;
}

// The same of what only reads, and of the creation of a project, which starts no engine that takes its time.
export const projectDelay = (e, attempt) => callDelay(e, attempt) ?? onceDelay(e, attempt);

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export const clock = { now: () => Date.now(), sleep }; // a test has another one

// How long failures are borne: from the first since the last sign of the service, or from a given time.
export class Patience {
  constructor(link, since) {
    this.link = link;
    this.since = since;
  }

  seen() {
    this.since = undefined;
  }

  // An attempt after so many milliseconds would come after the budget.
  spent(budget, ms) {
    this.since ??= clock.now();
    return clock.now() + ms > this.since + (this.link.reached ? budget : Math.min(budget, connectBudget));
  }
}

// Calls attempt until it succeeds, another attempt can't help, or would come after the budget.
export async function again(link, attempt, { budget, delay, signal }) {
  const patience = new Patience(link, clock.now());
  for (let n = 0; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted) throw error;
      const wait = delay(error, n);
      if (wait === undefined || patience.spent(budget, wait)) throw error;
      link.onRetry?.({ delay: wait, error, attempt: n + 1 });
      await clock.sleep(wait, signal);
    }
  }
}
