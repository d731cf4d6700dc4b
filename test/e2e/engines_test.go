package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

// TestAKilledEngineProxyLosesNothing is the row of the engine proxy in the
// table of what happens when something dies.
func TestAKilledEngineProxyLosesNothing(t *testing.T) {
	f := onlySplit(t)
	s := start(t, f)
	key := s.newKey("demo")
	ended := s.queue(key, 1)[0]
	s.allCompleted(key, []api.Submission{ended})
	jobs := s.queue(key, 4)
	last := jobs[len(jobs)-1]
	stream := s.events(key, last, "")
	before := s.enginePIDs()
	release := s.holdEngines() // the jobs are to end later

	if err := s.engineProxy.stop(os.Kill); err == nil {
		t.Fatal("the engine proxy was not killed")
	}
	of := func(sub api.Submission, what string) string {
		return fmt.Sprintf("/v1/generate/%s%s?projectId=%s", sub.JobID, what, sub.ProjectID)
	}
	submission := fmt.Sprintf(`{"projectId":%q,"prompt":%q}`, last.ProjectID, brief)
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", of(last, "/status"), "", http.StatusOK},
		{"GET", of(ended, "/status"), "", http.StatusOK},
		{"POST", "/v1/generate", submission, http.StatusServiceUnavailable},
		{"DELETE", of(last, ""), "", http.StatusServiceUnavailable},
		{"GET", of(ended, "/events"), "", http.StatusServiceUnavailable},
		{"GET", of(ended, "/files"), "", http.StatusServiceUnavailable},
	} {
		if status, body := s.askBody(key, c.method, c.path, c.body); status != c.want {
			t.Errorf("without an engine proxy %s %s: %d %s", c.method, c.path, status, body)
		}
	}
	if u := s.usage(key); u.JobsThisMonth != 5 {
		t.Errorf("the refused submission counts: %+v", u)
	}

	release()
	s.startEngines()
	checkLog(t, s.readEvents(stream.Body)) // the stream that was open all the while
	for _, sub := range jobs {
		if job := s.finish(key, sub); job.Status != api.JobCompleted {
			t.Errorf("job %s ended as %s %+v", sub.JobID, job.Status, job.Failure)
		}
	}
	if after := s.enginePIDs(); !slices.Equal(before, after) {
		t.Errorf("engines after it %v, before %v: not adopted", after, before)
	}
	if u := s.usage(key); u.JobsThisMonth != 5 || u.RunningJobs != 0 || u.TIKThisMonth != 5*api.MicroPerTIK {
		t.Errorf("usage is %+v", u)
	}
}

// submitAndCancel submits a job and cancels it: its engine is ready or on its way,
// so that neither may fail.
func (s *service) submitAndCancel(key apiKey, project string) {
	s.t.Helper()
	a := s.call(key, "POST", "/v1/generate", map[string]string{"projectId": project, "prompt": brief})
	var sub api.Submission
	if a.status == http.StatusOK {
		s.decode(a.body, &sub)
		a = s.call(key, "DELETE", "/v1/generate/"+sub.JobID+"?projectId="+project, nil)
	}
	if a.status != http.StatusOK {
		s.t.Errorf("submitting or cancelling: %d %s", a.status, a.body)
	}
}

// TestRestartOfTheEngineProxyOnPurposeLosesNoRequest: everything that needs the
// engine proxy is asked for without a pause while its place is taken again and
// again, and a stream stays open.
func TestRestartOfTheEngineProxyOnPurposeLosesNoRequest(t *testing.T) {
	f := onlySplit(t)
	if f == formHosts {
		t.Skip("an address of TCP can't change hands; gateways on other hosts get 503 for a moment")
	}
	const restarts = 5
	s := start(t, f)
	key := s.newKey("demo")
	ended := s.queue(key, 1)[0]
	s.allCompleted(key, []api.Submission{ended})
	jobs := s.queue(key, 8)
	last := jobs[len(jobs)-1]
	stream := s.events(key, last, "")
	before := s.enginePIDs()

	of := func(what string) string {
		return fmt.Sprintf("/v1/generate/%s%s?projectId=%s", ended.JobID, what, ended.ProjectID)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients sync.WaitGroup
	var asked atomic.Int64
	for _, path := range []string{of("/events"), of("/files")} {
		clients.Go(func() {
			pace := time.NewTicker(30 * time.Millisecond) // below the key's request rate
			defer pace.Stop()
			for ctx.Err() == nil {
				<-pace.C
				if status, body := s.askBody(key, "GET", path, ""); status != http.StatusOK {
					t.Errorf("GET %s: %d %s", path, status, body)
				}
				asked.Add(1)
			}
		})
	}
	other := s.newKey("other")
	project := s.newProject(other)
	clients.Go(func() {
		for ctx.Err() == nil {
			s.submitAndCancel(other, project)
			asked.Add(1)
		}
	})
	for range restarts {
		old, seen := s.engineProxy, asked.Load()
		s.startEngines("--take-over")
		if err := old.ended(); err != nil {
			t.Errorf("the old engine proxy ended with %v", err)
		}
		s.eventually("requests are answered", func() bool { return asked.Load() > seen+6 })
	}
	cancel()
	clients.Wait()
	t.Logf("%d requests over %d restarts", asked.Load(), restarts)
	checkLog(t, s.readEvents(stream.Body))
	s.allCompleted(key, append(jobs, ended))
	for _, pid := range before {
		if !slices.Contains(s.enginePIDs(), pid) {
			t.Errorf("engine %d was not adopted", pid)
		}
	}
}
