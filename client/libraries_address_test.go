package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

// clockJS and clockPy have a library's waits take no time; now is the time that they took.
const (
	clockJS = `
import { Client } from "./typescript/index.js";
import { clock } from "./typescript/retry.js";
let now = 0;
Object.assign(clock, { now: () => now * 1000, sleep: async (ms) => { now += ms / 1000; } });`
	clockPy = `
import os, sys, time
sys.path.insert(0, "python")
from svc_client import Client
now = 0
def sleep(seconds):
    global now
    now += seconds
time.sleep, time.monotonic = sleep, lambda: now`
)

// addressJS and addressPy print what each call at a wrong address throws, and after how many seconds.
const (
	addressJS = clockJS + `
const thrown = async (call) => {
  const begun = now;
  const what = await (async () => call())().then(() => "nothing", (error) => error.status ?? error.name);
  console.log(what, now - begun);
};
const at = (baseURL) => new Client({ apiKey: "sk-x", baseURL });
const request = { projectId: "p", prompt: "a duck" };
for (const base of process.env.SVC_BASE_URL.split(" ")) {
  await thrown(() => at(base).generate(request));
  await thrown(() => at(base).job({ jobId: "j" }).events().next());
  await thrown(() => at(base).job({ jobId: "j" }).wait());
}
await thrown(() => at("http://localhost").generate({ prompt: 1n }));
await thrown(() => at("http://localhost").generate(request, { idempotencyKey: "a\nb" }));
await thrown(() => at("http://a b"));
await thrown(() => at("localhost:8080"));`
	addressPy = clockPy + `
def thrown(call):
    begun = now
    try:
        call()
        what = "nothing"
    except Exception as error:
        what = getattr(error, "status", type(error).__name__)
    print(what, f"{now - begun:g}")
def at(base):
    return Client("sk-x", base)
for base in os.environ["SVC_BASE_URL"].split():
    thrown(lambda: at(base).generate("p", "a duck"))
    thrown(lambda: next(at(base).job("j").events()))
    thrown(lambda: at(base).job("j").wait())
thrown(lambda: at("http://localhost").generate("p", b"a duck"))
thrown(lambda: at("http://localhost").generate("p", "a duck", idempotency_key="a\nb"))
thrown(lambda: at("http://a b"))
thrown(lambda: at("localhost:8080"))`
)

// printed returns what a program that uses a library prints, with the address in SVC_BASE_URL.
func printed(t *testing.T, address string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "SVC_BASE_URL="+address)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", command[0], err)
	}
	return string(out)
}

// TestLibrariesSayAtOnceThatAnAddressIsWrong: what is another's is given up at once, what does
// not answer within seconds, and what can't be sent is not tried.
func TestLibrariesSayAtOnceThatAnAddressIsWrong(t *testing.T) {
	var followed atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/page/"):
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<!doctype html>")
		case strings.HasPrefix(r.URL.Path, "/moved/"):
			http.Redirect(w, r, "/other", http.StatusMovedPermanently)
		default: // a redirect makes a GET of a submission
			followed.Store(true)
			writeJSON(w, http.StatusOK, api.JobList{})
		}
	}))
	defer server.Close()
	addresses := server.URL + "/page " + server.URL + "/moved " + nobody(t)
	for _, tt := range []struct {
		command                   []string
		unreached, body, url, key string
	}{
		{[]string{"node", "--input-type=module", "-e", addressJS}, "TypeError", "TypeError", "TypeError", "TypeError"},
		{[]string{"python3", "-B", "-c", addressPy}, "URLError", "TypeError", "ValueError", "ValueError"},
	} {
		want := strings.Repeat("200 0\n", 3) + strings.Repeat("301 0\n", 3) +
			fmt.Sprintf("%[1]s 7.5\n%[1]s 7\n%[1]s 14.5\n%[2]s 0\n%[3]s 0\n%[4]s 0\n%[4]s 0\n", tt.unreached, tt.body, tt.key, tt.url)
		if got := printed(t, addresses, tt.command...); got != want {
			t.Errorf("%s:\n%swant\n%s", tt.command[0], got, want)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}
