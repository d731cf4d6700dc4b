package archive

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/svc-games/svc/api"
)

// Sweep deletes the jobs that ended before a time, but for those that keep
// names, and returns how many.
func (s *Store) Sweep(before time.Time, keep map[string]bool) (int, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return 0, fmt.Errorf("listing archive: %w", err)
	}
	deleted := 0
	for _, e := range entries {
		id := e.Name()
		if !api.ValidJobID(id) || keep[id] {
			continue
		}
		// A job ends after it was accepted: most need not be read.
		if made, err := api.JobTime(id); err != nil || !made.Before(before) {
			continue
		}
		rec, err := s.Record(id)
		if errors.Is(err, ErrNotFound) {
			continue // it was forgotten meanwhile
		}
		if err != nil {
			return deleted, err
		}
		if rec.FinishedAt != nil && !rec.FinishedAt.Before(before) {
			continue
		}
		if err := s.drop(id); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}
