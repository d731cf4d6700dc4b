package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/wait"
)

// TestJobsAreFoundAndFollowedWithoutTheirIDsAndKeys: a client that lost its ids lists
// them, sees where they stand, and has a browser follow one.
func TestJobsAreFoundAndFollowedWithoutTheirIDsAndKeys(t *testing.T) {
	inEveryForm(t, jobsAreFoundAndFollowedWithoutTheirIDsAndKeys)
}

func jobsAreFoundAndFollowedWithoutTheirIDsAndKeys(t *testing.T, f form) {
	s := start(t, f)
	key, other := s.newKey("demo"), s.newKey("demo")
	jobs := s.queue(key, 4)
	release := s.holdEngines()
	project := jobs[0].ProjectID

	var list, run api.JobList
	s.decode(s.call(other, "GET", "/v1/generate?status=queued&projectId="+project, nil).body, &list)
	s.decode(s.call(other, "GET", "/v1/generate?status=running&projectId="+project, nil).body, &run)
	// How many began before the engine was held is the machine's affair; one runs at most.
	waiting, running := len(list.Data), len(run.Data)
	if waiting < 1 || running > 1 || list.NextCursor != "" {
		t.Fatalf("%d queued jobs and %d that run are listed, next %q", waiting, running, list.NextCursor)
	}
	slices.SortFunc(list.Data, func(a, b api.Job) int { return a.Queue.Position - b.Queue.Position })
	for i, job := range list.Data {
		if job.JobID != jobs[4-waiting+i].JobID || job.Queue.Position != i+1 || job.Queue.Ahead != i+running {
			t.Errorf("place %d: job %s, %+v", i, job.JobID, job.Queue)
		}
		if one := s.status(key, jobs[4-waiting+i]); one.Queue == nil || *one.Queue != *job.Queue {
			t.Errorf("the record says %+v, the list %+v", one.Queue, job.Queue)
		}
	}
	if got := s.call(s.newKey("foreign"), "GET", "/v1/generate", nil); string(got.body) != `{"success":true,"data":[]}`+"\n" {
		t.Errorf("a stranger's list: %s", got.body)
	}

	last := jobs[3]
	token := s.streamToken(other, last)
	stream := s.eventsByToken(last, token, http.StatusOK)
	reader := sse.NewReader(stream.Body)
	s.eventsByToken(jobs[2], token, http.StatusUnauthorized)
	release()
	if rec, err := reader.Next(); err != nil || rec.ID != 1 {
		t.Fatalf("the first event is %+v, %v", rec, err)
	}
	for {
		rec, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type == api.EventCompleted {
			break
		}
	}

	// It dies with its key, and the stream with it.
	more := s.queue(key, 2)
	release = s.holdEngines()
	token = s.streamToken(other, more[1])
	reader = sse.NewReader(s.eventsByToken(more[1], token, http.StatusOK).Body)
	s.svc("admin", "key", "revoke", other.ID)
	wantClosing(t, reader, "key_revoked")
	s.eventsByToken(more[1], token, http.StatusUnauthorized)
	release()
	for _, sub := range more {
		s.finish(key, sub)
	}
}

// streamToken makes a token, which must not be in any log.
func (s *service) streamToken(key apiKey, sub api.Submission) string {
	s.t.Helper()
	got := s.call(key, "POST", "/v1/generate/"+sub.JobID+"/events/token?projectId="+sub.ProjectID, nil)
	if got.status != http.StatusCreated {
		s.t.Fatalf("%d %s", got.status, got.body)
	}
	var made api.StreamToken
	s.decode(got.body, &made)
	s.secrets = append(s.secrets, made.Token)
	return made.Token
}

// eventsByToken opens a job's stream as EventSource does.
func (s *service) eventsByToken(sub api.Submission, token string, status int) *http.Response {
	s.t.Helper()
	ctx, cancel := wait.Within(s.t.Context(), wait.Patience)
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.addr+"/v1/generate/"+sub.JobID+"/events?projectId="+sub.ProjectID+"&token="+token, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != status {
		s.t.Fatalf("%s, want %d", resp.Status, status)
	}
	return resp
}
