// What test/e2e runs against a service: the whole flow, printed as one line of JSON.
import { Client, SvcError, followJob } from "./index.js";

const baseURL = process.env.SVC_BASE_URL;
const svc = new Client({ apiKey: process.env.SVC_API_KEY, baseURL: baseURL + "/v1/" });
const project = await svc.createProject({ name: "Duck" });
const job = await svc.generate({ projectId: project._id, prompt: "a yellow duck that flaps through gaps" });
const { token } = await job.streamToken();

const read = async (events) => {
  const list = [];
  for await (const event of events) list.push(event);
  return list;
};
const [ours, browsers] = await Promise.all([
  read(job.events()),
  read(followJob({ baseURL, jobId: job.jobId, projectId: job.projectId, token: async () => token })),
]);
const after = await read(job.events({ after: 3 }));
const record = await job.wait();
const zip = await job.download();
const { data: published } = await svc.request("POST", "/v1/projects/{projectId}/publish", {
  path: { projectId: project._id }, body: { jobId: job.jobId },
});
const { data: overview } = await svc.request("GET", "/v1/projects/{projectId}/analytics/overview", {
  path: { projectId: project._id }, query: { days: 3 },
});
const listed = await read(svc.jobs({ projectId: project._id, status: "completed", limit: 1 }));

let refused;
try {
  await svc.generate({ projectId: project._id, prompt: "" });
} catch (error) {
  refused = error instanceof SvcError ? error.status : String(error);
}
const dropped = await svc.generate({ projectId: project._id, prompt: "a yellow duck that flaps through gaps" });
await dropped.cancel();
console.log(JSON.stringify({
  status: record.status, events: ours.length, browsers: browsers.length, after: after.length,
  lastEventId: record.lastEventId, inOrder: ours.every((event, i) => event.seq === i + 1), bytes: zip.length, expected: record.files.bytes,
  listed: listed.map((one) => one.jobId), jobId: job.jobId, refused, published: published.path, days: overview.days.length, models: (await svc.models()).length,
  dropped: (await dropped.wait()).status,
}));
