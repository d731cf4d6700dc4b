package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/eventlog"
)

// Recover takes up what the last engine left: what it was running has failed,
// what was queued is queued.
func (m *Manager) Recover() error {
	if err := m.load(); err != nil {
		return fmt.Errorf("loading jobs: %w", err)
	}
	if err := m.adoptEdits(); err != nil {
		return fmt.Errorf("looking for edits: %w", err)
	}
	for _, j := range m.accepted {
		if err := m.resume(j); err != nil {
			return fmt.Errorf("recovering %s: %w", j.id, err)
		}
	}
	if err := m.recallQueue(); err != nil {
		return err
	}
	m.adopt()
	return nil
}

// load reads every job's record. A folder without a readable one, or of a queued job
// whose request is not readable, is left out with an error in the log: the engine knows
// no such job, which makes the engine proxy end it as lost.
func (m *Manager) load() error {
	entries, err := os.ReadDir(m.jobsDir())
	if err != nil {
		return err
	}
	for _, entry := range entries {
		id, dir := entry.Name(), filepath.Join(m.jobsDir(), entry.Name())
		if m.fenced[id] || strings.HasPrefix(id, newPrefix) || strings.HasPrefix(id, oldPrefix) {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			continue
		}
		j := &job{id: id, dir: dir, done: make(chan struct{})}
		data, err := os.ReadFile(j.path(recordFile))
		if err == nil {
			err = json.Unmarshal(data, &j.stored)
		}
		if err == nil && j.stored.Record.Status == api.JobQueued {
			_, err = j.request()
		}
		if err != nil {
			m.cfg.Log.Error("job unreadable", zap.String("job", id), zap.Error(err))
			continue
		}
		if _, err := os.Stat(j.path(lastingFile)); err == nil {
			j.lasting = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		m.jobs[id] = j
		m.accepted = append(m.accepted, j)
	}
	slices.SortFunc(m.accepted, func(a, b *job) int { return cmp.Compare(a.stored.Order, b.stored.Order) })
	return nil
}

// resume takes up one job where the last engine left it.
func (m *Manager) resume(j *job) error {
	s := j.stored
	if s.Published {
		close(j.done)
		return nil
	}
	log, cut, err := eventlog.Open(j.path(eventsFile), false)
	if err != nil {
		return err
	}
	m.logCut(eventsFile, cut)
	j.log = log
	switch {
	case s.Record.Status == api.JobQueued:
		// The last engine may have ended while it waited for the disk.
		if err := disk.SyncFolder(j.dir); err != nil {
			return err
		}
		m.queue = append(m.queue, j)
		if log.Last() > 0 {
			return nil
		}
		return m.event(j, s.Record.CreatedAt, api.EventQueued, nil) // the machine failed while the job was stored
	case s.Record.Status.Terminal():
		m.interrupted = append(m.interrupted, j)
		return m.close(j, s)
	}
	m.interrupted = append(m.interrupted, j)
	if err := m.reconcile(j); err != nil {
		return err
	}
	return m.conclude(j, failed(api.FailureEngineRestarted, "The project's engine was restarted while the job ran."))
}

// reconcile makes the record, log and feed of a job that was running agree on
// how far it came.
func (m *Manager) reconcile(j *job) error {
	started, err := j.log.Latest(api.EventStarted)
	if err != nil {
		return err
	}
	if started == nil {
		return m.event(j, *j.stored.Record.StartedAt, api.EventStarted, nil)
	}
	progress, err := j.log.Latest(api.EventProgress)
	if err != nil {
		return err
	}
	if progress != nil {
		if err := json.Unmarshal(progress, &j.stored.Record.Progress); err != nil {
			return fmt.Errorf("decoding progress: %w", err)
		}
	}
	j.stored.Record.LastEventID = j.log.Last()
	return m.reportUsage(j)
}

// reportUsage repeats in the feed what the log says was used, if the crash
// came between the two.
func (m *Manager) reportUsage(j *job) error {
	data, err := j.log.Latest(api.EventUsage)
	if data == nil || err != nil {
		return err
	}
	if _, ok := m.feed.Find(contract.FeedUsage, j.id); ok {
		return nil
	}
	var usage struct {
		Units []contract.Unit `json:"units"`
	}
	if err := json.Unmarshal(data, &usage); err != nil {
		return fmt.Errorf("decoding usage: %w", err)
	}
	_, err = m.report(j, contract.FeedRecord{Kind: contract.FeedUsage, Units: usage.Units})
	return err
}

// announceInterrupted reports in the feed what Recover ended.
func (m *Manager) announceInterrupted(ctx context.Context) error {
	for {
		m.mu.Lock()
		if len(m.interrupted) == 0 {
			m.mu.Unlock()
			return nil
		}
		j := m.interrupted[0]
		m.mu.Unlock()
		if err := m.announce(ctx, j); err != nil {
			return err
		}
		m.mu.Lock()
		m.interrupted = m.interrupted[1:]
		m.mu.Unlock()
	}
}

// sweep deletes the jobs that ended longer than Retain ago.
func (m *Manager) sweep() error {
	deadline := m.now().Add(-Retain)
	m.mu.Lock()
	var old []*job
	m.accepted = slices.DeleteFunc(m.accepted, func(j *job) bool {
		if !j.stored.Published || j.lasting || j.stored.Record.FinishedAt.After(deadline) {
			return false
		}
		old = append(old, j)
		delete(m.jobs, j.id)
		return true
	})
	m.mu.Unlock()
	for _, j := range old {
		gone := filepath.Join(m.jobsDir(), oldPrefix+j.id)
		if err := os.Rename(j.dir, gone); err != nil {
			return fmt.Errorf("deleting old job: %w", err)
		}
		if err := os.RemoveAll(gone); err != nil {
			return fmt.Errorf("deleting old job: %w", err)
		}
	}
	return nil
}

func makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("creating volume: %w", err)
		}
	}
	return nil
}
