package analytics

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-games/svc/sidecar/store"
)

// CheckMeters looks for games whose meter breaks what is always so, in the SQLite file
// or PostgreSQL database at address, and returns what it found, in order. paid are the
// blocks that the ledger has of each game: it is to be read after the meters were, as
// later blocks may be bought meanwhile, so that it is a function. It makes no file.
func CheckMeters(ctx context.Context, address string, paid func() (map[string]int64, error)) ([]string, error) {
	var found []string
	granted := make(map[string]int64)
	err := store.ReadOnlyOf(ctx, address, schema, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var game string
			var blocks, used, kept, carried int64
			if err := scan(&game, &blocks, &used, &kept, &carried); err != nil {
				return err
			}
			granted[game] = blocks
			if used > blocks*BlockEvents {
				found = append(found, fmt.Sprintf("game %s used %d events of %d blocks", game, used, blocks))
			}
			if used != kept+carried {
				found = append(found, fmt.Sprintf("game %s kept %d events and used %d", game, kept+carried, used))
			}
			return nil
		}, `SELECT m.game, m.granted, m.used, CAST(coalesce(sum(d.custom), 0) AS BIGINT), m.carried FROM play_meters m
			LEFT JOIN play_days d ON d.game = m.game AND d.class = 'public' GROUP BY m.game, m.granted, m.used, m.carried`)
	})
	if err != nil {
		return nil, fmt.Errorf("checking the meters of games: %w", err)
	}
	blocks, err := paid()
	if err != nil {
		return nil, err
	}
	for game, n := range granted {
		if n > blocks[game] {
			found = append(found, fmt.Sprintf("game %s was granted %d blocks and paid %d", game, n, blocks[game]))
		}
	}
	slices.Sort(found)
	return found, nil
}
