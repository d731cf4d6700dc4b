// The flow with the TypeScript client, against a mock, which has no stream of events.
// Usage: SVC_BASE_URL=URL node mock.mjs CLIENT
const { Client } = await import(process.argv[2]);

const svc = new Client({ apiKey: "sk-mock", baseURL: process.env.SVC_BASE_URL });
const project = await svc.createProject({ name: "Duck" });
const job = await svc.generate({ projectId: project._id, prompt: "a duck" });
const record = await job.wait();
console.log((await svc.models()).length, project._id === record.projectId, String(Buffer.from(await job.download())));
