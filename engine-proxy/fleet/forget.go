package fleet

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// Forget implements Engines. The project's engine never starts again, whatever
// was asked for, or read from the ledger, before. What an interruption leaves is
// deleted later: the ledger has a mark of the deletion.
func (p *Proxy) Forget(ctx context.Context, projectID string) error {
	if !api.ValidProjectID(projectID) {
		return errMalformed
	}
	a := p.actor(projectID)
	if err := a.do(ctx, a.delete); err != nil {
		return err
	}
	// The gateway and forgetDeleted may be at it at once: each step takes what
	// is gone already for done.
	if err := a.stopAndWait(ctx, true, false); err != nil {
		return err
	}
	if err := p.archive.Forget(ctx, projectID); err != nil {
		return fmt.Errorf("forgetting project: %w", err)
	}
	if p.opts.Egress != nil {
		if err := p.opts.Egress.Forget(projectID); err != nil {
			return fmt.Errorf("forgetting project: %w", err)
		}
	}
	p.warnOfLeftVolume(projectID)
	if p.remote != nil {
		if err := p.remote.DeleteVolume(ctx, projectID); err != nil {
			return fmt.Errorf("forgetting project: deleting volume: %w", err)
		}
	}
	if err := p.layout.Delete(projectID); err != nil {
		return fmt.Errorf("forgetting project: %w", err)
	}
	a.forgotten.Store(true)
	return nil
}

// delete forbids starts for good: project ids are not given a second time.
func (a *actor) delete() {
	if !a.deleted {
		a.deleted = true
		a.machine.Forbid()
	}
}

// forgetDeleted deletes what is left of projects that the ledger says were
// deleted, and has the ledger drop its marks of them. It finds what Forget was
// never called for, or did not complete. A project that the ledger merely does
// not know is none of them: after a restore there are such volumes.
func (p *Proxy) forgetDeleted(ctx context.Context) error {
	asking, cancel := clock.Within(ctx, p.clock, callDeadline)
	defer cancel()
	if err := p.claim(asking); err != nil {
		return err
	}
	deleted, err := p.opts.Ledger.DeletedProjects(asking, p.installation.ID)
	if err != nil {
		return fmt.Errorf("asking for deleted projects: %w", err)
	}
	var gone []string
	var all error
	for _, id := range deleted {
		if err := p.completeForget(ctx, id); err != nil {
			all = errors.Join(all, fmt.Errorf("project %q: %w", id, err))
			continue
		}
		gone = append(gone, id)
	}
	if len(gone) == 0 {
		return all
	}
	telling, cancel := clock.Within(ctx, p.clock, callDeadline)
	defer cancel()
	if err := p.opts.Ledger.ProjectsForgotten(telling, p.installation.ID, gone); err != nil {
		all = errors.Join(all, fmt.Errorf("telling that deleted projects are gone: %w", err))
	}
	return all
}

// completeForget is Forget for nobody who waits. It is bounded: an engine that can't
// be stopped must not keep the others' volumes.
func (p *Proxy) completeForget(ctx context.Context, projectID string) error {
	if a := p.find(projectID); a != nil && a.forgotten.Load() {
		return nil
	}
	ctx, cancel := clock.Within(ctx, p.clock, 2*p.opts.Timing.StopGrace)
	defer cancel()
	if err := p.Forget(ctx, projectID); err != nil {
		if over := context.Cause(ctx); over != nil {
			err = fmt.Errorf("%w: %w", over, err)
		}
		return err
	}
	p.log.Info("deletion of a project was completed", zap.String("project", projectID))
	return nil
}
