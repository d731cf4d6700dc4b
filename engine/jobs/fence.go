package jobs

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/journal"
)

// openFences reads the ids that are never to be accepted.
func (m *Manager) openFences() error {
	fences, cut, err := journal.Open(filepath.Join(m.cfg.Dir, "fenced.jsonl"), func(_ int, line []byte) error {
		var f contract.FenceRequest
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		m.fenced[f.JobID] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("opening fences: %w", err)
	}
	m.fences = fences
	m.logCut("fenced.jsonl", cut)
	return nil
}

// Fence says whether a job was accepted. If it was not, it never will be: that
// promise is on disk when Fence returns.
func (m *Manager) Fence(jobID string) (contract.FenceVerdict, error) {
	m.admission.Lock()
	defer m.admission.Unlock()
	m.mu.Lock()
	known, fenced := m.jobs[jobID] != nil, m.fenced[jobID]
	m.mu.Unlock()
	switch {
	case known:
		return contract.Accepted, nil
	case fenced:
		return contract.Fenced, nil
	}
	line, err := json.Marshal(contract.FenceRequest{JobID: jobID})
	if err != nil {
		return "", fmt.Errorf("encoding fence: %w", err)
	}
	if err := m.fences.Append(line, true); err != nil {
		return "", fmt.Errorf("storing fence: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fenced[jobID] = true
	return contract.Fenced, nil
}

// Drain closes the doors for new jobs, so that the engine can be stopped, or
// returns ErrBusy with what keeps it from that.
func (m *Manager) Drain() (contract.Activity, error) {
	m.admission.Lock()
	defer m.admission.Unlock()
	activity := m.Activity()
	if activity.Busy() {
		return activity, ErrBusy
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.draining = true
	return activity, nil
}

// Undrain opens the doors again.
func (m *Manager) Undrain() contract.Activity {
	m.mu.Lock()
	m.draining = false
	m.mu.Unlock()
	return m.Activity()
}

// Activity says what the engine is doing, but for its open streams.
func (m *Manager) Activity() contract.Activity {
	unacked := m.feed.Unacked()
	m.mu.Lock()
	defer m.mu.Unlock()
	a := contract.Activity{RunningJobs: len(m.interrupted), QueuedJobs: len(m.queue), UnackedFeed: unacked, LastActivity: m.lastActivity}
	if m.running != nil {
		a.RunningJobs++
	}
	return a
}
