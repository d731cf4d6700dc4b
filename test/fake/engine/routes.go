package fakeengine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/api/sse"
)

const (
	maxBody   = 8 << 20
	maxQueued = 20
)

// submit accepts a job, or marks its refusal.
func (e *Engine) submit(w http.ResponseWriter, r *http.Request) {
	id, session := r.Header.Get(contract.HeaderJobID), r.Header.Get(contract.HeaderSessionID)
	body, readErr := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.switches.AcceptOnly {
		e.acceptOnly(w, id, session, body, readErr)
		return
	}
	if j := e.job(id); j != nil {
		answer(w, submission(j))
		return
	}
	req, refused := e.admit(id, session, body, readErr)
	if refused != nil {
		w.Header().Set(contract.HeaderRefused, "true")
		refused.WriteTo(w)
		return
	}
	e.state.Jobs = append(e.state.Jobs, contract.JobRecord{
		JobID: id, ProjectID: e.cfg.ProjectID, SessionID: session, Status: api.JobQueued,
		Progress: api.Progress{Stage: api.StageQueued}, CreatedAt: now(),
	})
	j := e.job(id)
	e.event(j, api.EventQueued, nil)
	e.state.Works[id] = &work{Prompt: req.Prompt, Model: modelOf(req.Settings)}
	e.remember(req)
	accepted := submission(j)
	e.advance()
	e.answerSaved(w, accepted)
}

// remember stores what a request changes for good.
func (e *Engine) remember(req api.GenerateRequest) {
	if req.Instructions != nil {
		e.state.Instructions = *req.Instructions
	}
	for _, skill := range req.Skills {
		if len(skill.Files) == 0 {
			continue
		}
		if e.state.Skills == nil {
			e.state.Skills = map[string]api.Skill{}
		}
		e.state.Skills[skill.Key] = skill
	}
}

func submission(j *contract.JobRecord) api.Submission {
	return api.Submission{JobID: j.JobID, ProjectID: j.ProjectID, Status: api.JobQueued, SessionID: j.SessionID}
}

// admit reads a submission, or says why there will be no job.
func (e *Engine) admit(id, session string, body []byte, readErr error) (api.GenerateRequest, *answers.Error) {
	bad := func(err error) (api.GenerateRequest, *answers.Error) {
		var known *answers.Error
		if !errors.As(err, &known) {
			known = answers.BadRequest("The body could not be read.")
		}
		return api.GenerateRequest{}, known
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(readErr, &large):
		return bad(&answers.Error{Status: http.StatusRequestEntityTooLarge, Message: "The body is too large."})
	case readErr != nil:
		return bad(readErr)
	case !api.ValidJobID(id) || session == "":
		return bad(answers.BadRequest("A job needs an id and a session."))
	}
	req, err := requests.ParseGenerateRequest(body)
	if err != nil {
		return bad(err)
	}
	if err := contract.CheckSkills(req.Skills); err != nil {
		return bad(err)
	}
	switch {
	case req.ProjectID != e.cfg.ProjectID:
		return bad(answers.BadRequest("The project is another engine's."))
	case e.state.Fenced[id]:
		return bad(&answers.Error{Status: http.StatusConflict, Message: "The id is fenced."})
	case e.drained:
		return bad(answers.Unavailable("The engine is about to stop.", time.Second, nil))
	case !e.switches.AcceptOnly && e.queued() >= maxQueued:
		return bad(answers.Unavailable("The queue is full.", time.Second, nil))
	}
	return req, nil
}

// modelOf is the model that settings name; "" for none.
func modelOf(s api.Settings) string {
	if s.Model == api.ModelEmbedded {
		return ""
	}
	return s.Model
}

// queued counts the submitted jobs that wait.
func (e *Engine) queued() int {
	n := 0
	for _, j := range e.state.Jobs {
		if j.Status == api.JobQueued && e.state.Works[j.JobID] != nil {
			n++
		}
	}
	return n
}

// find returns the job that a public route names, or answers 404. It is called
// with mu held.
func (e *Engine) find(w http.ResponseWriter, r *http.Request) *contract.JobRecord {
	j := e.job(r.PathValue("id"))
	if project := r.URL.Query().Get("projectId"); j == nil || project != "" && project != e.cfg.ProjectID {
		(&answers.Error{Status: http.StatusNotFound, Message: "There is no such job."}).WriteTo(w)
		return nil
	}
	return j
}

func (e *Engine) status(w http.ResponseWriter, r *http.Request) {
	if j := e.find(w, r); j != nil {
		answer(w, e.public(*j))
	}
}

func (e *Engine) cancel(w http.ResponseWriter, r *http.Request) {
	j := e.find(w, r)
	if j == nil {
		return
	}
	if !j.Status.Terminal() && !e.interrupt(j, api.JobCancelled, nil) {
		e.end(j, api.JobCancelled, nil)
	}
	e.advance()
	e.answerSaved(w, *j)
}

func (e *Engine) files(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	j := e.find(w, r)
	if j == nil {
		e.mu.Unlock()
		return
	}
	record, zip := e.public(*j), e.state.Files[j.JobID]
	e.mu.Unlock()
	if record.Files == nil {
		(&answers.Error{Status: http.StatusConflict, Message: "The job has no files."}).WriteTo(w)
		return
	}
	w.Header().Set("ETag", `"`+record.Files.SHA256+`"`)
	w.Header().Set("Content-Type", "application/zip")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(zip))
}

func (e *Engine) events(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	j := e.find(w, r)
	if j == nil {
		e.mu.Unlock()
		return
	}
	id := j.JobID
	e.streams++
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.streams--
	}()
	_ = sse.Serve(w, r, jobLog{e, id}, sse.Options{}) // the reader left
}

// jobLog is a job's log as everyone may see it.
type jobLog struct {
	e  *Engine
	id string
}

// Read implements sse.Log.
func (l jobLog) Read(after uint64) ([]sse.Record, sse.State, error) {
	l.e.mu.Lock()
	defer l.e.mu.Unlock()
	j := l.e.public(*l.e.job(l.id))
	state := sse.State{Last: j.LastEventID, Changed: l.e.grown}
	if j.Status.Terminal() {
		state.Ended, state.Changed = true, nil
	}
	var records []sse.Record
	for line := range strings.Lines(l.e.state.Events[l.id]) {
		id := uint64(len(records)) + 1
		if id > state.Last {
			break
		}
		records = append(records, sse.Record{ID: id, Type: eventType(line), Data: []byte(strings.TrimSuffix(line, "\n"))})
	}
	return records[min(after, uint64(len(records))):], state, nil
}

func eventType(line string) string {
	var head struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal([]byte(line), &head) // we wrote it
	return head.Type
}

var _ sse.Log = jobLog{}
