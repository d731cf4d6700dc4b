package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

const askRetry = 100 * time.Millisecond // between attempts to ask an engine that does not answer

// Submit implements Engines.
func (p *Proxy) Submit(ctx context.Context, pr engineproxy.Project, hold time.Duration) (*engineproxy.Lease, error) {
	if !api.ValidProjectID(pr.ID) {
		return nil, errMalformed
	}
	if err := p.claim(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
	}
	p.metrics.waiters.Inc()
	defer p.metrics.waiters.Dec()
	holding, cancel := clock.Within(ctx, p.clock, hold)
	defer cancel()
	a := p.actor(pr.ID)
	for {
		var lease *engineproxy.Lease
		var refused error
		changed := a.view.Load().changed
		if err := a.do(ctx, func() { lease, refused = a.submit(pr.OwnerID) }); err != nil {
			return nil, err
		}
		var starting *engineproxy.StartingError
		if refused == nil || hold <= 0 || !errors.As(refused, &starting) {
			return lease, refused
		}
		select {
		case <-changed:
		case <-holding.Done():
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, refused
		case <-p.ctx.Done():
			return nil, errEnded
		}
	}
}

// Attach implements Engines.
func (p *Proxy) Attach(ctx context.Context, projectID string) (*engineproxy.Lease, error) {
	a := p.find(projectID)
	if a == nil {
		return nil, engineproxy.ErrAbsent
	}
	var lease *engineproxy.Lease
	var refused error
	if err := a.do(ctx, func() { lease, refused = a.attach() }); err != nil {
		return nil, err
	}
	return lease, refused
}

// AwaitReady implements Engines.
func (p *Proxy) AwaitReady(ctx context.Context, projectID string) error {
	if !api.ValidProjectID(projectID) {
		return errMalformed
	}
	a := p.actor(projectID)
	for {
		v := a.view.Load()
		if v.state == engineproxy.StateReady {
			return nil
		}
		if err := p.await(ctx, v); err != nil {
			return err
		}
	}
}

// Fence implements Engines.
func (p *Proxy) Fence(ctx context.Context, pr engineproxy.Project, jobID string) (contract.FenceVerdict, error) {
	ctx, cancel := clock.Within(ctx, p.clock, p.opts.Timing.Fence)
	defer cancel()
	a := p.find(pr.ID)
	if a == nil {
		return "", fmt.Errorf("%w: it does not run", engineproxy.ErrUnreachable)
	}
	for {
		v := a.view.Load()
		switch v.state {
		case engineproxy.StateAbsent, engineproxy.StateFailed:
			return "", fmt.Errorf("%w: it does not run", engineproxy.ErrUnreachable)
		case engineproxy.StateReady, engineproxy.StateDraining:
			verdict, err := v.client.Fence(ctx, jobID)
			if err == nil {
				return verdict, nil
			}
			if clock.Sleep(ctx, p.clock, askRetry) != nil {
				return "", fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
			}
		default:
			if err := p.await(ctx, v); err != nil {
				return "", fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
			}
		}
	}
}

// Cancel implements Engines. An answer of the engine other than 2xx is
// returned as an *engineclient.StatusError.
func (p *Proxy) Cancel(ctx context.Context, pr engineproxy.Project, jobID string) error {
	if !api.ValidProjectID(pr.ID) {
		return errMalformed
	}
	a := p.actor(pr.ID)
	for {
		v := a.view.Load()
		switch v.state {
		case engineproxy.StateReady, engineproxy.StateDraining:
			err := v.client.Cancel(ctx, jobID)
			var status *engineclient.StatusError
			if err == nil || errors.As(err, &status) {
				return err
			}
			if clock.Sleep(ctx, p.clock, askRetry) != nil {
				return fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
			}
			continue
		case engineproxy.StateAbsent, engineproxy.StateFailed:
			if err := p.startForJob(ctx, a, jobID); err != nil {
				return err
			}
		}
		if err := p.await(ctx, v); err != nil {
			return fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
		}
	}
}

// startForJob has an engine that does not run started if the job is unfinished;
// ErrAbsent if it is not.
func (p *Proxy) startForJob(ctx context.Context, a *actor, jobID string) error {
	jobs, err := p.opts.Ledger.OpenJobs(ctx, a.id)
	if err != nil {
		return fmt.Errorf("asking for unfinished jobs: %w", err)
	}
	if !slices.ContainsFunc(jobs, func(j contract.OpenJob) bool { return j.JobID == jobID }) {
		return engineproxy.ErrAbsent
	}
	return a.do(ctx, func() { a.unfinished(jobs) })
}

// await waits for the view to be replaced.
func (p *Proxy) await(ctx context.Context, v *view) error {
	select {
	case <-v.changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.ctx.Done():
		return errEnded
	}
}

// Events implements Archive.
func (p *Proxy) Events(_ context.Context, jobID string) (sse.Log, error) {
	log, err := p.archive.Events(jobID)
	if err != nil {
		return nil, archiveError(err)
	}
	return log, nil
}

// Files implements Archive.
func (p *Proxy) Files(_ context.Context, jobID string) (engineproxy.File, error) {
	f, rec, err := p.archive.Files(jobID)
	if err != nil {
		return engineproxy.File{}, archiveError(err)
	}
	modified := rec.CreatedAt
	if rec.FinishedAt != nil {
		modified = *rec.FinishedAt
	}
	return engineproxy.File{ReadSeekCloser: f, Size: rec.Files.Bytes, SHA256: rec.Files.SHA256, ModTime: modified}, nil
}

func archiveError(err error) error {
	if errors.Is(err, archive.ErrNotFound) {
		return engineproxy.ErrNotArchived
	}
	return err
}

var (
	errMalformed = errors.New("malformed project id")
	errEnded     = fmt.Errorf("%w: the engine proxy has ended", engineproxy.ErrUnreachable)
)
