package client

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// throughJS and throughPy make a project and a job, follow it, and print what comes of it.
const (
	throughJS = `
import { Client } from "./typescript/index.js";
const svc = new Client({ apiKey: "sk-x", baseURL: process.env.SVC_BASE_URL });
const project = await svc.createProject({ name: "duck", template: "blank" });
const job = await svc.generate({ projectId: project.id, prompt: "a duck" });
const seqs = [];
for await (const event of job.events()) seqs.push(event.seq);
const zip = await job.download();
console.log(project.id, job.jobId, seqs.join(" "), Buffer.from(zip).toString());`
	throughPy = `
import os, sys, time
sys.path.insert(0, "python")
from svc_client import Client
time.sleep = lambda seconds: None
svc = Client("sk-x", os.environ["SVC_BASE_URL"])
project = svc.create_project("duck")
job = svc.generate(project["id"], "a duck")
seqs = [str(event["seq"]) for event in job.events()]
print(project["id"], job.job_id, " ".join(seqs), job.download().decode())`
)

// cutting is a service that cuts every first answer in the middle.
type cutting struct {
	mu    sync.Mutex
	asked map[string][]string // the header that matters, by the path
}

const cutGame = "a game of two halves"

func (c *cutting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	matters := map[string]string{"projects": "Idempotency-Key", "generate": "Idempotency-Key", "events": "Last-Event-ID", "files": "Range"}[at]
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[at] = append(c.asked[at], r.Header.Get(matters))
	n := len(c.asked[at])
	switch {
	case at == "projects" && n > 1:
		_, _ = fmt.Fprint(w, `{"data":{"id":"p1"}}`)
	case at == "generate" && n > 1:
		_, _ = fmt.Fprint(w, `{"jobId":"j1","projectId":"p1","sessionId":"s1","status":"queued"}`)
	case at == "events":
		c.events(w, n)
	case at == "files":
		c.files(w, r, n)
	default:
		w.Header().Set("Content-Length", "100")
		_, _ = fmt.Fprint(w, `{"data":{`)
		panic(http.ErrAbortHandler)
	}
}

// events cuts an event in its middle, without chunks to tell by, then ends as a gateway
// does that stops, then has the rest.
func (c *cutting) events(w http.ResponseWriter, n int) {
	if n == 1 {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+
			"id: 1\ndata: {\"seq\":1,\"type\":\"job.queued\"}\n\nid: 2\ndata: {\"seq\":2,\"type\":\"job.pro")
		_ = conn.Close()
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if n == 2 {
		_, _ = fmt.Fprint(w, "id: 2\ndata: {\"seq\":2,\"type\":\"job.progress\"}\n\ndata: {\"type\":\"stream.closing\",\"reason\":\"stopping\"}\n\n")
		return
	}
	_, _ = fmt.Fprint(w, "id: 3\ndata: {\"seq\":3,\"type\":\"job.completed\"}\n\n")
}

func (c *cutting) files(w http.ResponseWriter, r *http.Request, n int) {
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(cutGame))))
	if n == 1 {
		w.Header().Set("Content-Length", strconv.Itoa(len(cutGame)))
		_, _ = fmt.Fprint(w, cutGame[:7])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	if r.Header.Get("Range") != "" {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", len(cutGame)-1, len(cutGame)))
		w.WriteHeader(http.StatusPartialContent)
		_ = http.NewResponseController(w).Flush() // without a Content-Length
		_, _ = fmt.Fprint(w, cutGame[7:])
		return
	}
	_, _ = fmt.Fprint(w, cutGame)
}

func TestLibrariesComeThroughAServiceThatCutsEachAnswer(t *testing.T) {
	for _, command := range [][]string{{"node", "--input-type=module", "-e", throughJS}, {"python3", "-B", "-c", throughPy}} {
		c := &cutting{asked: map[string][]string{}}
		server := httptest.NewServer(c)
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "SVC_BASE_URL="+server.URL)
		out, err := cmd.CombinedOutput()
		server.Close()
		if got, want := strings.TrimSpace(string(out)), "p1 j1 1 2 3 "+cutGame; err != nil || got != want {
			t.Errorf("%s: %v, %s, want %s", command[0], err, got, want)
		}
		for _, at := range []string{"projects", "generate"} {
			if keys := c.asked[at]; len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
				t.Errorf("%s: %s was asked with the keys %q, want the same one twice", command[0], at, keys)
			}
		}
		for at, want := range map[string][]string{"events": {"", "1", "2"}, "files": {"", "bytes=7-"}} {
			if got := c.asked[at]; !slices.Equal(got, want) {
				t.Errorf("%s: %s was asked from %q, want %q", command[0], at, got, want)
			}
		}
	}
}
