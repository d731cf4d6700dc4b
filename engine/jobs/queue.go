package jobs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-games/svc/engine/disk"
)

// queueFile has the ids of the waiting jobs in the order that was asked for. Jobs that are
// not in it come after those that are, in order of acceptance.
const queueFile = "queue.json"

// ErrOtherQueue: the waiting jobs are not those that were to be put in order.
var ErrOtherQueue = errors.New("other jobs wait by now")

// Reorder puts the waiting jobs in another order, on disk before it returns. ids must name
// each of them once; else nothing changes, and the error is ErrOtherQueue.
func (m *Manager) Reorder(ids []string) error {
	m.admission.Lock() // no job is accepted meanwhile
	defer m.admission.Unlock()
	if !m.waits(ids) {
		return ErrOtherQueue
	}
	data, err := json.Marshal(ids)
	if err == nil {
		err = m.room(int64(len(data)), 1)
	}
	if err == nil {
		err = disk.WriteFile(m.queuePath(), data)
	}
	if err != nil {
		return fmt.Errorf("storing the queue: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	inOrder(m.queue, ids) // one of them may run, or be cancelled, by now
	return nil
}

// waits reports whether ids name the waiting jobs, each once.
func (m *Manager) waits(ids []string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(ids) != len(m.queue) {
		return false
	}
	for _, j := range m.queue {
		if !slices.Contains(ids, j.id) {
			return false
		}
	}
	return true
}

// recallQueue puts the waiting jobs in the order that was asked for last.
func (m *Manager) recallQueue() error {
	data, err := os.ReadFile(m.queuePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var ids []string
	if err == nil {
		err = json.Unmarshal(data, &ids)
	}
	if err != nil {
		return fmt.Errorf("reading the queue: %w", err)
	}
	inOrder(m.queue, ids)
	return nil
}

// inOrder sorts jobs as ids are; those that ids leave out stay in their order, after them.
func inOrder(queue []*job, ids []string) {
	place := func(j *job) int {
		if i := slices.Index(ids, j.id); i >= 0 {
			return i
		}
		return len(ids)
	}
	slices.SortStableFunc(queue, func(a, b *job) int { return cmp.Compare(place(a), place(b)) })
}

func (m *Manager) queuePath() string { return filepath.Join(m.cfg.Dir, queueFile) }
