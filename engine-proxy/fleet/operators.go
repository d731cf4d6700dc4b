package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// info describes the engine for operators.
func (a *actor) info() engineproxy.Info {
	s := a.machine.Status()
	i := engineproxy.Info{
		ProjectID: a.id, OwnerID: a.owner, State: s.State, Phase: string(s.Phase), Since: s.Since,
		InstanceID: a.run.instance(), Failure: s.Failure.Reason, FailureCode: s.Failure.Code, Fatal: s.Failure.Fatal,
	}
	if s.State == engineproxy.StateFailed && !s.Failure.Fatal {
		next := s.Failure.NextAt.UTC()
		i.NextStart = &next
	}
	r := a.run
	if r == nil {
		return i
	}
	i.Generation, i.PID, i.Activity = r.entry.Generation, r.pid, s.Activity
	if s.State != engineproxy.StateReady && s.State != engineproxy.StateDraining {
		return i
	}
	i.AliveBecause = aliveBecause(s)
	if !s.StopAt.IsZero() {
		at := s.StopAt.UTC()
		i.WouldStopAt = &at
	}
	return i
}

// aliveBecause says why an engine is not stopped.
func aliveBecause(s lifecycle.Status) string {
	var why []string
	add := func(n int, what string) {
		if n > 0 {
			why = append(why, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(s.Activity.RunningJobs, "running jobs")
	add(s.Activity.QueuedJobs, "queued jobs")
	add(s.Activity.UnackedFeed, "unacknowledged feed records")
	add(max(s.Leases, s.Activity.OpenStreams), "open requests or streams")
	switch {
	case len(why) > 0:
		return strings.Join(why, ", ")
	case s.Unseen:
		return "used a moment ago"
	}
	return "idle"
}

// lastLog keeps the end of what the last engine of a project wrote.
const lastLog = "last.log"

// Logs implements Engines.
func (p *Proxy) Logs(ctx context.Context, projectID string, limit int64) ([]byte, error) {
	a := p.find(projectID)
	if a == nil {
		return nil, engineproxy.ErrAbsent
	}
	limit = min(max(limit, 0), engineproxy.MaxLog)
	var handle driver.Handle
	if err := a.do(ctx, func() {
		if a.run != nil {
			handle = a.run.entry.Handle
		}
	}); err != nil {
		return nil, err
	}
	if !handle.IsZero() {
		text, err := p.opts.Driver.Logs(ctx, handle, limit)
		if !errors.Is(err, driver.ErrNotFound) {
			return text, err
		}
	}
	text, err := os.ReadFile(filepath.Join(p.layout.State(projectID), lastLog))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engineproxy.ErrAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("reading engine's log: %w", err)
	}
	return text[max(0, len(text)-int(limit)):], nil
}

// saveLog keeps the end of an engine's log before the driver forgets it. Why
// an engine failed stands there as a rule. It is no reason not to stop.
func (p *Proxy) saveLog(ctx context.Context, projectID string, h driver.Handle) {
	text, err := p.opts.Driver.Logs(ctx, h, engineproxy.MaxLog)
	if errors.Is(err, driver.ErrNotFound) {
		return
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.layout.State(projectID), lastLog), text, 0o600)
	}
	if err != nil {
		p.log.Warn("keeping engine's log failed", zap.String("project", projectID), zap.Error(err))
	}
}

// List implements Engines. Engines that are absent are not listed.
func (p *Proxy) List(ctx context.Context) ([]engineproxy.Info, error) {
	list := []engineproxy.Info{}
	for _, a := range p.all() {
		var info engineproxy.Info
		if err := a.do(ctx, func() { info = a.info() }); err != nil {
			return nil, err
		}
		if info.State != engineproxy.StateAbsent {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(a, b engineproxy.Info) int { return cmp.Compare(a.ProjectID, b.ProjectID) })
	return list, nil
}

// Stop implements Engines. Without force it waits until the engine's work has
// ended, or returns an error that is ErrBusy when ctx ends before. The engine
// of a project with unfinished jobs is started again.
func (p *Proxy) Stop(ctx context.Context, projectID string, force bool) error {
	a := p.find(projectID)
	if a == nil {
		return engineproxy.ErrAbsent
	}
	return a.stopAndWait(ctx, force, true)
}

// Show implements Engines.
func (p *Proxy) Show(ctx context.Context, projectID string) (engineproxy.Details, error) {
	a := p.find(projectID)
	if a == nil {
		return engineproxy.Details{}, engineproxy.ErrAbsent
	}
	var d engineproxy.Details
	err := a.do(ctx, func() { d = engineproxy.Details{Info: a.info(), Transitions: a.machine.Transitions()} })
	return d, err
}

// Reset implements Engines.
func (p *Proxy) Reset(ctx context.Context, projectID string) error {
	a := p.find(projectID)
	if a == nil {
		return engineproxy.ErrAbsent
	}
	return a.do(ctx, func() {
		a.step(func(m *lifecycle.Machine, now time.Time) { m.Reset(now) })
	})
}
