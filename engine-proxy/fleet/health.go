package fleet

import (
	"context"
	"errors"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/peer/disk"
)

// What Problems says.
const (
	problemDriver = "the engines' driver is not available"
	problemFatal  = "no engine can be started as configured"
	problemLedger = "the engine proxy gets no answer from the sidecar"
	problemOwner  = "the engines belong to another engine proxy"
	problemDisk   = "the engine proxy's disk is full"
)

// leastFree is the room, in bytes, below which the data directory's disk counts as full.
const leastFree = 1 << 20

// nobody is a project that does not exist.
const nobody = "000000000000000000000000"

// Problems implements Engines. Driver and ledger are asked now: what the regular looks at
// them know may be half a minute old.
func (p *Proxy) Problems(ctx context.Context) (problems []string, _ error) {
	problem := func(what string, err error) {
		problems = append(problems, what)
		p.log.Warn("engine proxy is not healthy", zap.String("problem", what), zap.Error(err))
	}
	switch err := p.opts.Driver.Check(ctx); {
	case errors.Is(err, driver.ErrFatalSpec):
		problem(problemFatal, err)
	case err != nil:
		problem(problemDriver, err)
	}
	switch err := p.askLedger(ctx); {
	case errors.Is(err, ErrNotOurs):
		problem(problemOwner, err)
	case err != nil:
		problem(problemLedger, err)
	}
	if err := diskFull(p.opts.DataDir); err != nil {
		problem(problemDisk, err)
	}
	return problems, nil
}

func (p *Proxy) askLedger(ctx context.Context) error {
	if err := p.claim(ctx); err != nil {
		return err
	}
	_, err := p.opts.Ledger.OpenJobs(ctx, nobody)
	return err
}

// diskFull returns an error when a folder's disk has no room left for us.
func diskFull(dir string) error {
	free, err := disk.Free(dir)
	if err != nil {
		return err
	}
	if free < leastFree {
		return unix.ENOSPC
	}
	return nil
}
