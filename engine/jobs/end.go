package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/pack"
)

// end ends a job: its files are packed, its end is stored, and the feed
// reports it. ctx limits only the wait for what comes before the report.
func (m *Manager) end(ctx context.Context, j *job, v verdict) error {
	if err := m.conclude(j, v); err != nil {
		return err
	}
	return m.announce(ctx, j)
}

// conclude makes v the stored end of a job. Of its request nothing stays but what
// changes its project for good.
func (m *Manager) conclude(j *job, v verdict) error {
	now := m.now()
	s := m.snapshot(j)
	if err := m.settleDraft(j, &v); err != nil {
		return err
	}
	if s.Record.StartedAt != nil { // beside one that waited another may run
		m.reviseEnd(j, v)
	}
	if v.status != api.JobCancelled {
		files, err := m.packFiles(j)
		if err != nil {
			m.cfg.Log.Error("files not packed", zap.String("job", j.id), zap.Error(err))
			if v.status == api.JobCompleted {
				v = failed(api.FailureInternal, "The files could not be packed.")
			}
		}
		if v.status == api.JobFailed && (files == nil || files.Count == 0) {
			files, err = explain(j, v.failure)
			if err != nil {
				return err
			}
		}
		s.Record.Files = files
	}
	s.Record.Status, s.Record.Failure, s.Record.FinishedAt = v.status, v.failure, &now
	if v.status == api.JobCompleted {
		s.Record.Progress = done
	}
	s.Record.Unmet = v.unmet
	s.Record.LastEventID = j.log.Last() + 1
	s.Ending = &v.ending
	if err := j.save(s); err != nil {
		return err
	}
	return m.close(j, s)
}

// close brings the job's log and folder in line with s, its stored end.
func (m *Manager) close(j *job, s stored) error {
	if !j.log.Ended() {
		id, err := j.log.Append(s.terminalEvent())
		if err != nil {
			return err
		}
		if id != s.Record.LastEventID { // events that were not synced were lost
			s.Record.LastEventID = id
			if err := j.save(s); err != nil {
				return err
			}
		}
	}
	if err := m.dropRequest(j); err != nil {
		return err
	}
	m.mu.Lock()
	j.stored = s
	close(j.done)
	m.mu.Unlock()
	m.Touch()
	m.cfg.Log.Info("job ended", zap.String("job", j.id), zap.String("status", string(s.Record.Status)))
	return nil
}

// announce reports a stored end in the feed, after the ledger has every priced
// step of the job.
func (m *Manager) announce(ctx context.Context, j *job) error {
	if seq, ok := m.feed.Find(contract.FeedUsage, j.id); ok {
		if err := m.feed.Wait(ctx, seq); err != nil {
			return errAbandoned
		}
	}
	if _, ok := m.feed.Find(contract.FeedEnded, j.id); ok {
		return nil
	}
	_, err := m.report(j, contract.FeedRecord{Kind: contract.FeedEnded})
	return err
}

// settleDraft gives a failed job the game that was proven before it failed, and
// takes away what a cancelled one left.
func (m *Manager) settleDraft(j *job, v *verdict) error {
	if v.status == api.JobCompleted {
		return nil // its game took the draft away
	}
	if v.status == api.JobCancelled {
		m.reviseDraft(j)
	}
	unmet := gen.DraftUnmet(m.space.Root(), j.id)
	changed, err := gen.SettleDraft(m.space.Root(), m.changeUnlocked, j.id, v.status == api.JobFailed)
	var full *fullError
	var locked *lockedError
	if errors.As(err, &full) || errors.As(err, &locked) {
		m.cfg.Log.Warn("proven game not delivered", zap.String("job", j.id), zap.Error(err))
		m.reviseDraft(j)
		if locked != nil {
			v.lacks([]string{locked.Error()})
		}
		_, err = gen.SettleDraft(m.space.Root(), m.change, j.id, false)
	}
	if changed {
		v.ending.Changed = true
		v.lacks(unmet)
	}
	return err
}

// packFiles makes the job's ZIP from the game as it is.
func (m *Manager) packFiles(j *job) (*api.Files, error) {
	if err := m.room(0, 1); err != nil { // earlier ZIPs go first
		m.cfg.Log.Warn("volume full", zap.String("job", j.id), zap.Error(err))
	}
	var files api.Files
	err := disk.Replace(j.path(zipFile), func(w io.Writer) error {
		return m.space.Read(func(root *os.Root) (err error) {
			files, err = pack.Zip(w, root, gen.Deliverable)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return &files, nil
}

// explain makes the ZIP of a failed job that has no game.
func explain(j *job, failure *api.Failure) (*api.Files, error) {
	data, files := gamezip.Failed(j.id, failure)
	if err := disk.WriteFile(j.path(zipFile), data); err != nil {
		return nil, fmt.Errorf("packing why the job failed: %w", err)
	}
	return &files, nil
}

// Snapshot returns the ZIP of the game as it is now: the one before a change,
// or the one after it.
func (m *Manager) Snapshot() ([]byte, error) {
	var b bytes.Buffer
	err := m.space.Read(func(root *os.Root) error {
		_, err := pack.Zip(&b, root, gen.Deliverable)
		return err
	})
	return b.Bytes(), err
}

// Cancel ends a job as cancelled and returns its record once it has ended. A
// job that has ended is left as it is.
func (m *Manager) Cancel(ctx context.Context, jobID string) (contract.JobRecord, error) {
	j, err := m.find(jobID)
	if err != nil {
		return contract.JobRecord{}, err
	}
	m.interrupt(j, errCancelled)
	select {
	case <-j.done:
		return m.snapshot(j).Record, nil
	case <-ctx.Done():
		return contract.JobRecord{}, context.Cause(ctx)
	}
}

// StopAfterStep has a job end as cancelled when the step is done that it is at: nothing
// is broken off that is charged. One that waits ends at once, and one that has ended is
// left as it is.
func (m *Manager) StopAfterStep(jobID string) error {
	j, err := m.find(jobID)
	if err != nil {
		return err
	}
	m.mu.Lock()
	j.ending = true
	waits := slices.Contains(m.queue, j)
	m.mu.Unlock()
	if waits {
		m.interrupt(j, errCancelled)
	}
	return nil
}

// interrupt ends a job for this cause: a queued one at once, a running one
// soon.
func (m *Manager) interrupt(j *job, cause error) {
	m.mu.Lock()
	place := slices.Index(m.queue, j)
	if place < 0 {
		if j.cancel != nil {
			j.cancel(cause)
		}
		m.mu.Unlock()
		return
	}
	m.queue = slices.Delete(m.queue, place, place+1)
	m.mu.Unlock()

	v, err := interruption(cause)
	if err == nil {
		err = m.end(context.Background(), j, v)
	}
	if err != nil {
		m.fail(err)
	}
}
