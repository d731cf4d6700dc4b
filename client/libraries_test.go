package client

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// callbacksJS and callbacksPy print what each call throws.
const (
	callbacksJS = `
import { Client } from "./typescript/index.js";
const job = new Client({ apiKey: "sk-x", baseURL: process.env.SVC_BASE_URL }).job({ jobId: "j" });
const signal = AbortSignal.abort(new Error("aborted"));
const own = () => { throw new Error("mine"); };
const thrown = (call) => call().then(() => "nothing", (error) => error.message);
console.log(await thrown(() => job.events({ signal }).next()), await thrown(() => job.wait({ signal })),
  await thrown(() => job.download({ signal })), await thrown(() => job.wait({ onEvent: own })),
  await thrown(() => job.download({ onProgress: own })));`
	callbacksPy = `
import os, sys, time
sys.path.insert(0, "python")
from svc_client import Client
slept = []
time.sleep = slept.append
job = Client("sk-x", os.environ["SVC_BASE_URL"]).job("j")
def own(*_):
    raise OSError("mine")
def thrown(call, *args):
    try:
        call(*args)
        return "nothing"
    except Exception as error:
        return str(error)
print(thrown(job.download), slept, thrown(job.wait, own), thrown(job.download, own))`
)

// TestLibrariesPassOnWhatCallbacksThrowAndDoNothingOnceAborted: an error of the caller's
// own is no lost connection, and a download waits as long as it was asked to.
func TestLibrariesPassOnWhatCallbacksThrowAndDoNothingOnceAborted(t *testing.T) {
	const game = "a game"
	for want, command := range map[string][]string{
		"aborted aborted aborted mine mine": {"node", "--input-type=module", "-e", callbacksJS},
		"nothing [7.0] mine mine":           {"python3", "-B", "-c", callbacksPy},
	} {
		var asked atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := asked.Add(1)
			switch {
			case strings.HasSuffix(r.URL.Path, "/events"):
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprint(w, "id: 1\ndata: {\"seq\":1,\"type\":\"job.completed\"}\n\n")
			case strings.HasSuffix(r.URL.Path, "/status"):
				_, _ = fmt.Fprint(w, `{"status":"completed"}`)
			case n == 1 && command[0] == "python3":
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(game))))
				_, _ = fmt.Fprint(w, game)
			}
		}))
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "SVC_BASE_URL="+server.URL)
		out, err := cmd.CombinedOutput()
		server.Close()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %v, %s, want %s", command[0], err, got, want)
		}
		if n := asked.Load(); command[0] == "node" && n != 2 {
			t.Errorf("%d requests, want those of the two calls that were not aborted", n)
		}
	}
}
