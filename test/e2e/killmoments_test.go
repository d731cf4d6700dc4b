package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/wait"
)

// startFile is the file of a volume that engines wait for before they are ready,
// where a kill is to meet them while they start.
const startFile = "start"

func (s *service) killWhileStarting(key apiKey, victim string) {
	project := s.newProject(key)
	body, err := json.Marshal(map[string]string{"projectId": project, "prompt": brief})
	if err != nil {
		s.t.Fatal(err)
	}
	submit := func() (answer, error) {
		ctx, cancel := wait.Context(s.t)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/v1/generate", bytes.NewReader(body))
		if err != nil {
			return answer{}, err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-API-Key", key.Secret)
		req.Header.Set("Idempotency-Key", "the-one")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return answer{}, err
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		return answer{resp.StatusCode, resp.Header, raw}, err
	}
	type result struct {
		answer
		err error
	}
	first := make(chan result, 1)
	go func() {
		a, err := submit()
		first <- result{a, err}
	}()
	s.eventually("the engine starts", func() bool {
		list := s.engines()
		return len(list) == 1 && list[0].State == "starting" && list[0].PID != 0
	})
	s.kill(victim)
	got := <-first
	// Whoever starts from here on, or has outlived the kill, need not wait.
	if err := os.WriteFile(filepath.Join(s.dir, "projects", project, startFile), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
	switch {
	case victim == victimGateway && got.err == nil, victim == victimProxy && got.status != http.StatusServiceUnavailable:
		s.t.Errorf("the waiting submission was answered %v %d %s", got.err, got.status, got.body)
	case !spares(victim) && (got.status != http.StatusServiceUnavailable || !strings.Contains(string(got.body), "before it was ready") ||
		!strings.Contains(string(got.body), "retryAfterSeconds") || got.header.Get("Svc-Engine-State") != "failed"):
		s.t.Errorf("the waiting submission was answered %v %d %s %s", got.err, got.status, got.header.Get("Svc-Engine-State"), got.body)
	}
	var sub api.Submission
	s.eventually("the same request is taken", func() bool {
		a, err := submit()
		if err != nil {
			s.t.Fatal(err)
		}
		if a.status == http.StatusOK {
			s.decode(a.body, &sub)
		}
		return a.status == http.StatusOK
	})
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		s.t.Errorf("the job ended as %s %+v", job.Status, job.Failure)
	}
	s.wantUsage(key, 1)
}

func (s *service) killWhileWorking(key apiKey, victim string) {
	jobs := s.queue(key, 4)
	before := s.engines()
	s.kill(victim)
	if spares(victim) {
		var after []engine
		s.eventually("it is known what runs", func() bool { // the service answers before
			after = s.engines()
			return len(after) > 0 && !slices.ContainsFunc(after, func(e engine) bool { return e.PID == 0 })
		})
		if len(after) != 1 || len(before) != 1 || after[0].PID != before[0].PID {
			s.t.Errorf("engines %v, before %v: not adopted", after, before)
		}
	}
	s.outcome(key, victim, jobs)
}

func (s *service) killWhileStreaming(key apiKey, victim string) {
	jobs := s.queue(key, 4)
	last := jobs[len(jobs)-1]
	stream := s.events(key, last, "")
	reader := sse.NewReader(stream.Body)
	rec, err := reader.Next()
	if err != nil {
		s.t.Fatal(err)
	}
	records := []sse.Record{rec}
	s.kill(victim)
	for !api.TerminalEvent(records[len(records)-1].Type) {
		rec, err := reader.Next()
		if err == nil {
			records = append(records, rec)
			continue
		}
		if victim != victimGateway {
			s.t.Fatalf("the stream ended after %d events: %v", len(records), err)
		}
		reader = sse.NewReader(s.events(key, last, itoa(records[len(records)-1].ID)).Body)
	}
	checkLog(s.t, records)
	s.outcome(key, victim, jobs)
}

func (s *service) killWhileDownloading(key apiKey, victim string) {
	jobs := s.queue(key, 1)
	s.finish(key, jobs[0])
	path := "/v1/generate/" + jobs[0].JobID + "/files?projectId=" + jobs[0].ProjectID
	whole := s.call(key, "GET", path, nil)
	ctx, cancel := wait.Context(s.t)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key.Secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	got := make([]byte, len(whole.body)/2)
	if _, err := io.ReadFull(resp.Body, got); err != nil {
		s.t.Fatal(err)
	}
	s.kill(victim)
	rest, err := io.ReadAll(resp.Body)
	got = append(got, rest...)
	if err != nil {
		if !spares(victim) {
			s.t.Fatalf("the download ended after %d of %d bytes: %v", len(got), len(whole.body), err)
		}
		a := s.call(key, "GET", path, nil, "Range", fmt.Sprintf("bytes=%d-", len(got)), "If-Range", whole.header.Get("ETag"))
		if a.status != http.StatusPartialContent {
			s.t.Fatalf("the rest: %d %s", a.status, a.body)
		}
		got = append(got, a.body...)
	}
	if !bytes.Equal(got, whole.body) {
		s.t.Errorf("got %d bytes, want %d", len(got), len(whole.body))
	}
	s.wantUsage(key, 1)
}

// killWhileLeaving kills while an engine is on its way out, on order. The
// engine is held so that it stays there.
func (s *service) killWhileLeaving(key apiKey, victim, state string, flags ...string) {
	first := s.queue(key, 1)[0]
	if job := s.finish(key, first); job.Status != api.JobCompleted {
		s.t.Fatalf("the job ended as %s %+v", job.Status, job.Failure)
	}
	pid := s.engines()[0].PID
	s.hold(pid)
	order := exec.Command(bin(s.t, "svc"), append([]string{"engines", "stop", first.ProjectID}, flags...)...)
	order.Env = append(os.Environ(), "SVC_DATA_DIR="+s.dir)
	if err := child.Start(order); err != nil {
		s.t.Fatal(err)
	}
	withdraw := sync.OnceFunc(func() {
		_ = order.Process.Kill()
		_ = order.Wait() // what it says depends on who was killed
	})
	defer withdraw()
	s.eventually("the engine is "+state, func() bool {
		list := s.engines()
		return len(list) == 1 && list[0].State == state
	})
	s.kill(victim)
	withdraw()                             // or the next engine may be meant as well
	_ = syscall.Kill(pid, syscall.SIGCONT) // it may be the victim
	if state == "stopping" || victim == victimShim {
		// Its signal has come, or comes with its shim's end. What it accepts before then ends with it.
		s.eventually("the engine has ended", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	}
	if job := s.finish(key, s.generate(key, first.ProjectID, brief)); job.Status != api.JobCompleted {
		s.t.Errorf("the next job ended as %s %+v", job.Status, job.Failure)
	}
	if list := s.engines(); len(list) != 1 || list[0].State != "ready" {
		s.t.Errorf("engines afterwards: %+v", list)
	}
	s.wantUsage(key, 2)
}
