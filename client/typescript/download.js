// The ZIP of a job, taken up again where the connection broke, and checked.
import { backoff, callBudget, clock, final } from "./retry.js";

// open(headers) makes a connection.
export async function download(open, { patience, signal, onProgress }) {
  let parts = [];
  let have = 0;
  let etag = "";
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const before = have;
    let failed = new Error("the download ended early");
    let reader;
    let own = false; // onProgress runs: what it throws is no lost connection
    try {
      const response = await open(have > 0 ? { Range: `bytes=${have}-`, "If-Range": etag } : {});
      if (response.status !== 206) {
        parts = []; // all of it comes again
        have = 0;
      }
      etag = response.headers.get("ETag") ?? "";
      const total = have + Number(response.headers.get("Content-Length") ?? NaN);
      reader = response.body.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        parts.push(value);
        have += value.length;
        own = true;
        onProgress?.(have, total || 0);
        own = false;
      }
      if (!(have < total)) return await checked(join(parts, have), etag);
    } catch (error) {
      if (own) reader.cancel().catch(() => {}); // the connection may be gone already
      if (own || signal?.aborted || final(error) || error instanceof DamagedError) throw error;
      failed = error;
    }
    if (have > before) patience.seen();
    failures = have > before ? 0 : failures + 1;
    const wait = Math.max(failed.retryAfter ?? 0, backoff(failures));
    if (patience.spent(callBudget, wait)) throw failed;
    await clock.sleep(wait, signal);
  }
}

class DamagedError extends Error {}

function join(parts, length) {
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

// The strong ETag of a ZIP is its SHA-256.
async function checked(zip, etag) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", zip));
  const hex = Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
  if (etag !== `"${hex}"`) throw new DamagedError("the download is damaged: its SHA-256 is not that of the service");
  return zip;
}
