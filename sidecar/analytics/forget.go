package analytics

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/sidecar/store"
)

// ForgetPlayer removes all that is kept of a player of a game. Counts stay: they name
// nobody.
func (l *Log) ForgetPlayer(ctx context.Context, game, player string) error {
	if player == "" {
		return nil // who is nobody in particular is kept nowhere
	}
	if err := l.store.Update(ctx, func(tx *store.Tx) error { return forgetPlayer(tx, game, player) }); err != nil {
		return fmt.Errorf("forgetting a player of game %s: %w", game, err)
	}
	return nil
}

func forgetPlayer(tx *store.Tx, game, player string) error {
	// A batch that is under way ends first: its events would stay.
	if err := tx.Lock("SELECT 1 FROM play_streams WHERE game = ? AND player = ? ORDER BY stream", game, player); err != nil {
		return err
	}
	streams, err := store.All(&tx.Reader, store.Column[string], "SELECT stream FROM play_streams WHERE game = ? AND player = ?", game, player)
	if err != nil {
		return err
	}
	for _, stream := range streams {
		for _, table := range []string{"play_events", "play_streams"} {
			if _, err := tx.Exec("DELETE FROM "+table+" WHERE game = ? AND stream = ?", game, stream); err != nil {
				return err
			}
		}
	}
	if err := forgetCame(tx, game, player); err != nil {
		return err
	}
	for _, table := range []string{
		"play_player_days", "play_players", "play_boards", "play_runs", "play_replays", "play_grants", "play_exposures",
	} {
		if _, err := tx.Exec("DELETE FROM "+table+" WHERE game = ? AND player = ?", game, player); err != nil {
			return err
		}
	}
	return nil
}
