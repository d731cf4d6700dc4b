package analytics

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// How long is kept what was played. Counts stay as long as the game.
const (
	keepEvents  = 90  // days
	keepStreams = 760 // days, 25 months: sessions and days of players
)

// pruneBatch is how many rows one transaction deletes: batches wait for it no longer
// than for each other.
const pruneBatch = 2000

// Prune deletes what is older than it is kept, and returns how many rows it deleted.
func (l *Log) Prune(ctx context.Context) (int64, error) {
	today := l.now().UnixMilli() / msOfDay
	var deleted int64
	for _, old := range []struct {
		table, key string
		before     int64
	}{
		{"play_events", "game, stream, seq", today - keepEvents},
		{"play_streams", "game, stream", today - keepStreams},
		{"play_player_days", "game, player, class, day", today - keepStreams},
		{"play_runs", "game, stream, run", today - keepStreams},
	} {
		query := fmt.Sprintf("DELETE FROM %s WHERE (%s) IN (SELECT %s FROM %s WHERE day < ? LIMIT %d)", old.table, old.key, old.key, old.table, pruneBatch)
		for {
			var n int64
			err := l.store.Update(ctx, func(tx *store.Tx) (err error) {
				n, err = tx.Exec(query, old.before)
				return err
			})
			if err != nil {
				return deleted, fmt.Errorf("deleting old rows of %s: %w", old.table, err)
			}
			if deleted += n; n == 0 {
				break
			}
		}
	}
	return deleted, nil
}

// PruneEvery prunes at regular times until ctx ends, and tells failed of errors.
func (l *Log) PruneEvery(ctx context.Context, every time.Duration, failed func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if _, err := l.Prune(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		case <-ctx.Done():
			return
		}
	}
}
