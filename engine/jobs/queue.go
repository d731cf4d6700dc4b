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

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine/disk"
)

// queueFile has the ids of jobs in the order that was asked for: those that waited then,
// and after those of earlier orders that still count. Other jobs keep their places.
const queueFile = "queue.json"

// ErrOtherQueue: the waiting jobs are not those that were to be put in order.
var ErrOtherQueue = errors.New("other jobs wait by now")

// Reorder puts the waiting jobs in another order, on disk before it returns. ids must name
// each of them once; else nothing changes, and the error is ErrOtherQueue.
func (m *Manager) Reorder(ids []string) error {
	m.admission.Lock() // no job is accepted meanwhile, nor put in order by another call
	defer m.admission.Unlock()
	asked, undo, err := m.reorder(ids)
	if err != nil {
		return err
	}
	data, err := json.Marshal(asked)
	if err == nil {
		err = m.room(int64(len(data)), 1)
	}
	if err == nil {
		err = disk.WriteFile(m.queuePath(), data)
	}
	if err != nil {
		undo()
		return fmt.Errorf("storing the queue: %w", err)
	}
	return nil
}

// reorder does that in memory, at once: the job that comes next may be taken at any time.
func (m *Manager) reorder(ids []string) (asked []string, undo func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.waits(ids) {
		return nil, nil, ErrOtherQueue
	}
	before := m.asked
	var queued []string
	for _, j := range m.queue {
		queued = append(queued, j.id)
	}
	m.asked = m.askedWith(ids)
	inOrder(m.queue, ids)
	return m.asked, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked = before
		inOrder(m.queue, queued)
	}, nil
}

// askedWith returns ids after those of the former orders that have left the queue, but
// left something for inherit or have not ended wholly. It is called with mu held.
func (m *Manager) askedWith(ids []string) []string {
	former := slices.DeleteFunc(slices.Clone(m.asked), func(id string) bool {
		j := m.jobs[id]
		return j == nil || slices.Contains(ids, id) || !j.lasting && j.stored.Published
	})
	return append(former, ids...)
}

// runOrder returns the jobs in the order in which they run, or would have. It is called
// with mu held.
func (m *Manager) runOrder() []*job {
	jobs := slices.Clone(m.accepted)
	inOrder(jobs, m.asked)
	return jobs
}

// waits reports whether ids name the waiting jobs, each once. It is called with mu held.
func (m *Manager) waits(ids []string) bool {
	return len(ids) == len(m.queue) && !slices.ContainsFunc(m.queue, func(j *job) bool { return !slices.Contains(ids, j.id) })
}

// recallQueue puts the waiting jobs in the order that was asked for last. Where that can't
// be read they run in order of acceptance.
func (m *Manager) recallQueue() error {
	data, err := os.ReadFile(m.queuePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the queue: %w", err)
	}
	if err := json.Unmarshal(data, &m.asked); err != nil {
		m.cfg.Log.Error("order of the queue unreadable", zap.Error(err))
		m.asked = nil
	}
	inOrder(m.queue, m.asked)
	return nil
}

// inOrder sorts the jobs that ids name as ids are, in the places that they have; others
// stay where they are.
func inOrder(list []*job, ids []string) {
	var places []int
	var named []*job
	for i, j := range list {
		if slices.Contains(ids, j.id) {
			places, named = append(places, i), append(named, j)
		}
	}
	slices.SortFunc(named, func(a, b *job) int { return cmp.Compare(slices.Index(ids, a.id), slices.Index(ids, b.id)) })
	for n, place := range places {
		list[place] = named[n]
	}
}

func (m *Manager) queuePath() string { return filepath.Join(m.cfg.Dir, queueFile) }
