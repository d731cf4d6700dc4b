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

// Milliseconds.
export const submissionBudget = 8 * 60_000;
export const callBudget = 60_000;
const defaultRetryAfter = 30_000;

export const backoff = (attempt) => Math.min(500 * 2 ** Math.min(attempt, 10), 8000);

// Asking again can't help.
export const final = (e) => e instanceof SvcError && e.status < 500;

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

// The same of the creation of a project, which starts no engine that takes its time.
export const projectDelay = (e, attempt) => callDelay(e, attempt) ?? onceDelay(e, attempt);

export function sleep(ms, signal) {
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

// Calls attempt until it succeeds, another attempt can't help, or would come after the budget.
export async function again(attempt, { budget, delay, signal, onRetry }) {
  const givesUp = Date.now() + budget;
  for (let n = 0; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted) throw error;
      const wait = delay(error, n);
      if (wait === undefined || Date.now() + wait > givesUp) throw error;
      onRetry?.({ delay: wait, error, attempt: n + 1 });
      await sleep(wait, signal);
    }
  }
}
