package jobs

import (
	"errors"
	"fmt"

	"github.com/svc-games/svc/api/contract"
)

// Ack takes an acknowledgement: first what it stops is stopped, then what
// waits for it goes on.
func (m *Manager) Ack(ack contract.Ack) error {
	if ack.FeedID != m.feed.ID() {
		return ErrOtherFeed
	}
	for _, stop := range ack.Stop {
		if j, err := m.find(stop.JobID); err == nil {
			m.interrupt(j, &stopError{stop.Code})
		}
	}
	var ended []*job
	err := m.feed.Ack(ack.Seq, func(jobID string) error {
		j, err := m.find(jobID)
		if errors.Is(err, ErrUnknown) {
			return nil // older than Retain
		}
		s := m.snapshot(j)
		s.Published = true
		ended = append(ended, j)
		return j.save(s)
	})
	if err != nil {
		return err
	}
	for _, j := range ended {
		if err := m.publish(j); err != nil {
			return err
		}
	}
	return m.compact()
}

// publish lets everyone see that a job has ended: first its record, then its
// terminal event, so that a reader of the event finds the rest.
func (m *Manager) publish(j *job) error {
	m.mu.Lock()
	log := j.log
	j.stored.Published = true
	j.log = nil
	m.mu.Unlock()
	if log == nil {
		return nil
	}
	if err := log.Publish(); err != nil {
		return fmt.Errorf("publishing end of %s: %w", j.id, err)
	}
	return nil
}

// compact shortens the feed while no job looks for its records there.
func (m *Manager) compact() error {
	m.mu.Lock()
	busy := m.running != nil || len(m.interrupted) > 0
	m.mu.Unlock()
	if busy {
		return nil
	}
	return m.feed.Compact()
}
