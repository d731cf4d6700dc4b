package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// Victims of the matrix. The gateway's process is the engine proxy's as well,
// unless that has one of its own.
const (
	victimGateway = "gateway"
	victimProxy   = "engine proxy"
	victimEngine  = "engine"
	victimShim    = "shim"
)

// spares reports whether engines outlive a victim.
func spares(victim string) bool { return victim == victimGateway || victim == victimProxy }

// patientChain is svc_api with a submission that waits for its engine until the
// kill has come, however long that takes to be seen and done.
const patientChain = `
	handle /v1/* {
		route {
			request_header -Svc-*
			svc_auth
			svc_access
			svc_projects
			svc_engine {
				hold 5m
			}
			svc_quota
			reverse_proxy {
				dynamic svc_engine
				flush_interval -1
				header_down -Server
				transport http {
					dial_timeout 2s
					expect_continue_timeout 30s
					compression off
					keepalive off
				}
			}
		}
	}
	handle_errors {
		svc_error
	}
`

// cells of the matrix that are run each time: every moment and every victim of a
// form, and both where engines outlive the victim and where they don't. The long
// run has all.
var cells = map[form][]string{
	formEmbedded: {
		"gateway/ready with job", "gateway/zip half sent", "engine/starting", "engine/stream open", "shim/draining", "shim/stopping",
	},
	formSplit: {
		"gateway/stream open", "gateway/draining", "engine/ready with job", "shim/starting", "engine proxy/zip half sent", "engine proxy/stopping",
	},
}

// TestKillMatrix kills processes of a running service while clients, or the
// engine proxy, are in the middle of something.
func TestKillMatrix(t *testing.T) {
	inEveryForm(t, killMatrix)
}

func killMatrix(t *testing.T, f form) {
	moments := []struct {
		name string
		env  []string
		sees map[string]string // what the client sees, by victim
		run  func(s *service, key apiKey, victim string)
	}{
		{
			name: "starting", env: []string{"SVC_ENGINE_START_DELAY=until:" + startFile},
			sees: map[string]string{
				victimGateway: "its connection ends; the same request again makes the one job",
				victimProxy:   "503; the same request again makes the one job",
				victimEngine:  "503 that says how the engine ended; the same request again makes the one job",
				victimShim:    "503 that says how the engine ended; the same request again makes the one job",
			},
			run: (*service).killWhileStarting,
		},
		{
			name: "ready with job",
			sees: map[string]string{
				victimGateway: "no answer for a moment, and then every job completed",
				victimProxy:   "every job completed",
				victimEngine:  "the running job failed as engine_restarted, every other completed",
				victimShim:    "the running job failed as engine_restarted, every other completed",
			},
			run: (*service).killWhileWorking,
		},
		{
			name: "stream open",
			sees: map[string]string{
				victimGateway: "the stream ends; with Last-Event-ID it goes on, no event lost or repeated",
				victimProxy:   "the stream goes on, no event lost or repeated",
				victimEngine:  "the stream goes on, no event lost or repeated",
				victimShim:    "the stream goes on, no event lost or repeated",
			},
			run: (*service).killWhileStreaming,
		},
		{
			name: "zip half sent",
			sees: map[string]string{
				victimGateway: "the download ends; with Range it goes on, and is whole",
				victimProxy:   "the download goes on, or with Range after 503; it is whole",
				victimEngine:  "nothing: the files come from the archive",
				victimShim:    "nothing: the files come from the archive",
			},
			run: (*service).killWhileDownloading,
		},
		{
			name: "draining",
			sees: map[string]string{
				victimGateway: "no answer for a moment, and then the next job completed",
				victimProxy:   "503 for a moment, and then the next job completed",
				victimEngine:  "the next job completed",
				victimShim:    "the next job completed",
			},
			run: func(s *service, key apiKey, victim string) { s.killWhileLeaving(key, victim, "draining") },
		},
		{
			name: "stopping",
			sees: map[string]string{
				victimGateway: "no answer for a moment, and then the next job completed",
				victimProxy:   "503 for a moment, and then the next job completed",
				victimEngine:  "the next job completed",
				victimShim:    "the next job completed",
			},
			run: func(s *service, key apiKey, victim string) { s.killWhileLeaving(key, victim, "stopping", "--force") },
		},
	}
	victims := []string{victimGateway, victimEngine, victimShim}
	if f.split() {
		victims = append(victims, victimProxy)
	}
	for _, victim := range victims {
		for _, m := range moments {
			name := victim + "/" + m.name
			if short, known := cells[f]; known && !long.Asked() && !slices.Contains(short, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				t.Log("the client sees:", m.sees[victim])
				s := newService(t, f, m.env...)
				s.editCaddyfile("\tsvc_api\n", patientChain)
				s.start()
				m.run(s, s.newKey("demo"), victim)
			})
		}
	}
}

// kill kills the victim, and starts the service's part again that died.
func (s *service) kill(victim string) {
	s.t.Helper()
	switch victim {
	case victimGateway:
		s.stop(os.Kill)
		s.start()
	case victimProxy:
		if err := s.engineProxy.stop(os.Kill); err == nil {
			s.t.Fatal("the engine proxy was not killed")
		}
		s.startEngines()
	case victimEngine:
		for _, e := range s.engines() {
			_ = syscall.Kill(e.PID, syscall.SIGKILL) // it may be ending
		}
	case victimShim:
		shims := s.pids("svc-shim")
		if len(shims) == 0 {
			s.t.Fatal("no shim runs")
		}
		for _, pid := range shims {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be ending
		}
	}
}

// engine is what svc engines list says of one.
type engine struct {
	State string `json:"state"`
	PID   int    `json:"pid"`
}

func (s *service) engines() []engine {
	s.t.Helper()
	var list []engine
	s.decode([]byte(s.svc("engines", "list", "--json")), &list)
	return list
}

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

// wantUsage checks that n jobs count, once each, and hold no slot.
func (s *service) wantUsage(key apiKey, n int) {
	s.t.Helper()
	if u := s.usage(key); u.JobsThisMonth != int64(n) || u.RunningJobs != 0 {
		s.t.Errorf("usage of %d jobs is %+v", n, u)
	}
}

// outcome checks how jobs ended: all completed when their engine did not die,
// else but for the one that ran.
func (s *service) outcome(key apiKey, victim string, jobs []api.Submission) {
	s.t.Helper()
	failed := 0
	for _, sub := range jobs {
		switch job := s.finish(key, sub); {
		case job.Status == api.JobFailed && job.Failure.Code == api.FailureEngineRestarted:
			failed++
		case job.Status != api.JobCompleted:
			s.t.Errorf("job %s ended as %s %+v", sub.JobID, job.Status, job.Failure)
		}
	}
	if failed > 1 || spares(victim) && failed > 0 {
		s.t.Errorf("%d jobs failed", failed)
	}
	s.wantUsage(key, len(jobs))
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

// hold stops a process and waits until none of its threads runs: the one that
// takes the signal may be waiting for the disk, and the others go on meanwhile.
func (s *service) hold(pid int) {
	s.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	s.eventually("the engine is held", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has ended
			}
			// The name, in parentheses, may have spaces; the state follows it.
			if state := stat[bytes.LastIndexByte(stat, ')')+1:]; err != nil || !bytes.HasPrefix(state, []byte(" T")) {
				return false
			}
		}
		return len(threads) > 0
	})
}

// holdEngines holds all engines, and with them their jobs, until release.
func (s *service) holdEngines() (release func()) {
	s.t.Helper()
	pids := s.enginePIDs()
	if len(pids) == 0 {
		s.t.Fatal("no engine runs")
	}
	for _, pid := range pids {
		s.hold(pid)
	}
	release = func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed
		}
	}
	s.t.Cleanup(release) // a stop would wait for them
	return release
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
	if state == "stopping" {
		// Its signal has come. What it accepts before it sees it ends with it.
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

// TestAKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject kills the gateway
// when the ledger has deleted a project and its engine is still there. In the
// split form the engine proxy has then not even heard of it.
func TestAKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject(t *testing.T) {
	inEveryForm(t, aKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject)
}

func aKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")
	job := s.queue(key, 1)[0]
	s.finish(key, job)
	left := []string{
		filepath.Join(s.dir, "projects", job.ProjectID), filepath.Join(s.dir, "run", job.ProjectID),
		filepath.Join(s.dir, "engines", job.ProjectID), filepath.Join(s.dir, "archive", job.JobID),
	}
	release := s.holdEngines()
	defer release()
	if s.form.split() {
		s.hold(s.engineProxy.cmd.Process.Pid)
	}
	path, deleted := "/v1/projects/"+job.ProjectID, make(chan int, 1)
	go func() { deleted <- s.ask(key, "DELETE", path, "") }()
	s.eventually("the ledger has deleted the project", func() bool {
		status := s.ask(key, "GET", path, "")
		return status == http.StatusForbidden || status == http.StatusNotFound
	})
	s.stop(os.Kill)
	if status := <-deleted; status != 0 {
		t.Fatalf("the deletion was answered with %d before the kill", status)
	}
	for _, dir := range left {
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("it was gone before the kill: %v", err)
		}
	}
	release()
	s.start()
	s.eventually("nothing is left of the project", func() bool {
		for _, dir := range left {
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				return false
			}
		}
		return len(s.enginePIDs()) == 0
	})
}
