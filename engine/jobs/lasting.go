package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/workspace"
)

// lasting returns what a request changes for good, without what is its job's
// alone.
func lasting(req api.GenerateRequest) api.GenerateRequest {
	stored := slices.DeleteFunc(slices.Clone(req.Skills), func(s api.Skill) bool { return len(s.Files) == 0 })
	return api.GenerateRequest{ProjectID: req.ProjectID, Instructions: req.Instructions, Skills: stored, Settings: req.Settings}
}

// dropRequest deletes what a job that ends was submitted with. What of it was to
// change the project for good, and has not yet, is kept for inherit.
func (m *Manager) dropRequest(j *job) error {
	req, err := j.request()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // deleted by the close that a crash interrupted
	case err != nil:
		m.cfg.Log.Error("request unreadable", zap.String("job", j.id), zap.Error(err))
	case !j.applied:
		if err := m.keepLasting(j, lasting(req)); err != nil {
			return err
		}
	}
	if err := os.Remove(j.path(requestFile)); err != nil {
		return fmt.Errorf("deleting request: %w", err)
	}
	return nil
}

// keepLasting stores what a job that ended before it worked changes for good.
func (m *Manager) keepLasting(j *job, req api.GenerateRequest) error {
	if req.Instructions == nil && len(req.Skills) == 0 && req.Settings == (api.Settings{}) {
		return nil
	}
	data, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("encoding what a request changes for good: %w", err)
	}
	err = m.room(int64(len(data)), 1)
	if _, ok := errors.AsType[*fullError](err); ok {
		m.cfg.Log.Warn("no room for what a request changes for good", zap.String("job", j.id), zap.Error(err))
		return nil
	}
	if err != nil {
		return err
	}
	if err := disk.WriteFile(j.path(lastingFile), data); err != nil {
		return fmt.Errorf("storing what a request changes for good: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	j.lasting = true
	return nil
}

// inherit changes the project as the jobs before next would have that ended
// before they worked, in the order of the queue; nil stands for all jobs. Only Run
// calls it, and never beside a generator.
func (m *Manager) inherit(next *job) error {
	for _, j := range m.lastingBefore(next) {
		if req, err := j.read(lastingFile); err != nil {
			m.cfg.Log.Error("request unreadable", zap.String("job", j.id), zap.Error(err))
		} else if err := m.applyEnded(j, req); err != nil {
			return err
		}
		// After a crash that comes before this, the same change is made again,
		// ahead of every later one.
		if err := os.Remove(j.path(lastingFile)); err != nil {
			return fmt.Errorf("deleting what a request changed for good: %w", err)
		}
		m.mu.Lock()
		j.lasting = false
		m.mu.Unlock()
	}
	return nil
}

// applyEnded changes the project as j, which has ended, asked. Where there is no
// room the change is dropped, as that of a job that fails for it.
func (m *Manager) applyEnded(j *job, req api.GenerateRequest) error {
	_, err := m.space.Apply(req, m.room)
	if _, ok := errors.AsType[*fullError](err); ok {
		m.cfg.Log.Warn("no room for what a request changes for good", zap.String("job", j.id), zap.Error(err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("changing the project as %s asked: %w", j.id, err)
	}
	return nil
}

// lastingBefore returns the jobs before next that left something for inherit, in
// the order of the queue; nil stands for all jobs.
func (m *Manager) lastingBefore(next *job) []*job {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*job
	for _, j := range m.runOrder() {
		if j == next {
			break
		}
		if j.lasting {
			out = append(out, j)
		}
	}
	return out
}

// prepare changes the project as j asks, after what the jobs before it left to
// change, and returns what j inherits.
func (m *Manager) prepare(ctx context.Context, j *job, req api.GenerateRequest) (workspace.Inherited, error) {
	if err := m.awaitEarlier(ctx, j); err != nil {
		return workspace.Inherited{}, err
	}
	if err := m.inherit(j); err != nil {
		return workspace.Inherited{}, err
	}
	inherited, err := m.space.Apply(req, m.room)
	full := (*fullError)(nil)
	j.applied = err == nil || errors.As(err, &full)
	return inherited, err
}

// awaitEarlier returns once the jobs before j have ended wholly: one that is
// cancelled leaves the queue a moment before that. Those that wait run later, whatever
// order was asked for.
func (m *Manager) awaitEarlier(ctx context.Context, j *job) error {
	m.mu.Lock()
	earlier := m.runOrder()
	earlier = slices.DeleteFunc(earlier[:slices.Index(earlier, j)], func(e *job) bool { return slices.Contains(m.queue, e) })
	m.mu.Unlock()
	for _, e := range earlier {
		select {
		case <-e.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
