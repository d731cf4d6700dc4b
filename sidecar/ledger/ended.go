package ledger

import (
	"fmt"

	"github.com/svc-games/svc/sidecar/store"
)

// EndedJobs returns the jobs that have ended, all of which are in the archive. It reads a
// whole table.
func EndedJobs(r *store.Reader) ([]string, error) {
	var ids []string
	err := r.Each(func(scan store.Scan) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, "SELECT id FROM jobs WHERE state = 'settled'")
	if err != nil {
		return nil, fmt.Errorf("listing ended jobs: %w", err)
	}
	return ids, nil
}
