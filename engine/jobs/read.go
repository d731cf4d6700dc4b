package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/eventlog"
)

// Files is a job's ZIP. The caller closes it.
type Files struct {
	*os.File
	Record contract.JobRecord
}

// Accepted returns the answer to the submission of a job that was accepted.
func (m *Manager) Accepted(jobID string) (api.Submission, bool) {
	j, err := m.find(jobID)
	if err != nil {
		return api.Submission{}, false
	}
	return m.snapshot(j).submission(), true
}

// Record returns a job as the public may see it.
func (m *Manager) Record(jobID string) (contract.JobRecord, error) {
	j, err := m.find(jobID)
	if err != nil {
		return contract.JobRecord{}, err
	}
	return m.snapshot(j).visible(), nil
}

// Stored returns a job as it is on disk, its end seen or not.
func (m *Manager) Stored(jobID string) (contract.JobRecord, error) {
	j, err := m.find(jobID)
	if err != nil {
		return contract.JobRecord{}, err
	}
	return m.snapshot(j).Record, nil
}

// List returns every job as it is on disk, in order of acceptance.
func (m *Manager) List() contract.JobList {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := contract.JobList{Jobs: make([]contract.JobRecord, len(m.accepted))}
	for i, j := range m.accepted {
		list.Jobs[i] = j.stored.Record
	}
	return list
}

// Events returns a job's event log.
func (m *Manager) Events(jobID string) (*eventlog.Log, error) {
	j, err := m.find(jobID)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	log := j.log
	m.mu.Unlock()
	if log != nil {
		return log, nil
	}
	log, _, err = eventlog.Open(j.path(eventsFile), true)
	if err != nil {
		return nil, err
	}
	if err := log.Close(); err != nil {
		return nil, fmt.Errorf("closing event log: %w", err)
	}
	return log, nil
}

// Files returns a job's ZIP, or ErrNoFiles when it has none: it has not ended,
// which with stored is a question of the disk, else of the public, or it was
// cancelled. ErrDropped says that it had one.
func (m *Manager) Files(jobID string, stored bool) (Files, error) {
	j, err := m.find(jobID)
	if err != nil {
		return Files{}, err
	}
	s := m.snapshot(j)
	record := s.visible()
	if stored {
		record = s.Record
	}
	if record.Files == nil {
		return Files{}, ErrNoFiles
	}
	f, err := os.Open(j.path(zipFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Files{}, ErrDropped
	}
	if err != nil {
		return Files{}, fmt.Errorf("opening files: %w", err)
	}
	return Files{File: f, Record: record}, nil
}

// FeedID returns the id of the volume's feed.
func (m *Manager) FeedID() string { return m.feed.ID() }

// Feed returns lines of the feed above after, in order; changed is closed when
// there are more. The error may be feed.ErrForgotten or feed.ErrAhead.
func (m *Manager) Feed(after uint64) (lines [][]byte, changed <-chan struct{}, err error) {
	return m.feed.Read(after)
}

func (m *Manager) find(jobID string) (*job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.jobs[jobID]
	if j == nil {
		return nil, ErrUnknown
	}
	return j, nil
}
