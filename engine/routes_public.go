package engine

import (
	"errors"
	"io"
	"net/http"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine/jobs"
)

const (
	maxBody      = 8 << 20 // bytes of a request
	maxSessionID = 100     // bytes
	maxRequestID = 64      // bytes
)

// submit answers POST /v1/generate. Every answer that is certain that the job
// was not accepted, and won't be, says so in a header.
func (s *server) submit(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	jobID, sessionID := r.Header.Get(contract.HeaderJobID), r.Header.Get(contract.HeaderSessionID)
	if sub, ok := m.Accepted(jobID); ok {
		return writeJSON(w, http.StatusOK, sub)
	}
	req, err := s.readSubmission(w, r, jobID, sessionID)
	if err == nil {
		var sub api.Submission
		if sub, err = m.Submit(jobID, sessionID, req); err == nil {
			s.cfg.Log.Info("job accepted", zap.String("job", jobID), zap.String("request_id", requestID(r)))
			return writeJSON(w, http.StatusOK, sub)
		}
	}
	if !errors.Is(err, jobs.ErrUndecided) {
		w.Header().Set(contract.HeaderRefused, "true")
	}
	return err
}

// requestID returns the name of the client's request, "" where what is there is too long
// for one.
func requestID(r *http.Request) string {
	id := r.Header.Get(contract.HeaderRequestID)
	if len(id) > maxRequestID {
		return ""
	}
	return id
}

func (s *server) readSubmission(w http.ResponseWriter, r *http.Request, jobID, sessionID string) (api.GenerateRequest, error) {
	if !api.ValidJobID(jobID) {
		return api.GenerateRequest{}, answers.BadRequest("%s must be a job id.", contract.HeaderJobID)
	}
	if sessionID == "" || len(sessionID) > maxSessionID {
		return api.GenerateRequest{}, answers.BadRequest("%s must be a session id.", contract.HeaderSessionID)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return api.GenerateRequest{}, &answers.Error{Status: http.StatusRequestEntityTooLarge, Message: "The body is larger than 8 MiB."}
	}
	if err != nil {
		return api.GenerateRequest{}, answers.BadRequest("The body could not be read.")
	}
	req, err := requests.ParseGenerateRequest(body)
	if err != nil {
		return api.GenerateRequest{}, err
	}
	if req.ProjectID != s.cfg.ProjectID {
		return api.GenerateRequest{}, answers.BadRequest("projectId is not the project of this engine.")
	}
	return req, contract.CheckSkills(req.Skills)
}

// cancel answers DELETE /v1/generate/{id} once the job has ended.
func (s *server) cancel(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	jobID, err := s.jobOf(r)
	if err != nil {
		return err
	}
	record, err := m.Cancel(r.Context(), jobID)
	return answerWith(w, record, err)
}

func (s *server) status(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	jobID, err := s.jobOf(r)
	if err != nil {
		return err
	}
	record, err := m.Record(jobID)
	return answerWith(w, record, err)
}

func (s *server) events(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	jobID, err := s.jobOf(r)
	if err != nil {
		return err
	}
	log, err := m.Events(jobID)
	if err != nil {
		return err
	}
	s.streams.Add(1)
	defer m.Touch()
	defer s.streams.Add(-1)
	if err := sse.Serve(w, r, log, sse.Options{}); err != nil {
		s.abort(r, err)
	}
	return nil
}

func (s *server) files(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	jobID, err := s.jobOf(r)
	if err != nil {
		return err
	}
	m.Touch()
	return serveFiles(m, w, r, jobID, false)
}

// serveFiles answers with a job's ZIP. Its hash is the strong ETag, so that a
// download can be taken up again.
func serveFiles(m *jobs.Manager, w http.ResponseWriter, r *http.Request, jobID string, stored bool) error {
	f, err := m.Files(jobID, stored)
	if err != nil {
		return err
	}
	defer f.Close()
	h := w.Header()
	h.Set("ETag", `"`+f.Record.Files.SHA256+`"`)
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="`+jobID+`.zip"`)
	http.ServeContent(w, r, "", *f.Record.FinishedAt, f)
	return nil
}

// jobOf returns the job id of the path. A projectId in the query must be the
// engine's.
func (s *server) jobOf(r *http.Request) (string, error) {
	if project := r.URL.Query().Get("projectId"); project != "" && project != s.cfg.ProjectID {
		return "", jobs.ErrUnknown
	}
	return r.PathValue("id"), nil
}
