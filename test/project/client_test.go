package project_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// largestClient is how large the TypeScript client may be in a page, gzipped, in bytes.
const largestClient = 12 << 10

// typed is a program that its types must let through: each kind of event has its own members.
const typed = `import { Client, followJob, verifyWebhook, type Event, type JobRecord } from "./index.js";

export async function flow(svc: Client): Promise<JobRecord> {
  const job = await svc.generate({ projectId: "0123456789abcdef01234567", prompt: "a duck" });
  for await (const event of job.events({ after: 0 })) show(event);
  for await (const event of followJob({ jobId: job.jobId, token: async () => "st_" })) show(event);
  const zip: Uint8Array = await job.download();
  const { data } = await svc.request("POST", "/v1/projects/{projectId}/publish", {
    path: { projectId: "0123456789abcdef01234567" }, body: { jobId: job.jobId },
  });
  const path: string = data.path;
  const { nextCursor } = await svc.request("GET", "/v1/generate", { query: { limit: 3 } });
  const view = "/v1/projects/{projectId}/analytics/{view}", of = { projectId: "0123456789abcdef01234567", view: "costs" } as const;
  const rows: string = await svc.request("GET", view, { path: of, query: { format: "csv" } });
  const tables = (await svc.request("GET", view, { path: of, query: { format: "json", days: 3 } })).data.tables.length;
  const all = (await svc.request("GET", view, { path: of })).data.tables.length + rows.length + tables;
  // @ts-expect-error: there is no such format
  await svc.request("GET", view, { path: of, query: { format: "xml" } });
  // @ts-expect-error: it is no operation
  await svc.request("DELETE", "/v1/models");
  // @ts-expect-error: it has no such member
  await svc.request("POST", "/v1/projects/{projectId}/publish", { body: { job: path, nextCursor, all } });
  const post = await verifyWebhook({ headers: {}, body: zip, secret: "whsec_" });
  console.log(post.type);
  return job.wait();
}

function show(event: Event): void {
  switch (event.type) {
    case "job.progress": {
      const percent: number = event.percent;
      console.log(percent, event.message);
      break;
    }
    case "job.failed":
      console.log(event.failure.code);
      break;
    case "job.started":
      // @ts-expect-error: it has none
      console.log(event.percent);
  }
}
`

// TestTypeScriptClientIsSmallAndItsTypesHold: bundled for a page it has at most 12 kB, and
// its declarations are right in themselves.
func TestTypeScriptClientIsSmallAndItsTypesHold(t *testing.T) {
	bin, client, dir := filepath.Join(tools(t), ".bin"), "../../client/typescript", t.TempDir()
	script := run(t, client, filepath.Join(bin, "esbuild"), "--bundle", "--minify", "--format=esm", "index.js")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(script)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > largestClient {
		t.Errorf("the client has %d bytes, gzipped, more than %d", packed.Len(), largestClient)
	}
	t.Logf("%d bytes, %d gzipped", len(script), packed.Len())
	for name, content := range map[string]string{
		"program.ts":   typed,
		"index.d.ts":   string(read(t, filepath.Join(client, "index.d.ts"))),
		"schema.d.ts":  string(read(t, filepath.Join(client, "schema.d.ts"))),
		"package.json": string(read(t, filepath.Join(client, "package.json"))),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, filepath.Join(bin, "tsc"), "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "program.ts")
}
