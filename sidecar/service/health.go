package service

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/peer/disk"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// writeTimeout bounds the write that Health tries: a store that is locked may keep
// it waiting for longer.
const writeTimeout = time.Second

// Health implements sidecar.Service.
func (s *Service) Health(ctx context.Context) (sidecar.Health, error) {
	h := sidecar.Health{PolicyRevision: s.policy.Revision(), PolicyProblem: s.policy.PolicyProblem(), Push: s.Push()}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	h.Writes = s.tryWrite(ctx)
	return h, nil
}

// leastRoom is the room, in bytes, that a SQLite store needs for a job.
const leastRoom = 1 << 20

// tryWrite returns why the store can't be written to, nil when it can, or ctx's
// error. A write that changes nothing needs no room, and passes on a full disk.
func (s *Service) tryWrite(ctx context.Context) error {
	if !s.store.Shared() {
		room, err := disk.Free(s.dir)
		if err != nil {
			return err
		}
		if room < leastRoom {
			return unix.ENOSPC
		}
	}
	written := make(chan error, 1)
	go func() {
		written <- s.store.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec("UPDATE heads SET seq = seq WHERE log = ?", store.LogAudit)
			return err
		})
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return fmt.Errorf("waiting for a write: %w", ctx.Err())
	}
}

// Push is that of Health, without a look at the store.
func (s *Service) Push() string {
	switch {
	case s.redis == nil:
		return "none"
	case s.redis.Connected():
		return "connected"
	}
	return "lost"
}
