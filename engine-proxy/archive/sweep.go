package archive

import (
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Sweep deletes the jobs that ended before a time, but for those that keep
// names, and returns how many. Of a damaged one, which is served to nobody, the time of
// its id is all that is known.
func (s *Store) Sweep(before time.Time, keep map[string]bool) (int, error) {
	old := func(jobID string) bool {
		made, err := api.JobTime(jobID) // a job ends after it was accepted
		return !keep[jobID] && err == nil && made.Before(before)
	}
	return s.dropAll(old, func(rec contract.JobRecord, err error) bool {
		return err != nil || rec.FinishedAt == nil || rec.FinishedAt.Before(before)
	})
}
