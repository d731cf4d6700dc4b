package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/svc-games/svc/api"
)

// atOnce is how many names of the archive are in memory at once: there may be a million.
const atOnce = 1024

// Sweep deletes the jobs that ended before a time, but for those that keep
// names, and returns how many. Of a damaged one, which is served to nobody, the time of
// its id is all that is known. What goes wrong with one job keeps no other one.
func (s *Store) Sweep(ctx context.Context, before time.Time, keep map[string]bool) (deleted int, _ error) {
	all := s.noteAll(ctx)
	err := s.each(ctx, func(jobID string) {
		made, err := api.JobTime(jobID) // a job ends after it was accepted
		if keep[jobID] || err != nil || !made.Before(before) {
			return
		}
		gone, err := s.dropEnded(jobID, before)
		all = errors.Join(all, err)
		if gone {
			deleted++
		}
	})
	return deleted, errors.Join(all, err)
}

// each calls f with the id of every job, in no order.
func (s *Store) each(ctx context.Context, f func(jobID string)) error {
	dir, err := os.Open(s.dir)
	if err != nil {
		return fmt.Errorf("listing archive: %w", err)
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(atOnce)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listing archive: %w", err)
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("sweeping archive: %w", err)
			}
			if api.ValidJobID(name) {
				f(name)
			}
		}
	}
}

// dropEnded deletes a job unless it ended later than before.
func (s *Store) dropEnded(jobID string, before time.Time) (gone bool, err error) {
	rec, err := s.Record(jobID)
	switch {
	case errors.Is(err, ErrNotFound): // it was deleted meanwhile
		return false, nil
	case errors.Is(err, errDamaged):
	case err != nil:
		return false, err
	case rec.FinishedAt != nil && !rec.FinishedAt.Before(before):
		return false, nil
	}
	if err := s.drop(jobID); err != nil {
		return false, err
	}
	return true, s.unnote(rec.ProjectID, jobID)
}
