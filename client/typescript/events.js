// The events of a job: one stream after the other, as one sequence.
import { backoff, clock, final, foreign } from "./retry.js";

const idleLimit = 45_000; // milliseconds; the service beats every 15 s
const terminal = new Set(["job.completed", "job.failed", "job.cancelled"]);

// Yields the blocks of a stream as {event, data, id}; comments only say that it is alive.
export async function* blocks(body, alive) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let block = {};
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      alive();
      text += decoder.decode(value, { stream: true });
      const lines = text.split("\n");
      text = lines.pop();
      for (const raw of lines) {
        const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
        if (line === "") {
          if (block.data !== undefined) yield block;
          block = {};
          continue;
        }
        const at = line.indexOf(":");
        if (at === 0) continue;
        const name = at < 0 ? line : line.slice(0, at);
        const value = at < 0 ? "" : line.slice(line[at + 1] === " " ? at + 2 : at + 1);
        block[name] = name === "data" && block.data !== undefined ? block.data + "\n" + value : value;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // the connection may be gone already
  }
}

// Yields each event once and in order until the job's last. open(headers, signal) makes
// a connection. An error is a refusal, an abort, or the last failure of a budget without a sign of the service.
export async function* follow(open, { after = 0, signal, patience, budget }) {
  let last = after;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const before = last;
    let failed = new Error("the event stream brings nothing");
    try {
      for await (const event of connection(open, last, signal, patience)) {
        if (event.type === "stream.reset") last = 0;
        else if (event.seq <= last) continue;
        else last = event.seq;
        yield event;
        if (terminal.has(event.type)) return;
      }
    } catch (error) {
      if (error === ended) return;
      if (signal?.aborted) throw signal.reason;
      if (final(error)) throw error;
      failed = error;
    }
    failures = last > before ? 0 : failures + 1;
    const wait = Math.max(failed.retryAfter ?? 0, backoff(failures));
    if (patience.spent(budget, wait)) throw failed;
    await clock.sleep(wait, signal);
  }
}

const ended = new Error("the log has ended");

async function* connection(open, last, signal, patience) {
  const control = new AbortController();
  const stop = () => control.abort(signal.reason);
  signal?.addEventListener("abort", stop, { once: true });
  let timer;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => control.abort(new Error("the event stream is silent")), idleLimit);
  };
  alive();
  try {
    const headers = { Accept: "text/event-stream", ...(last > 0 && { "Last-Event-ID": String(last) }) };
    const response = await open(headers, control.signal);
    if (response.status === 204) throw ended;
    if (!/^text\/event-stream/.test(response.headers.get("Content-Type"))) throw foreign(response, "the event stream");
    const seen = () => {
      patience.seen();
      alive();
    };
    for await (const block of blocks(response.body, seen)) {
      const event = JSON.parse(block.data);
      if (event.type === "stream.closing") return; // the next connection learns why
      yield event;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    control.abort();
  }
}
