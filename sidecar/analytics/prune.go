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

// playedLongAgo holds of players of whom no day is kept any more. One who plays still is
// no new player.
const playedLongAgo = `first_day < ? AND NOT EXISTS (SELECT 1 FROM play_player_days d
	WHERE d.game = play_players.game AND d.player = play_players.player AND d.class = play_players.class)`

// pruneBatch is how many rows one transaction deletes: batches wait for it no longer
// than for each other.
const pruneBatch = 2000

// Prune deletes what is older than it is kept, and returns how many rows it deleted.
func (l *Log) Prune(ctx context.Context) (int64, error) {
	today := l.now().UnixMilli() / msOfDay
	var deleted int64
	for _, old := range []struct {
		table, key, is string
		before         int64
	}{
		{"play_events", "game, stream, seq", "day < ?", today - keepEvents},
		{"play_streams", "game, stream", "day < ?", today - keepStreams},
		{"play_player_days", "game, player, class, day", "day < ?", today - keepStreams},
		{"play_runs", "game, stream, run", "day < ?", today - keepStreams},
		{"play_players", "game, player, class", playedLongAgo, today - keepStreams},
	} {
		query := fmt.Sprintf("DELETE FROM %s WHERE (%s) IN (SELECT %s FROM %s WHERE %s LIMIT %d)", old.table, old.key, old.key, old.table, old.is, pruneBatch)
		look := fmt.Sprintf("SELECT 1 FROM %s WHERE %s LIMIT 1", old.table, old.is)
		for {
			// Batches don't wait for a look, which may be at all rows.
			n, err := store.Read(ctx, l.store, func(r *store.Reader) (int64, error) { return optional(r.Row(look, old.before)) })
			if err == nil && n > 0 {
				err = l.store.Update(ctx, func(tx *store.Tx) (err error) {
					n, err = tx.Exec(query, old.before)
					return err
				})
			}
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

// PruneEvery prunes at once and at regular times until ctx ends, and tells failed of
// errors.
func (l *Log) PruneEvery(ctx context.Context, every time.Duration, failed func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if _, err := l.Prune(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
