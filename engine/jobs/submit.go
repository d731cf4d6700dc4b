package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/eventlog"
)

// newPrefix marks the folder of a job that is not accepted yet, oldPrefix that
// of one that is being deleted. Recover removes both.
const (
	newPrefix = ".new-"
	oldPrefix = ".old-"
)

// Submit accepts a job and returns once that is on disk. A job id that was
// accepted before gets the same answer again, for any req.
func (m *Manager) Submit(jobID, sessionID string, req api.GenerateRequest) (api.Submission, error) {
	m.admission.Lock()
	defer m.admission.Unlock()

	if sub, ok := m.Accepted(jobID); ok {
		return sub, nil
	}
	s, err := m.admit(jobID, sessionID)
	if err != nil {
		return api.Submission{}, err
	}
	j := &job{id: jobID, dir: filepath.Join(m.jobsDir(), jobID), stored: s, done: make(chan struct{})}
	if err := m.store(j, req); err != nil {
		return api.Submission{}, err
	}
	log, _, err := eventlog.Open(j.path(eventsFile), false)
	if err != nil {
		// The job is accepted on disk, but this engine can't run it.
		m.fail(err)
		return api.Submission{}, errors.Join(ErrUndecided, err)
	}
	j.log = log
	m.mu.Lock()
	m.jobs[jobID] = j
	m.accepted = append(m.accepted, j)
	m.queue = append(m.queue, j)
	m.lastActivity = s.Record.CreatedAt
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return s.submission(), nil
}

// admit returns the record of a new job, or why there can't be one.
func (m *Manager) admit(jobID, sessionID string) (stored, error) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.fenced[jobID]:
		return stored{}, ErrFenced
	case m.draining:
		return stored{}, ErrDraining
	case len(m.queue) >= MaxQueued:
		return stored{}, ErrQueueFull
	}
	order := uint64(1)
	if n := len(m.accepted); n > 0 {
		order = m.accepted[n-1].stored.Order + 1
	}
	return stored{Order: order, Record: contract.JobRecord{
		JobID: jobID, ProjectID: m.cfg.ProjectID, SessionID: sessionID,
		Status: api.JobQueued, Progress: queued, CreatedAt: now, LastEventID: 1,
	}}, nil
}

// store puts the folder of a new job on disk: all of it, or nothing. It waits for the
// disk once. When the machine fails meanwhile, the folder may be there with files that
// are empty or torn: load takes it for no job, as nobody was told of one.
func (m *Manager) store(j *job, req api.GenerateRequest) error {
	r := j.stored.Record
	event, err := eventlog.Encode(api.Event{Type: api.EventQueued, Seq: 1, JobID: r.JobID, ProjectID: r.ProjectID, TS: r.CreatedAt})
	if err != nil {
		return err
	}
	request, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("encoding request: %w", err)
	}
	record, err := json.Marshal(j.stored)
	if err != nil {
		return fmt.Errorf("encoding job: %w", err)
	}
	fresh := filepath.Join(m.jobsDir(), newPrefix+j.id)
	err = disk.WriteFolder(fresh, map[string][]byte{eventsFile: append(event, '\n'), requestFile: request, recordFile: record})
	if err == nil {
		err = os.Rename(fresh, j.dir)
	}
	if err != nil {
		return errors.Join(ErrNotStored, err, os.RemoveAll(fresh))
	}
	if err := disk.SyncFolder(j.dir); err != nil {
		return errors.Join(ErrUndecided, err, os.RemoveAll(j.dir))
	}
	return nil
}

func (s stored) submission() api.Submission {
	r := s.Record
	return api.Submission{JobID: r.JobID, ProjectID: r.ProjectID, Status: api.JobQueued, SessionID: r.SessionID}
}
