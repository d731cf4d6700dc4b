// Submits a job with one of the HTTP clients of package.json, which sends the same again by its
// own rules, and prints the job's id.
// Usage: SVC_API_KEY=KEY node submit.mjs CLIENT URL BODY
const [client, url, body] = process.argv.slice(2);
const headers = { "X-API-Key": process.env.SVC_API_KEY, "Content-Type": "application/json", "Idempotency-Key": client };
const limit = 20; // times

// A POST is sent again only by who is told that it may be: here it has an Idempotency-Key.
const clients = {
  async got() {
    const { default: got } = await import("got");
    return got.post(url, { body, headers, retry: { limit, methods: ["POST"], statusCodes: [503] } }).json();
  },

  async ky() {
    const { default: ky } = await import("ky");
    return ky.post(url, { body, headers, timeout: false, retry: { limit, methods: ["post"], statusCodes: [503] } }).json();
  },

  async "axios-retry"() {
    const [{ default: axios }, { default: retry, isNetworkError, exponentialDelay }] = await Promise.all([import("axios"), import("axios-retry")]);
    retry(axios, { retries: limit, retryDelay: exponentialDelay, retryCondition: (e) => isNetworkError(e) || e.response?.status === 503 });
    return (await axios.post(url, body, { headers })).data;
  },

  async undici() {
    const { Agent, RetryAgent, request } = await import("undici");
    const dispatcher = new RetryAgent(new Agent(), { maxRetries: limit, methods: ["POST"], statusCodes: [503] });
    return (await request(url, { dispatcher, method: "POST", headers, body })).body.json();
  },
};

console.log((await clients[client]()).jobId);
