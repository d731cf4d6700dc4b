package analytics

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// How long is kept what was played. Counts stay as long as the game.
const (
	keepEvents  = 90  // days
	keepStreams = 760 // days, 25 months: all that is a player's
	keepSpans   = 14  // days: places on boards of days and weeks, which end
)

// playedLongAgo holds of players of whom no day is kept any more. One who plays still is
// no new player.
const playedLongAgo = `first_day < ? AND NOT EXISTS (SELECT 1 FROM play_player_days d
	WHERE d.game = play_players.game AND d.player = play_players.player AND d.class = play_players.class)`

// pruneBatch is how many rows one transaction deletes: batches wait for it no longer
// than for each other.
const pruneBatch = 2000

// keyOf are the keys of the tables of which a game may have very many rows.
var keyOf = map[string]string{
	"play_boards":       "game, span, player",
	"play_counts":       "game, day, class, name",
	"play_drops":        "game, hour, cause",
	"play_events":       "game, stream, seq",
	"play_free":         "game, day",
	"play_exposures":    "game, experiment, player",
	"play_funnels":      "game, day, class, build, funnel, step, name, bucket",
	"play_grants":       "game, player, reward, period",
	"play_lengths":      "game, day, class, bucket",
	"play_player_days":  "game, player, class, day",
	"play_players":      "game, player, class",
	"play_ranks":        "game, span, from_key",
	"play_replayed":     "game, day, build, result",
	"play_replays":      "game, stream, run",
	"play_replay_turns": "game",
	"play_returns":      "game, day, last",
	"play_runs":         "game, stream, run",
	"play_scores":       "game, day, class, build, bucket",
	"play_stays":        "game, first_day, build, after",
	"play_streams":      "game, stream",
}

// Prune deletes what is older than it is kept, and returns how many rows it deleted.
func (l *Log) Prune(ctx context.Context) (int64, error) {
	now := l.now().UnixMilli()
	today := now / msOfDay
	if err := l.makeParts(ctx); err != nil {
		return 0, err
	}
	deleted, err := l.dropParts(ctx, today-keepEvents)
	if err != nil {
		return deleted, err
	}
	for _, old := range []struct {
		table, is string
		before    int64
	}{
		{"play_events", "day < ?", today - keepEvents},
		{"play_free", "day < ?", today - keepEvents},
		{"play_streams", "day < ?", today - keepStreams},
		{"play_player_days", "day < ?", today - keepStreams},
		{"play_returns", "day < ?", today - keepStreams},
		{"play_stays", "first_day < ?", today - keepStreams},
		{"play_runs", "day < ?", today - keepStreams},
		{"play_exposures", "day < ?", today - keepStreams},
		{"play_grants", "at < ?", now - keepStreams*msOfDay},
		{"play_boards", "at < ?", now - keepStreams*msOfDay},
		{"play_boards", "span <> 'all' AND at < ?", now - keepSpans*msOfDay},
		{"play_players", playedLongAgo, today - keepStreams},
	} {
		n, err := l.deleteRows(ctx, old.table, old.is, old.before)
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	n, err := l.pruneNames(ctx, today-keepEvents)
	if err == nil {
		err = l.makeRanks(ctx)
	}
	if err == nil { // where there are no engines nobody else does it
		err = l.store.Update(ctx, func(tx *store.Tx) error { return giveUp(tx, now) })
	}
	return deleted + n, err
}

// pruneNames takes names of events that did not come since a day from the games that have
// all they may, or each new version of such a game would have fewer events.
func (l *Log) pruneNames(ctx context.Context, since int64) (deleted int64, err error) {
	games, err := store.Read(ctx, l.store, func(r *store.Reader) ([]string, error) {
		return store.All(r, store.Column[string], "SELECT game FROM play_names GROUP BY game HAVING count(*) >= ?", int64(play.MaxNames))
	})
	for _, game := range games {
		if err == nil {
			err = l.store.Update(ctx, func(tx *store.Tx) error {
				n, err := tx.Exec("DELETE FROM play_names WHERE game = ? AND name NOT IN (SELECT name FROM play_counts WHERE game = ? AND day >= ?)", game, game, since)
				deleted += n
				return err
			})
			l.unknown(game)
		}
	}
	if err != nil {
		return deleted, fmt.Errorf("deleting names of events: %w", err)
	}
	return deleted, nil
}

// deleteRows deletes the rows of a table of keyOf of which a condition holds, pruneBatch
// in a transaction, and returns how many.
func (l *Log) deleteRows(ctx context.Context, table, is string, args ...any) (deleted int64, err error) {
	key := keyOf[table]
	query := fmt.Sprintf("DELETE FROM %s WHERE (%s) IN (SELECT %s FROM %s WHERE %s LIMIT %d)", table, key, key, table, is, pruneBatch)
	look := fmt.Sprintf("SELECT 1 FROM %s WHERE %s LIMIT 1", table, is)
	for {
		// Batches don't wait for a look, which may be at all rows.
		n, err := store.Read(ctx, l.store, func(r *store.Reader) (int64, error) { return optional(r.Row(look, args...)) })
		if err == nil && n > 0 {
			err = l.store.Update(ctx, func(tx *store.Tx) (err error) {
				n, err = tx.Exec(query, args...)
				return err
			})
		}
		if err != nil {
			return deleted, fmt.Errorf("deleting rows of %s: %w", table, err)
		}
		if deleted += n; n == 0 {
			return deleted, nil
		}
	}
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
