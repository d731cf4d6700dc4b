// Goes through the whole flow with openapi-fetch and the types that openapi-typescript made
// of the document: project, submission, events as they come, record, ZIP. It prints how the
// job ended, how many events there were and should be, and the SHA-256 of the ZIP and that of
// the record. Given the address of a stream it follows that one alone, and prints the number
// and type of each event.
// Usage: SVC_API_KEY=KEY node openapifetch.js URL
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./types";

type Event = components["schemas"]["Event"];

const at = new URL(process.argv[2]);
const client = createClient<paths>({ baseUrl: at.origin, headers: { "X-API-Key": process.env.SVC_API_KEY } });

async function submit(projectId: string): Promise<components["schemas"]["Submission"]> {
  for (;;) {
    const { data, error, response } = await client.POST("/v1/generate", { body: { projectId, prompt: "a duck that flaps through gaps" } });
    if (data) return data;
    if (response.status !== 503) throw new Error(`submitting: ${JSON.stringify(error)}`);
    await sleep("retryAfterSeconds" in error ? error.retryAfterSeconds * 1000 : 1000);
  }
}

// It yields each event, and asks again after the last one that it has read until the service
// says that there are no more.
async function* events(jobId: string, query: { projectId?: string; lastEventId?: string } = {}): AsyncGenerator<Event> {
  for (let last: string | undefined; ; await sleep(50)) {
    const params = { path: { jobId }, query, header: { "Last-Event-ID": last } };
    const answer = await client.GET("/v1/generate/{jobId}/events", { params, parseAs: "stream" }).catch(() => undefined);
    if (!answer) continue; // no one listens
    const { data, error, response } = answer;
    if (response.status === 204) return;
    if (!data && response.status < 500) throw new Error(`following: ${JSON.stringify(error)}`);
    if (!data) continue;
    const text = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of data as unknown as AsyncIterable<Uint8Array>) {
        const lines = (rest + text.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (!line.startsWith("data: ")) continue;
          const event = JSON.parse(line.slice("data: ".length)) as Event;
          if ("seq" in event) last = String(event.seq);
          yield event;
        }
      }
    } catch {
      // the connection was lost
    }
  }
}

async function main() {
  const job = /^\/v1\/generate\/(.*)\/events$/.exec(at.pathname)?.[1];
  if (job) {
    const query = { projectId: at.searchParams.get("projectId") ?? undefined, lastEventId: at.searchParams.get("lastEventId") ?? undefined };
    for await (const event of events(job, query)) console.log("seq" in event ? event.seq : "", event.type);
    return;
  }
  const project = await client.POST("/v1/projects", { body: { name: "Duck", template: "blank" } });
  if (!project.data) throw new Error(`creating the project: ${JSON.stringify(project.error)}`);
  const { jobId } = await submit(project.data.data._id);
  let read = 0;
  let ended = false;
  for await (const event of events(jobId)) {
    read++;
    ended = event.type === "job.completed" && event.files.count > 0;
  }
  if (!ended) throw new Error("the last event is not that of the end");
  const record = await client.GET("/v1/generate/{jobId}/status", { params: { path: { jobId } } });
  const zip = await client.GET("/v1/generate/{jobId}/files", { params: { path: { jobId } }, parseAs: "arrayBuffer" });
  if (!record.data || !zip.data) throw new Error(`${JSON.stringify(record.error)} ${JSON.stringify(zip.error)}`);
  const sum = createHash("sha256").update(new Uint8Array(zip.data)).digest("hex");
  console.log(record.data.status, read, record.data.lastEventId, sum, record.data.files?.sha256);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
