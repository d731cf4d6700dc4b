// Posts of the service, signed by the Standard Webhooks scheme.

const tolerance = 5 * 60; // seconds

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

// Resolves with what was posted, once one of its signatures is right; rejects otherwise. body is the text, or the
// bytes, that came, and headers are a Headers or an object of lower-case names.
export async function verifyWebhook({ headers, body, secret, now = Date.now() }) {
  const header = (name) => (typeof headers.get === "function" ? headers.get(name) : headers[name]) ?? "";
  const id = header("webhook-id");
  const stamp = header("webhook-timestamp");
  const signatures = header("webhook-signature");
  if (!id || !/^\d+$/.test(stamp) || !signatures) throw new Error("the webhook headers are missing or malformed");
  if (!/^whsec_./.test(secret)) throw new TypeError("the secret must be whsec_ and base64");
  if (Math.abs(now / 1000 - Number(stamp)) > tolerance) throw new Error("the post is too old, or from the future");
  const raw = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${stamp}.`);
  const signed = new Uint8Array(head.length + raw.length);
  signed.set(head);
  signed.set(raw, head.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const shared = bytesOf(secret.slice("whsec_".length));
  const key = await crypto.subtle.importKey("raw", shared, algorithm, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    if (!signature.startsWith("v1,")) continue;
    let sum;
    try {
      sum = bytesOf(signature.slice("v1,".length));
    } catch {
      continue; // no base64
    }
    if (await crypto.subtle.verify("HMAC", key, sum, signed)) return JSON.parse(new TextDecoder().decode(raw));
  }
  throw new Error("none of the post's signatures is valid");
}
