package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// outageJS and outagePy print what comes of calls during an outage, and when it was given up.
const (
	outageJS = clockJS + `
let limit;
const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => {
  limit = ms;
  AbortSignal.timeout = timeout;
  return AbortSignal.abort(new DOMException("no answer came", "TimeoutError"));
};
const svc = new Client({ apiKey: "sk-x", baseURL: process.env.SVC_BASE_URL });
console.log((await svc.models()).length, limit);
for await (const event of svc.job({ jobId: "late" }).events()) console.log(event.type);
console.log((await svc.job({ jobId: "late" }).wait()).status);
const begun = now;
await svc.job({ jobId: "never" }).events().next().catch(() => console.log(now - begun));`
	outagePy = clockPy + `
svc = Client("sk-x", os.environ["SVC_BASE_URL"])
print(len(svc.models()), 60000)
for event in svc.job("late").events():
    print(event["type"])
print(svc.job("late").wait()["status"])
begun = now
try:
    next(svc.job("never").events())
except OSError:
    print(f"{now - begun:g}")`
)

// TestLibrariesOutlastAnOutageOfMinutes, streams and waits as well as what reads, and give up
// after eight. A call that brings no answer ends after a minute.
func TestLibrariesOutlastAnOutageOfMinutes(t *testing.T) {
	const cuts = 40 // with their waits five minutes of a stream
	for _, command := range [][]string{{"node", "--input-type=module", "-e", outageJS}, {"python3", "-B", "-c", outagePy}} {
		var mu sync.Mutex
		asked := map[string]int{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked[r.URL.Path]++
			n := asked[r.URL.Path]
			switch {
			case strings.HasSuffix(r.URL.Path, "/models") && n == 1:
				w.WriteHeader(http.StatusBadGateway)
			case strings.HasSuffix(r.URL.Path, "/models") && n > 2:
				_, _ = fmt.Fprint(w, `{"data":[{}]}`)
			case strings.HasSuffix(r.URL.Path, "/late/status") && n > cuts:
				_, _ = fmt.Fprint(w, `{"status":"completed"}`)
			case strings.HasSuffix(r.URL.Path, "/late/events") && n == cuts+1:
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprint(w, "id: 1\ndata: {\"seq\":1,\"type\":\"job.completed\"}\n\n")
			default:
				panic(http.ErrAbortHandler)
			}
		}))
		got := printed(t, server.URL, command...)
		server.Close()
		if want := "1 60000\njob.completed\ncompleted\n479\n"; got != want {
			t.Errorf("%s:\n%swant\n%s", command[0], got, want)
		}
	}
}
