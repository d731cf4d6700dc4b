// Follows a stream of events with @microsoft/fetch-event-source, and prints the id
// and type of each event. The client is made for browsers: it reads timers of the
// window.
// Usage: SVC_API_KEY=KEY node fetch-event-source.mjs URL
globalThis.window = globalThis;
const { fetchEventSource } = await import("@microsoft/fetch-event-source");

await fetchEventSource(process.argv[2], {
  headers: { "X-API-Key": process.env.SVC_API_KEY },
  openWhenHidden: true, // there is no document that could be hidden
  fetch,
  onopen: async (response) => {
    if (!response.ok) throw new Error(`status ${response.status}`);
  },
  onmessage: (e) => e.data && console.log(e.id, e.event), // it also calls for comments
  onerror: () => 50, // ms until it asks again
});
