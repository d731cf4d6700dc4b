package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// refused is the engine's answer to a quarter of all submissions, and to those
// that it was fenced against.
const refused contract.FenceVerdict = "refused"

// engine accepts jobs, works on each for a while, charges one step for it and
// reports that in its project's feed. It lives in the test's own process: what
// it says is on its disk, and nobody kills it.
type engine struct {
	work time.Duration // a job takes once to twice as long

	mu       sync.Mutex // guards the following
	jobs     map[string]*engineJob
	feeds    map[string][]contract.FeedRecord // by project
	inFlight map[string]int                   // accepted and not ended, by key
	most     map[string]int                   // the most inFlight ever was
}

type engineJob struct {
	submission
	verdict contract.FenceVerdict
	endsAt  time.Time
	ended   bool
}

// submission is the body of a request to the engine.
type submission struct {
	JobID     string `json:"jobId"`
	ProjectID string `json:"projectId"`
	KeyID     string `json:"keyId"`
	After     uint64 `json:"after"`
}

func newEngine(work time.Duration) *engine {
	return &engine{
		work: work, jobs: make(map[string]*engineJob), feeds: make(map[string][]contract.FeedRecord),
		inFlight: make(map[string]int), most: make(map[string]int),
	}
}

// ServeHTTP answers /submit, /fence and /feed.
func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var s submission
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var answer any
	switch r.URL.Path {
	case "/submit":
		answer = e.submit(s)
	case "/fence":
		answer = e.fence(s)
	case "/feed":
		answer = e.feed(s.ProjectID, s.After, time.Now())
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// submit accepts or refuses a job, the same way however often it is asked.
func (e *engine) submit(s submission) contract.FenceVerdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	if job := e.jobs[s.JobID]; job != nil {
		if job.verdict == contract.Accepted {
			return contract.Accepted
		}
		return refused
	}
	job := &engineJob{submission: s, verdict: refused}
	e.jobs[s.JobID] = job
	if rand.IntN(4) > 0 {
		job.verdict = contract.Accepted
		job.endsAt = time.Now().Add(e.work + rand.N(e.work))
		e.inFlight[s.KeyID]++
		e.most[s.KeyID] = max(e.most[s.KeyID], e.inFlight[s.KeyID])
	}
	return job.verdict
}

// fence says whether a job was accepted, and if not, that it never will be.
func (e *engine) fence(s submission) contract.FenceVerdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	if job := e.jobs[s.JobID]; job != nil && job.verdict == contract.Accepted {
		return contract.Accepted
	}
	e.jobs[s.JobID] = &engineJob{submission: s, verdict: contract.Fenced}
	return contract.Fenced
}

// feed ends the jobs whose time has come and returns what follows after.
func (e *engine) feed(project string, after uint64, now time.Time) []contract.FeedRecord {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, job := range e.jobs {
		if job.ProjectID != project || job.verdict != contract.Accepted || job.ended || now.Before(job.endsAt) {
			continue
		}
		job.ended = true
		e.inFlight[job.KeyID]--
		record := contract.JobRecord{JobID: job.JobID, ProjectID: project, Status: api.JobCompleted, CreatedAt: now}
		e.append(project, contract.FeedRecord{
			Kind: contract.FeedUsage, JobID: job.JobID, At: now, Units: []contract.Unit{{Name: "step", Quantity: 1}},
		})
		e.append(project, contract.FeedRecord{Kind: contract.FeedEnded, JobID: job.JobID, At: now, Record: &record})
	}
	return e.feeds[project][min(after, uint64(len(e.feeds[project]))):]
}

func (e *engine) append(project string, r contract.FeedRecord) {
	r.FeedID, r.Seq = feedID, uint64(len(e.feeds[project]))+1
	e.feeds[project] = append(e.feeds[project], r)
}

// accepted counts the jobs that were accepted, by key.
func (e *engine) accepted() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := make(map[string]int64)
	for _, job := range e.jobs {
		if job.verdict == contract.Accepted {
			counts[job.KeyID]++
		}
	}
	return counts
}

// engineClient asks the engine over its socket.
type engineClient struct{ http *http.Client }

func newEngineClient(socket string) engineClient {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	return engineClient{&http.Client{Transport: &http.Transport{DialContext: dial}}}
}

func (c engineClient) ask(ctx context.Context, path string, s submission, into any) error {
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking the engine: status %d", res.StatusCode)
	}
	return json.NewDecoder(res.Body).Decode(into)
}
