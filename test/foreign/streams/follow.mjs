// Follows a stream of events with one of the clients of package.json, and prints the id and
// type of each event. It ends when the client takes the stream for ended.
// Usage: SVC_API_KEY=KEY SVC_EVENTS="TYPE..." node follow.mjs CLIENT URL
// CLIENT is the name of a package. undici's EventSource can't send a key: its URL has a token.
import { setTimeout as sleep } from "node:timers/promises";

const [client, url] = process.argv.slice(2);
const headers = { "X-API-Key": process.env.SVC_API_KEY };
const print = (id, type) => console.log(id, type);

// listen asks an EventSource, which has no way to name all types, for each of them. The timer
// is for undici's, whose own, with which it connects again, keeps no program running.
function listen(source) {
  setInterval(() => source.readyState === source.CLOSED && process.exit(), 50);
  for (const type of process.env.SVC_EVENTS.split(" ")) source.addEventListener(type, (e) => print(e.lastEventId, e.type));
}

const clients = {
  async eventsource() {
    const { EventSource } = await import("eventsource");
    listen(new EventSource(url, { fetch: (at, init) => fetch(at, { ...init, headers: { ...init.headers, ...headers } }) }));
  },

  async undici() {
    const { EventSource } = await import("undici");
    listen(new EventSource(url));
  },

  async "eventsource-client"() {
    const { createEventSource } = await import("eventsource-client");
    createEventSource({ url, headers, onMessage: ({ id, event }) => print(id, event) });
  },

  // It reads blocks and nothing else: the program asks again.
  async "eventsource-parser"() {
    const { createParser } = await import("eventsource-parser");
    for (let last = ""; ; await sleep(50)) {
      const parser = createParser({
        onEvent({ id, event }) {
          last = id ?? last;
          print(id, event);
        },
      });
      try {
        const response = await fetch(url, { headers: { ...headers, ...(last && { "Last-Event-ID": last }) } });
        if (response.status === 204) return;
        const text = new TextDecoder();
        for await (const chunk of response.body) parser.feed(text.decode(chunk, { stream: true }));
      } catch {
        // the connection was lost
      }
    }
  },

  // It is made for browsers: it reads timers of the window.
  async "@microsoft/fetch-event-source"() {
    globalThis.window = globalThis;
    const { fetchEventSource } = await import("@microsoft/fetch-event-source");
    await fetchEventSource(url, {
      headers,
      openWhenHidden: true, // there is no document that could be hidden
      fetch,
      onopen: async (response) => {
        if (!response.ok) throw new Error(`status ${response.status}`);
      },
      onmessage: (e) => e.data && print(e.id, e.event), // it also calls for comments
      onerror: () => 50, // ms until it asks again
    });
  },
};

await clients[client]();
