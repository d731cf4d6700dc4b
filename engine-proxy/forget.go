package engineproxy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// condemned marks a project whose deletion has begun. Nobody asks for it any
// more: what could not be deleted then, or was left when the engine proxy
// ended, is deleted later.
const condemned = "forgotten"

// Forget implements Engines. The project's engine never starts again, whatever
// was asked for, or read from the ledger, before.
func (p *Proxy) Forget(ctx context.Context, projectID string) error {
	if !api.ValidProjectID(projectID) {
		return errMalformed
	}
	if err := p.layout.condemn(projectID); err != nil {
		return err
	}
	a := p.actor(projectID)
	if err := a.do(ctx, a.delete); err != nil {
		return err
	}
	if err := a.halting(ctx, true, false); err != nil {
		return err
	}
	if err := p.archive.Forget(projectID); err != nil {
		return fmt.Errorf("forgetting project: %w", err)
	}
	if p.opts.Egress != nil {
		if err := p.opts.Egress.Forget(projectID); err != nil {
			return fmt.Errorf("forgetting project: %w", err)
		}
	}
	p.warnOfMoved(projectID)
	if p.remote != nil {
		if err := p.remote.DeleteVolume(ctx, projectID); err != nil {
			return fmt.Errorf("forgetting project: deleting volume: %w", err)
		}
	}
	if err := p.layout.forget(projectID); err != nil {
		return fmt.Errorf("forgetting project: %w", err)
	}
	return nil
}

// delete forbids starts for good: project ids are not given a second time.
func (a *actor) delete() {
	if !a.deleted {
		a.deleted = true
		a.machine.Forbid()
	}
}

// forgetTheRest deletes what earlier deletions left.
func (p *Proxy) forgetTheRest(ctx context.Context) error {
	known, err := p.layout.known()
	if err != nil {
		return err
	}
	var all error
	for _, id := range known {
		if !p.layout.condemned(id) {
			continue
		}
		if err := p.Forget(ctx, id); err != nil {
			all = errors.Join(all, err)
			continue
		}
		p.log.Info("deletion of a project was completed", zap.String("project", id))
	}
	return all
}

// condemn notes that everything of a project is to be deleted.
func (l layout) condemn(projectID string) error {
	if err := os.MkdirAll(l.state(projectID), 0o700); err != nil {
		return fmt.Errorf("noting that a project is deleted: %w", err)
	}
	if err := durable.Replace(filepath.Join(l.state(projectID), condemned), nil); err != nil {
		return fmt.Errorf("noting that a project is deleted: %w", err)
	}
	return nil
}

func (l layout) condemned(projectID string) bool {
	_, err := os.Stat(filepath.Join(l.state(projectID), condemned))
	return !errors.Is(err, fs.ErrNotExist)
}
