package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
)

// atOnce is how many names of the archive are in memory at once: there may be a million.
const atOnce = 1024

// Sweep deletes the jobs that ended before a time, but for those that keep
// names, and returns how many. Of a damaged one, which is served to nobody, the time of
// its id is all that is known. What goes wrong with one job keeps no other one.
func (s *Store) Sweep(ctx context.Context, before time.Time, keep map[string]bool) (deleted int, _ error) {
	all := s.noteAll(ctx)
	err := s.each(ctx, func(jobID string) {
		made, err := mint.JobTime(jobID) // a job ends after it was accepted
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

// block is what a disk gives out at once, in bytes.
const block = 4 << 10

// Over returns the time of which Sweep leaves no more than so many bytes, the zero Time
// when there are no more. Those of the jobs that keep names count and stay.
func (s *Store) Over(ctx context.Context, most int64, keep map[string]bool) (before time.Time, _ error) {
	type job struct {
		id    string
		size  int64
		ended time.Time
	}
	var jobs []job
	rest := most // of the bytes, for all that are not kept
	var all int64
	err := s.each(ctx, func(jobID string) {
		size := s.size(jobID)
		if all += size; keep[jobID] {
			rest -= size
		} else {
			jobs = append(jobs, job{id: jobID, size: size})
		}
	})
	if err != nil || all <= most {
		return time.Time{}, err
	}
	for i, j := range jobs {
		if err := ctx.Err(); err != nil {
			return time.Time{}, fmt.Errorf("measuring archive: %w", err)
		}
		rec, err := s.Record(j.id)
		if err != nil || rec.FinishedAt == nil { // it goes by the time of its id
			jobs[i].ended, _ = mint.JobTime(j.id)
			continue
		}
		jobs[i].ended = *rec.FinishedAt
	}
	slices.SortFunc(jobs, func(a, b job) int { return b.ended.Compare(a.ended) })
	for _, j := range jobs {
		if rest -= j.size; rest < 0 {
			return j.ended.Add(1), nil
		}
	}
	return time.Time{}, nil
}

// size is what a job takes on the disk, about; 0 for one that is gone.
func (s *Store) size(jobID string) (bytes int64) {
	files, err := os.ReadDir(filepath.Join(s.dir, jobID))
	if err != nil {
		return 0
	}
	bytes = block // the folder's
	for _, file := range files {
		if info, err := file.Info(); err == nil {
			bytes += (info.Size() + block - 1) / block * block
		}
	}
	return bytes
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
