// Goes through the whole flow with the client that @hey-api/openapi-ts made of the
// document: project, submission, events as they come, record, ZIP. It prints how the job
// ended, how many events there were and should be, and the SHA-256 of the ZIP and that
// of the record. Given the address of a stream it follows that one alone, and prints the
// number and type of each event.
// Usage: SVC_API_KEY=KEY node heyapi.js URL
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { client } from "./heyapi/client.gen";
import { createProject, downloadFiles, generate, getJob, streamEvents } from "./heyapi/sdk.gen";
import type { Submission } from "./heyapi/types.gen";

async function submit(projectId: string): Promise<Submission> {
  for (;;) {
    const { data, error, response } = await generate({ body: { projectId, prompt: "a duck that flaps through gaps" } });
    if (data) return data;
    if (response?.status !== 503) throw new Error(`submitting: ${JSON.stringify(error)}`);
    await sleep("retryAfterSeconds" in error ? error.retryAfterSeconds * 1000 : 1000);
  }
}

async function follow(jobId: string, query: URLSearchParams) {
  const { stream } = await streamEvents({
    path: { jobId },
    query: { projectId: query.get("projectId") ?? undefined, lastEventId: query.get("lastEventId") ?? undefined },
    sseMaxRetryDelay: 50,
    onSseEvent: ({ id, event }) => event && console.log(id, event),
  });
  for await (const _ of stream); // it is shown
}

async function main() {
  const at = new URL(process.argv[2]);
  client.setConfig({ baseUrl: at.origin, auth: process.env.SVC_API_KEY, throwOnError: false });
  const job = /^\/v1\/generate\/(.*)\/events$/.exec(at.pathname)?.[1];
  if (job) return follow(job, at.searchParams);
  const project = await createProject({ body: { name: "Duck" } });
  if (!project.data) throw new Error(`creating the project: ${JSON.stringify(project.error)}`);
  const { jobId } = await submit(project.data.data._id);
  let read = 0;
  let ended = false;
  const { stream } = await streamEvents({ path: { jobId }, sseMaxRetryAttempts: 1 });
  for await (const event of stream) {
    if (!event) continue;
    read++;
    ended = event.type === "job.completed" && event.files.count > 0;
  }
  if (!ended) throw new Error("the last event is not that of the end");
  const record = await getJob({ path: { jobId } });
  const zip = await downloadFiles({ path: { jobId }, parseAs: "blob" });
  if (!record.data || !(zip.data instanceof Blob)) throw new Error(`${JSON.stringify(record.error)} ${JSON.stringify(zip.error)}`);
  const sum = createHash("sha256").update(new Uint8Array(await zip.data.arrayBuffer())).digest("hex");
  console.log(record.data.status, read, record.data.lastEventId, sum, record.data.files?.sha256);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
