// Package analytics keeps what is played of published games: each event once, however
// often it is sent, and the counts that owners read.
package analytics

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// File is the name of its SQLite database in the data directory. It is one of its own,
// so that players never keep submissions waiting for the disk.
const File = "analytics.db"

//go:embed migrations/*.sql
var migrations embed.FS

var schema = store.Schema{Files: migrations, Steps: "play_steps"}

// Class says whose play it is, as the service has proven it.
type Class string

// The classes. Only ClassPublic is paid for, and counted in views.
const (
	ClassPublic Class = "public"
	ClassOwner  Class = "owner"
)

// Arrival is a batch, and what the service itself knows of it.
type Arrival struct {
	play.Batch
	Class  Class
	Proven bool // by a token of the game's own page, which says who plays
}

// Recorder keeps events. It is safe for concurrent use.
type Recorder interface {
	// Record keeps the events of a batch that were not recorded before. Once it has
	// answered, they outlive any crash; after an error the batch is to be sent again.
	Record(ctx context.Context, a Arrival) (play.Answer, error)
	// Submit takes the end of a run onto the boards.
	Submit(ctx context.Context, s Submission) (play.ScoreAnswer, error)
	// Variants returns the parameters that a player gets.
	Variants(ctx context.Context, game, player string) (map[string]string, error)
	// Board returns a part of a board.
	Board(ctx context.Context, game, player, window string, top, around int) (play.Board, error)
}

// Log is the Recorder over a store. It is safe for concurrent use.
type Log struct {
	store  *store.Store
	now    func() time.Time
	seller Seller
	meters meters
	parted bool // events of a day are a part of their table

	mu    sync.Mutex                 // guards names
	names map[string]map[string]bool // of each game's events that are in play_names
}

// Open opens the log in a SQLite file or, if address is the URL of one, in a
// PostgreSQL database. What is kept is bought from seller.
func Open(ctx context.Context, address string, seller Seller, now func() time.Time) (*Log, error) {
	open := store.OpenSQLiteOf
	if store.IsPostgresURL(address) {
		open = store.OpenPostgresOf
	}
	s, err := open(ctx, address, schema)
	if err != nil {
		return nil, fmt.Errorf("opening analytics: %w", err)
	}
	l := &Log{store: s, now: now, seller: seller, names: make(map[string]map[string]bool), parted: store.IsPostgresURL(address)}
	if err := l.makeParts(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return l, nil
}

// Close ends the writes under way.
func (l *Log) Close() error { return l.store.Close() }

// Times of days and hours, in milliseconds.
const (
	msOfHour = int64(time.Hour / time.Millisecond)
	msOfDay  = 24 * msOfHour
)

// Forget removes all of a game, in many transactions: who is interrupted goes on where it
// was.
func (l *Log) Forget(ctx context.Context, game string) error {
	defer func() {
		l.meters.forget(game)
		l.unknown(game)
	}()
	for _, table := range sorted(keyOf) {
		if _, err := l.deleteRows(ctx, table, "game = ?", game); err != nil {
			return fmt.Errorf("forgetting what was played of game %s: %w", game, err)
		}
	}
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		// Days and meter together: what was kept is compared with what is paid.
		for _, table := range []string{
			"play_days", "play_meters", "play_names", "play_board_settings", "play_rewards", "play_experiments", "play_options",
		} {
			if _, err := tx.Exec("DELETE FROM "+table+" WHERE game = ?", game); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forgetting what was played of game %s: %w", game, err)
	}
	return nil
}

// AskConsent reports whether the game's page asks players before it names them.
func (l *Log) AskConsent(ctx context.Context, game string) (bool, error) {
	ask, err := store.Read(ctx, l.store, func(r *store.Reader) (int64, error) {
		return optional(r.Row("SELECT ask_consent FROM play_options WHERE game = ?", game))
	})
	if err != nil {
		return false, fmt.Errorf("reading the options of game %s: %w", game, err)
	}
	return ask == 1, nil
}

// SetAskConsent changes that.
func (l *Log) SetAskConsent(ctx context.Context, game string, ask bool) error {
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO play_options (game, ask_consent) VALUES (?, ?) ON CONFLICT (game) DO UPDATE SET ask_consent = excluded.ask_consent",
			game, flag(ask))
		return err
	})
	if err != nil {
		return fmt.Errorf("changing the options of game %s: %w", game, err)
	}
	return nil
}

// Interface guards
var _ Recorder = (*Log)(nil)
