package client

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// asyncPy prints what comes of calls beside many that hang, and how many threads are left of
// those that were cancelled.
const asyncPy = `
import asyncio, os, sys, threading
sys.path.insert(0, "python")
from svc_client import AsyncClient

async def main():
    loop, refused = asyncio.get_running_loop(), asyncio.Event()
    svc = AsyncClient("sk-x", os.environ["SVC_BASE_URL"], lambda retry: loop.call_soon_threadsafe(refused.set))
    submitting = asyncio.create_task(svc.generate("p", "a duck"))
    await refused.wait()
    async def follow():
        async for event in svc.job("held").events():
            pass
    hanging = [submitting, asyncio.create_task(svc.job("held").wait())]
    hanging += [asyncio.create_task(follow()) for _ in range(40)]
    await asyncio.sleep(0)
    print((await svc.job("ended").status())["status"])
    for task in hanging:
        task.cancel()
    results = await asyncio.gather(*hanging, return_exceptions=True)
    print({type(result).__name__ for result in results})
    events, progress = [], []
    record = await svc.job("ended").wait(events.append)
    archive = await svc.job("ended").download(progress.append)
    print(record["status"], len(events), progress, archive.decode())

asyncio.run(main())
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join(20)
print(threading.active_count())`

// TestCancelledCallsOfTheAsyncClientEnd: a cancelled submission is not sent again, and no call
// keeps another one, or the program, from its end.
func TestCancelledCallsOfTheAsyncClientEnd(t *testing.T) {
	const game = "a game"
	var submissions atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			submissions.Add(1)
			refusal(http.StatusServiceUnavailable, "60")(w, r)
		case strings.HasSuffix(r.URL.Path, "/events"):
			w.Header().Set("Content-Type", "text/event-stream")
			if strings.Contains(r.URL.Path, "/held/") {
				_, _ = fmt.Fprint(w, ": ok\n\n")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			_, _ = fmt.Fprint(w, "id: 1\ndata: {\"seq\":1,\"type\":\"job.completed\"}\n\n")
		case strings.HasSuffix(r.URL.Path, "/status"):
			_, _ = fmt.Fprint(w, `{"status":"completed"}`)
		default:
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(game))))
			_, _ = fmt.Fprint(w, game)
		}
	}))
	defer server.Close()
	want := "completed\n{'CancelledError'}\ncompleted 1 [6] a game\n1\n"
	if got := printed(t, server.URL, "python3", "-B", "-c", asyncPy); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
	if n := submissions.Load(); n != 1 {
		t.Errorf("%d submissions, want the one that was not cancelled", n)
	}
}
