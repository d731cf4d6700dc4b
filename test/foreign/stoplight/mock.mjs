// The flow with the TypeScript client, against a mock: all but the events, of which a mock
// has no stream. Usage: SVC_BASE_URL=URL node mock.mjs CLIENT
const { Client } = await import(process.argv[2]);

const svc = new Client({ apiKey: "sk-mock", baseURL: process.env.SVC_BASE_URL });
const project = await svc.createProject({ name: "Duck" });
const job = await svc.generate({ projectId: project._id, prompt: "a duck" });
let record;
while ((record = await job.status()).status !== "completed");
console.log((await svc.models()).length, project._id === record.projectId, String(Buffer.from(await job.download())));
