package commands

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/requests"
)

const (
	fakeKey     = "sk-fake"
	fakeProject = "0123456789abcdef01234567"
	fakeJob     = "job_01J00000000000000000000000"
)

// fakeService answers /v1 like the service does, for one job that has ended
// before anybody looks.
type fakeService struct {
	mu      sync.Mutex
	status  api.JobStatus
	failure *api.Failure
	game    map[string]string // the files of the job's ZIP
	events  []api.Event       // between job.queued and the terminal one
	refuse  func(w http.ResponseWriter, r *http.Request) bool
	hold    chan struct{} // when set, event streams stay open until it is closed
	bodies  []string      // of submissions
	names   []string      // of created projects
	keys    []string      // Idempotency-Keys of submissions
	listed  []string      // queries of lists of jobs
	deleted int           // projects
}

func newFakeService(t *testing.T) *fakeService {
	t.Helper()
	s := &fakeService{status: api.JobCompleted, game: map[string]string{"index.html": "<!doctype html>"}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("SVC_BASE_URL", server.URL)
	t.Setenv("SVC_API_KEY", fakeKey)
	return s
}

// locked runs f while no request is answered: the tests of scripts share s
// with a client in another process, which orders nothing.
func (s *fakeService) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// submitted returns the bodies of the submissions so far.
func (s *fakeService) submitted() (bodies []string) {
	s.locked(func() { bodies = slices.Clone(s.bodies) })
	return bodies
}

// created returns the names of the projects created so far.
func (s *fakeService) created() (names []string) {
	s.locked(func() { names = slices.Clone(s.names) })
	return names
}

func (s *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+fakeKey {
		(&answers.Error{Status: 401, Message: "This API key is not valid.", Reason: api.ReasonInvalid}).WriteTo(w)
		return
	}
	if s.refuse != nil && s.refuse(w, r) {
		return
	}
	body, _ := io.ReadAll(r.Body)
	switch route := r.Method + " " + strings.Replace(r.URL.Path, fakeJob, "ID", 1); route {
	case "POST /v1/projects":
		req, err := requests.ParseProjectRequest(body)
		if err != nil {
			err.(*answers.Error).WriteTo(w)
			return
		}
		s.names = append(s.names, req.Name)
		answer(w, 201, api.ProjectCreated{Success: true, Data: api.ProjectCreatedRef{ID: fakeProject, Name: req.Name}})
	case "GET /v1/projects":
		answer(w, 200, api.ProjectList{Success: true, Data: []api.Project{{ID: fakeProject, Name: "Evil\x1b[2J", CreatedAt: time.Unix(0, 0)}}})
	case "GET /v1/projects/" + fakeProject:
		answer(w, 200, api.ProjectFound{Success: true, Data: api.Project{ID: fakeProject, Name: "Evil\x1b[2J", CreatedAt: time.Unix(0, 0)}})
	case "DELETE /v1/projects/" + fakeProject:
		s.deleted++
		answer(w, 200, map[string]bool{"success": true})
	case "GET /v1/generate":
		s.listed = append(s.listed, r.URL.RawQuery)
		answer(w, 200, api.JobList{Success: true, Data: []api.Job{s.record(), s.record()}})
	case "POST /v1/projects/" + fakeProject + "/publish":
		answer(w, 200, api.Published{Success: true, Data: api.Publication{GameID: fakeProject, JobID: fakeJob, Path: answers.PlayPath(fakeProject)}})
	case "GET /v1/models":
		answer(w, 200, api.ModelList{Success: true, Data: []api.Model{
			{Name: api.ModelEmbedded}, {Name: "writer\x1b[2J", Default: true, Context: 1000, Vision: true, Reasoning: true, Price: &api.ModelPrice{Input: 3, Cached: 1, Output: 15}},
		}})
	case "POST /v1/generate":
		if _, err := requests.ParseGenerateRequest(body); err != nil {
			err.(*answers.Error).WriteTo(w)
			return
		}
		s.bodies = append(s.bodies, string(body))
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		answer(w, 200, api.Submission{JobID: fakeJob, ProjectID: fakeProject, Status: api.JobQueued, SessionID: "ses_1"})
	case "GET /v1/generate/ID/status":
		answer(w, 200, s.record())
	case "DELETE /v1/generate/ID":
		s.status = api.JobCancelled
		answer(w, 200, s.record())
	case "GET /v1/generate/ID/files":
		_, _ = w.Write(s.zip())
	case "GET /v1/generate/ID/events":
		s.stream(w, r)
	default:
		(&answers.Error{Status: 404, Message: "There is no such route: " + route}).WriteTo(w)
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// stream sends the job's events; it gives mu back while it is held.
func (s *fakeService) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(seq int, e api.Event) {
		e.Seq, e.JobID, e.ProjectID = uint64(seq), fakeJob, fakeProject
		data, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", seq, e.Type, data)
	}
	for i, e := range append([]api.Event{{Type: api.EventQueued}}, s.events...) {
		send(i+1, e)
	}
	if hold := s.hold; hold != nil {
		_ = http.NewResponseController(w).Flush()
		s.mu.Unlock()
		select {
		case <-hold:
		case <-r.Context().Done():
		}
		s.mu.Lock()
	}
	send(len(s.events)+2, api.Event{Type: api.TerminalEventOf(s.status)})
}

func (s *fakeService) record() api.Job {
	record := api.Job{JobID: fakeJob, ProjectID: fakeProject, Status: s.status, Failure: s.failure, CreatedAt: time.Unix(0, 0)}
	if s.status == api.JobCompleted || s.status == api.JobFailed {
		sum := sha256.Sum256(s.zip())
		record.Files = &api.Files{Count: len(s.game), SHA256: hex.EncodeToString(sum[:])}
	}
	return record
}

func (s *fakeService) zip() []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range sortedKeys(s.game) {
		w, err := z.Create(name)
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(w, s.game[name])
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// svc runs the command line and returns its exit code and what it printed.
func svc(args ...string) (code int, stdout, stderr string) {
	return svcWithInput("", args...)
}

func svcWithInput(input string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Execute(args, strings.NewReader(input), &out, &errs)
	return code, out.String(), errs.String()
}
